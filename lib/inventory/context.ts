import type { Clock } from '../core/clock.js'
import { isRetryable, toFailure } from '../core/failure.js'
import type { IdSource, PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { ok, type Result } from '../core/result.js'
import { NO_COUNTS, type ItemCounts } from './draft.js'
import { auditOf, type Audit } from './audit.js'
import type { ExternalCosts } from './external.js'
import type { FoundFile, PlayerInventories } from './port.js'
import type { OnUnreadable } from './reconcile.js'
import { type Order } from './book.js'
import { readBook, writeBook, type ItemBook, type ItemChanged, type PlayerTransactions } from './records.js'

/** How often a save or commit is tried again at once. */
export const ATTEMPTS = 3

/** Where a harness may end the process: after the step that it names. */
export type FaultPoint =
  | 'give.planned'
  | 'give.saved'
  | 'give.abandoned'
  | 'give.applied'
  | 'give.enlarged'
  | 'give.committed'
  | 'take.reserved'
  | 'take.debited'
  | 'take.saved'
  | 'take.returned'
  | 'take.doubted'
  | 'take.charged'
  | 'take.committed'
  | 'login.committed'

/**
 * `exactly-once`: the host lets us save players. `at-most-once`: it saves them itself, whenever it likes; the store is
 * marked before a delivery, so a crash may lose one, never double it. A price is taken before the store is told: a crash in
 * between loses it, and one before the host's own save may bring it back though the order is paid. `off`: there is no world, items can't be kept.
 */
export type ItemMode = 'exactly-once' | 'at-most-once' | 'off'

export interface ItemLaneParts {
  readonly mode: ItemMode
  readonly inventories: PlayerInventories
  readonly store: PlayerTransactions
  readonly ids: IdSource
  readonly clock: Clock
  /** Gets the audit lines. */
  readonly logger: Logger
  /** About a player file that can't be read; read at each login. */
  readonly onUnreadable: () => OnUnreadable
  readonly external?: ExternalCosts
  readonly changed?: ItemChanged
  /** Told of every durable movement. */
  readonly audit?: Audit
  /** For tests: may throw or end the process. */
  readonly fault?: (point: FaultPoint) => void
}

/** What the operations share. */
export class ItemContext {
  readonly parts: ItemLaneParts
  /** Players whose last save is in doubt: nothing of theirs begins before one has succeeded. */
  readonly unsaved = new Set<PlayerId>()
  /** What the last login of a player found and could not decide: nothing of theirs begins before that. */
  readonly undecided = new Map<PlayerId, FoundFile>()
  /** At most once: orders whose price was taken, while the store could not be told. They are not taken again. */
  readonly debited = new Map<PlayerId, ReadonlyMap<string, Order>>()
  #counts = { ...NO_COUNTS }

  constructor(parts: ItemLaneParts) {
    this.parts = parts
  }

  get counts(): ItemCounts {
    return { ...this.#counts }
  }

  fault(point: FaultPoint): void {
    this.parts.fault?.(point)
  }

  /** Counts an outcome and writes its audit line. */
  note(outcome: keyof ItemCounts, player: PlayerId, text: string): void {
    this.add({ ...NO_COUNTS, [outcome]: 1 })
    this.audit(player, `${outcome}: ${text}`)
  }

  add(counts: ItemCounts): void {
    const sum = (key: keyof ItemCounts): number => this.#counts[key] + counts[key]
    this.#counts = {
      completed: sum('completed'),
      failed: sum('failed'),
      voided: sum('voided'),
      flagged: sum('flagged'),
    }
  }

  audit(player: PlayerId, text: string): void {
    const line = `items of ${player}: ${text}`
    if (text.startsWith('flagged')) this.parts.logger.warn(line)
    else this.parts.logger.info(line)
  }

  async read(player: PlayerId): Promise<Result<ItemBook>> {
    try {
      const view = await this.parts.store.read(player)
      return view.ok ? ok(readBook(view.value)) : view
    } catch (thrown) {
      return { ok: false, failure: toFailure(thrown) }
    }
  }

  /** One durable transaction on the book, tried again while that may help. */
  commit(player: PlayerId, change: (book: ItemBook) => ItemBook): Promise<Result<ItemBook>> {
    return this.transact(player, (book) => ({ book: change(book), value: null })).then((done) =>
      done.ok ? ok(done.value.book) : done,
    )
  }

  /** The same with something to say about it. A book of null writes nothing. */
  async transact<R>(
    player: PlayerId,
    work: (book: ItemBook) => { readonly book: ItemBook | null; readonly value: R },
  ): Promise<Result<{ readonly book: ItemBook; readonly value: R }>> {
    for (let attempt = 1; ; attempt++) {
      const done = await this.#once(player, work)
      if (done.ok || attempt >= ATTEMPTS || !isRetryable(done.failure.code)) return done
    }
  }

  async #once<R>(
    player: PlayerId,
    work: (book: ItemBook) => { readonly book: ItemBook | null; readonly value: R },
  ): Promise<Result<{ readonly book: ItemBook; readonly value: R }>> {
    try {
      let before: ItemBook | null = null
      const done = await this.parts.store.update(player, (tx) => {
        before = readBook(tx)
        const { book, value } = work(before)
        if (book !== null) writeBook(tx, { before, after: book }, this.parts.changed ?? (() => {}))
        // what was pulled along is part of it
        return { book: book === null ? before : readBook(tx), value }
      })
      if (done.ok && before !== null)
        for (const line of auditOf(player, before, done.value.book)) this.parts.audit?.(line)
      return done
    } catch (thrown) {
      return { ok: false, failure: toFailure(thrown) }
    }
  }
}
