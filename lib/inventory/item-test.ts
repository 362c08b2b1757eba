import type { FailureCode } from '../core/failure.js'
import type { Identifier, IdSource, PlayerId } from '../core/ids.js'
import { ok, type Result } from '../core/result.js'
import type { ItemLane } from './lane.js'
import { countItem } from './plan.js'
import type { PlayerInventories } from './port.js'
import { NO_GOODS } from './book.js'
import { addEntry, reserveOrder, type ItemTransaction, type PlayerTransactions } from './records.js'

const SOURCE = 'system:item_test'

/** What one item test did. */
export interface ItemTestOutcome {
  /** Id of the operation. */
  readonly id: string
  /** Null: done. */
  readonly code: FailureCode | null
  readonly moved: number
  /** give: what waits in the inbox. take: what was not taken. */
  readonly rest: number
}

export interface ItemCount {
  /** In main inventory, hotbar and off hand; null while the player is not here. */
  readonly inventory: number | null
  /** Waiting to be claimed. */
  readonly inbox: number
}

interface ItemTestRequest {
  readonly player: PlayerId
  readonly item: Identifier
  /** At least 1. */
  readonly count: number
}

/** Exercises the item lane as a feature would: an inbox entry that is claimed, an order that is paid. */
export class ItemTest {
  readonly #parts: {
    lane: ItemLane
    store: PlayerTransactions
    inventories: PlayerInventories
    ids: IdSource
  }

  constructor(parts: {
    lane: ItemLane
    store: PlayerTransactions
    inventories: PlayerInventories
    ids: IdSource
  }) {
    this.#parts = parts
  }

  /** Gives plain items by way of the inbox; what doesn't fit stays there. */
  async give({ player, item, count }: ItemTestRequest): Promise<ItemTestOutcome> {
    const id = this.#parts.ids.token()
    const entry = { id, source: SOURCE, lines: [{ item, count, data: '' }], xp: 0 }
    const put = await this.#prepare(player, (tx) => addEntry(tx, entry))
    if (!put.ok) return { id, code: put.failure.code, moved: 0, rest: 0 }
    const given = await this.#parts.lane.give(player, id)
    return given.ok ? { ...given.value, code: null } : { id, code: given.failure.code, moved: 0, rest: count }
  }

  /** Takes plain items, all or none of them. */
  async take({ player, item, count }: ItemTestRequest): Promise<ItemTestOutcome> {
    const id = this.#parts.ids.token()
    const costs = { lines: [{ item, count, data: '' }], xp: 0 }
    const order = {
      id,
      source: SOURCE,
      costs,
      gives: NO_GOODS,
      entry: null,
      isIrreversible: false,
    }
    const put = await this.#prepare(player, (tx) => reserveOrder(tx, order))
    if (!put.ok) return { id, code: put.failure.code, moved: 0, rest: count }
    const taken = await this.#parts.lane.take(player, id)
    return taken.ok
      ? { id, code: null, moved: taken.value.moved, rest: 0 }
      : { id, code: taken.failure.code, moved: 0, rest: count }
  }

  /** How many of the item the player has, whatever its data. */
  async count(player: PlayerId, item: Identifier): Promise<Result<ItemCount>> {
    const book = await this.#parts.lane.book(player)
    if (!book.ok) return book
    const waiting = book.value.entries
      .filter(({ state }) => state === 'AVAILABLE')
      .flatMap(({ lines }) => lines)
    const inbox = waiting.reduce((total, line) => (line.item === item ? total + line.count : total), 0)
    const inventory = this.#parts.inventories.find(player)
    return ok({ inventory: inventory === null ? null : countItem(inventory.slots(), item), inbox })
  }

  async #prepare(player: PlayerId, work: (tx: ItemTransaction) => Result<void>): Promise<Result<void>> {
    // without a world nothing may reach the inbox either
    if (this.#parts.lane.mode === 'off') return this.#parts.lane.settle(player)
    const done = await this.#parts.store.update(player, work)
    return done.ok ? done.value : done
  }
}

/** The line that scripts read. */
export const itemTestLine = ({ id, code, moved, rest }: ItemTestOutcome): string =>
  `item-test ${id} ${code === null ? 'done' : `failed ${code}`} moved=${moved} rest=${rest}`

/** The line of `item-test count`. */
export const itemCountLine = ({ inventory, inbox }: ItemCount): string =>
  `item-test count inventory=${inventory ?? 'offline'} inbox=${inbox}`
