import type { LoadState } from './independent.js'
import { CLIENTS, type Line } from './messages.js'

const WHAT = ['counter', 'transfers', 'effects', 'round'] as const
type What = (typeof WHAT)[number]

/** Highest numbers that were promised, and that were asked for. */
interface Bounds {
  promised: Record<What, number>
  asked: Record<What, number>
}
const noBounds = (): Bounds => ({
  promised: { counter: 0, transfers: 0, effects: 0, round: 0 },
  asked: { counter: 0, transfers: 0, effects: 0, round: 0 },
})

/** What one real player must have. */
interface Items {
  /** What all finished operations amount to. */
  total: number
  /** The operation that was under way when the process ended, as what it adds. */
  pending: number | null
  /** What was taken since the copy of the player's file was made, and comes back with it. */
  takenSinceCopy: number
  /** Operations since then, as far as they are known. */
  operationsSinceCopy: number
  /** Items that those have surely moved in the player's file. */
  movedSinceCopy: number
  /** More happened since then than the store remembers: whatever is found is right, if it was flagged. */
  isUndecided: boolean
}

/** The store's log has 64 operations; claims are not counted here. */
const LOGGED = 24

/** Believes what the server under test said, and judges what the files hold. */
export class Expectation {
  readonly #load = new Map<number, Bounds>()
  readonly #items = new Map<string, Items>(
    CLIENTS.map((name) => [
      name,
      {
        total: 0,
        pending: null,
        takenSinceCopy: 0,
        operationsSinceCopy: 0,
        movedSinceCopy: 0,
        isUndecided: false,
      },
    ]),
  )
  promises = 0
  operations = 0
  /** Operations that were cut off, by what became of them. */
  readonly cutOff = { happened: 0, vanished: 0 }

  hear(line: Line): void {
    if (line.said === 'asked' || line.said === 'promised') {
      const bounds = this.#boundsOf(line.player)
      bounds[line.said][line.what] = Math.max(bounds[line.said][line.what], line.value)
      if (line.said === 'promised') this.promises += 1
    }
    if (line.said === 'item-asked')
      this.#itemsOf(line.name).pending = line.kind === 'give' ? line.count : -line.count
    if (line.said === 'item-done') this.#done(line)
  }

  #done({ name, kind, count, code, moved, rest }: Extract<Line, { said: 'item-done' }>): void {
    const items = this.#itemsOf(name)
    this.operations += 1
    items.operationsSinceCopy += 1
    // in doubt by its own word: the next login decides it
    if (code === 'system:storage_unknown' || code === 'system:payment_unknown') return
    items.pending = null
    if (code === null) items.movedSinceCopy += moved
    if (kind === 'give') {
      // a claim that did not happen leaves its entry in the inbox
      items.total += count
      if (code === null && moved + rest !== count) throw new Error(`${name}: ${moved} + ${rest} of ${count}`)
    } else if (code === null) {
      items.total -= moved
      items.takenSinceCopy += moved
    }
  }

  /** What is wrong with a player's numbers; empty when nothing is. Afterwards they are what is expected. */
  judgeLoad(player: number, found: LoadState, rounds: readonly number[]): readonly string[] {
    const { promised, asked } = this.#boundsOf(player)
    const wrong: string[] = []
    for (const what of WHAT) {
      const value = found[what]
      if (value < promised[what]) wrong.push(`${what} ${value}, but ${promised[what]} was promised`)
      if (value > asked[what]) wrong.push(`${what} ${value}, but only ${asked[what]} was asked for`)
      promised[what] = value
      asked[what] = value
    }
    if (found.a + found.b !== 2_000) wrong.push(`accounts hold ${found.a + found.b}, not 2000`)
    if (found.receipts !== found.effects) wrong.push(`${found.effects} effects, ${found.receipts} receipts`)
    if (found.round > 0 && !rounds.includes(found.round))
      wrong.push(`round ${found.round} is not in the chat`)
    return wrong.map((text) => `player ${player}: ${text}`)
  }

  /** What is wrong with a real player's items. */
  judgeItems(name: string, found: { readonly inventory: number; readonly inbox: number }): readonly string[] {
    const items = this.#itemsOf(name)
    const total = found.inventory + found.inbox
    const cutOff = items.pending
    const isRight =
      items.isUndecided || total === items.total || (cutOff !== null && total === items.total + cutOff)
    const wrong = isRight
      ? []
      : [
          `${name} has ${total} (${found.inventory} + ${found.inbox}), not ${items.total} or with ${cutOff ?? 0}`,
        ]
    if (isRight && cutOff !== null && cutOff !== 0)
      this.cutOff[total === items.total ? 'vanished' : 'happened'] += 1
    // a payment that was cut off and happened comes back with an older file too
    if (cutOff !== null && cutOff < 0 && total === items.total + cutOff) items.takenSinceCopy -= cutOff
    items.total = total
    items.pending = null
    items.isUndecided = false
    return wrong
  }

  /** A copy of the player's file was made. */
  copied(name: string): void {
    Object.assign(this.#itemsOf(name), {
      takenSinceCopy: 0,
      operationsSinceCopy: 0,
      movedSinceCopy: 0,
    })
  }

  /**
   * The copy was put back: payments that it doesn't know are undone, deliveries come again from the inbox. False when so
   * much happened since that the store can't decide it.
   */
  restored(name: string): boolean {
    const items = this.#itemsOf(name)
    items.total += items.takenSinceCopy
    items.isUndecided = items.operationsSinceCopy > LOGGED
    this.copied(name)
    return !items.isUndecided
  }

  /**
   * An older record of the player was put back: the player's file stays right, and the inbox is that of then. True when
   * the file surely knows operations that the record doesn't.
   */
  recordRestored(name: string, total: number): boolean {
    const items = this.#itemsOf(name)
    const isOlder = items.movedSinceCopy > 0
    items.total = total
    items.pending = null
    this.copied(name)
    return isOlder
  }

  #boundsOf(player: number): Bounds {
    const bounds = this.#load.get(player) ?? noBounds()
    this.#load.set(player, bounds)
    return bounds
  }

  #itemsOf(name: string): Items {
    const items = this.#items.get(name)
    if (items === undefined) throw new Error(`nobody is called ${name}`)
    return items
  }
}
