import { failure, toFailure, type FailureCode } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import { InOrder } from '../core/in-order.js'
import { fail, ok, type Result } from '../core/result.js'
import { within } from '../core/within.js'
import { giveOnce, settleOnce, takeOnce } from './at-most-once.js'
import { ItemContext, type ItemLaneParts, type ItemMode } from './context.js'
import type { ItemCounts } from './draft.js'
import { giveEntry, type GiveReceipt } from './give.js'
import { decideLate, decideLogin, decideOutside } from './login.js'
import type { FoundFile } from './port.js'
import type { Reconciliation } from './reconcile.js'
import { NO_GOODS } from './book.js'
import { findOrder, type ItemBook } from './records.js'
import { settle } from './settle.js'
import { takeOrder, type TakeReceipt } from './take.js'
import { completeOrder, failOrder, reissueEntry } from './transitions.js'

/** Operations of one player that may wait. */
const MAX_WAITING = 16
/** How long a stop waits for the operations under way. */
const CLOSE_MS = 2_000

/**
 * Moves items and experience between players' inventories and their business records: each operation as a whole or not
 * at all, whatever fails or ends in between, and one at a time for each player. An answer of success means durable on both
 * sides. `system:storage_unknown` and `system:payment_unknown` mean that it isn't decided yet: the next operation, or the
 * next login, decides it. Nothing here rejects. Common refusals: `system:no_world`, `system:stopping`, `system:busy`.
 */
export class ItemLane {
  readonly #context: ItemContext
  readonly #order = new InOrder<PlayerId>()
  readonly #waiting = new Map<PlayerId, number>()
  /** Moves when the operations of a player that still wait are over. */
  readonly #turns = new Map<PlayerId, number>()
  #isClosed = false

  constructor(parts: ItemLaneParts) {
    this.#context = new ItemContext(parts)
  }

  get mode(): ItemMode {
    return this.#context.parts.mode
  }

  /** What ended since the start, by how. */
  get counts(): ItemCounts {
    return this.#context.counts
  }

  /** The value of the status line `items`. */
  status(): string {
    const { completed, failed, voided, flagged } = this.counts
    return `${this.mode} completed=${completed} failed=${failed} voided=${voided} flagged=${flagged}`
  }

  /**
   * Delivers an AVAILABLE entry of the inbox. `system:unknown_entry` (none, or not waiting), `system:inventory_full`
   * (nothing fits, it stays), `system:disconnected`, `system:storage_failed` (nothing happened).
   */
  give(player: PlayerId, entry: string): Promise<Result<GiveReceipt>> {
    return this.#operate(player, () =>
      (this.mode === 'exactly-once' ? giveEntry : giveOnce)(this.#context, player, entry),
    )
  }

  /**
   * Takes the price of an order that was reserved, and completes it. A finished order answers what it answered then.
   * `system:cost_missing`, `system:payment_refused`, `system:storage_failed`, `system:disconnected`: FAILED, nothing is
   * taken or it waits in the inbox. `mayCharge` is asked at the last moment before anything is taken: a code ends the
   * order with it. `system:payment_unknown`: locked until the save or an admin decides.
   */
  take(player: PlayerId, order: string, mayCharge?: () => FailureCode | null): Promise<Result<TakeReceipt>> {
    return this.#operate(player, () =>
      (this.mode === 'exactly-once' ? takeOrder : takeOnce)(this.#context, player, { id: order, mayCharge }),
    )
  }

  /**
   * What a login has to decide, after the last save of the player and before the host reads the file: durable when this
   * resolves. Waits for the operation under way, and reads a record again that could not be used before. The session goes
   * on with the marks of the result. On failure nothing was decided and the marks of the file stay as they are: until it
   * is, operations of the player answer `system:storage_unknown`.
   */
  login(player: PlayerId, found: FoundFile): Promise<Result<Reconciliation>> {
    const context = this.#context
    const file = this.mode === 'exactly-once' ? found : { ...found, marks: null }
    // also when what follows is refused
    if (this.mode !== 'off') context.undecided.set(player, file)
    return this.#run(player, async () => {
      // whether it helped, the transaction tells
      await context.parts.store.readAgain(player)
      return decideLogin(context, player, file)
    })
  }

  /**
   * Tries again for a player who is here what the login could not decide, as every operation does first. Null: nothing
   * was undecided. `system:storage_unknown`: it still is.
   */
  decide(player: PlayerId): Promise<Result<Reconciliation | null>> {
    if (!this.#context.undecided.has(player)) return Promise.resolve(ok(null))
    return this.#run(player, () => decideLate(this.#context, player))
  }

  /** After login: orders that a cost outside of the server decides. Answers how many are decided. */
  decideExternal(player: PlayerId, orders: readonly string[]): Promise<Result<number>> {
    return this.#run(player, () => decideOutside(this.#context, player, orders))
  }

  /** Ends what earlier operations left open, as every operation does first: for the autosave and for `/system save`. */
  settle(player: PlayerId): Promise<Result<void>> {
    return this.#operate(player, () =>
      (this.mode === 'exactly-once' ? settle : settleOnce)(this.#context, player),
    )
  }

  /** An admin's word on an order whose payment nobody can find out. `system:unknown_entry`: there is none in doubt. */
  resolve(player: PlayerId, id: string, verdict: 'complete' | 'refund'): Promise<Result<void>> {
    return this.#run(player, async () => {
      const isDoubted = (book: ItemBook): boolean => findOrder(book, id)?.external === 'unknown'
      const done = await this.#context.transact(player, (book) => {
        if (!isDoubted(book)) return { book: null, value: false }
        const refund = findOrder(book, id)?.taken ?? NO_GOODS
        const failed = { code: 'system:order_failed', refund } as const
        return {
          book: verdict === 'complete' ? completeOrder(book, id) : failOrder(book, id, failed),
          value: true,
        }
      })
      if (!done.ok) return done
      if (!done.value.value) return fail('system:unknown_entry')
      this.#context.note(
        verdict === 'complete' ? 'completed' : 'failed',
        player,
        `order ${id} settled by hand`,
      )
      return ok(undefined)
    })
  }

  /**
   * Issues again what was handed out where nothing proves that it arrived: once. What of it was booked in the store stays
   * booked. `system:unknown_entry`: nothing of that kind has the id. The value is the new entry's id.
   */
  reissue(player: PlayerId, id: string): Promise<Result<string>> {
    return this.#run(player, async () => {
      const fresh = this.#context.parts.ids.token()
      const done = await this.#context.transact(player, (book) => {
        const after = reissueEntry(book, id, fresh)
        return { book: after, value: after !== null }
      })
      if (!done.ok) return done
      if (!done.value.value) return fail('system:unknown_entry')
      this.#context.audit(player, `reissued: entry ${id} as ${fresh}, by hand`)
      return ok(fresh)
    })
  }

  /** Ends the operations that wait for their turn, with `system:revoked`. The one under way goes on. */
  cancelWaiting(player: PlayerId): void {
    if (this.#waiting.has(player)) this.#turns.set(player, this.#turnOf(player) + 1)
  }

  /**
   * Runs what may stand between no two steps of an operation: behind the one under way, which is brought to its end as far
   * as that is possible now, and before any other.
   */
  alone<T>(player: PlayerId, work: () => Promise<Result<T>>): Promise<Result<T>> {
    if (this.mode === 'off') return work()
    const inTurn = async (): Promise<Result<T>> => {
      if (!this.#context.undecided.has(player))
        await (this.mode === 'exactly-once' ? settle : settleOnce)(this.#context, player)
      return work()
    }
    return this.#run(player, inTurn, Infinity)
  }

  /** The committed state of the player's inbox and orders. */
  book(player: PlayerId): Promise<Result<ItemBook>> {
    return this.#context.read(player)
  }

  /** Refuses new operations and waits for those under way, at most 2 s. */
  async close(): Promise<void> {
    this.#isClosed = true
    const { clock } = this.#context.parts
    await within(this.#order.settled(), { clock, ms: CLOSE_MS, late: undefined })
  }

  /** Runs what may begin only when the login has decided. */
  #operate<T>(player: PlayerId, work: () => Promise<Result<T>>): Promise<Result<T>> {
    const turn = this.#turnOf(player)
    return this.#run(player, async () => {
      if (this.#turnOf(player) !== turn) return fail('system:revoked')
      const decided = await decideLate(this.#context, player)
      return decided.ok ? work() : decided
    })
  }

  #turnOf(player: PlayerId): number {
    return this.#turns.get(player) ?? 0
  }

  async #run<T>(
    player: PlayerId,
    work: () => Promise<Result<T>>,
    maxWaiting = MAX_WAITING,
  ): Promise<Result<T>> {
    if (this.mode === 'off') return fail('system:no_world')
    if (this.#isClosed) return fail('system:stopping')
    const waiting = this.#waiting.get(player) ?? 0
    if (waiting >= maxWaiting) return fail('system:busy')
    this.#waiting.set(player, waiting + 1)
    try {
      return await this.#order.run(player, work)
    } catch (thrown) {
      this.#context.parts.logger.error(`items of ${player}: an operation broke`, thrown)
      return { ok: false, failure: failure('system:internal', {}, toFailure(thrown)) }
    } finally {
      const left = (this.#waiting.get(player) ?? 1) - 1
      if (left > 0) this.#waiting.set(player, left)
      else {
        this.#waiting.delete(player)
        this.#turns.delete(player)
      }
    }
  }
}
