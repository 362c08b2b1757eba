/** Players, their inventories and a market of their own in memory: real store, real lane, real trade. */
import { commerceRegistries, Display, Prices, Quotes, Trade, type Market } from '../../lib/commerce/index.js'
import type { Chance } from '../../lib/core/chance.js'
import { FailureError } from '../../lib/core/failure.js'
import { identifier, playerId, randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { silentLogger } from '../../lib/core/logger.js'
import { fail, ok, orThrow, type Result } from '../../lib/core/result.js'
import { CostTypes } from '../../lib/costs/index.js'
import {
  INBOX,
  INVENTORY_LOG,
  ItemLane,
  NO_MARKS,
  ORDERS,
  type AuditLine,
  type InventoryContent,
  type Marks,
  type PlayerInventory,
  type SaveOutcome,
  type SlotChange,
  type Stack,
} from '../../lib/inventory/index.js'
import { lotterySeller } from '../../lib/lottery/lottery-tools.js'
import { emptyContent, type Content, type Holder } from '../../lib/registry/index.js'
import { Bookkeeping, FEATURES, RESOURCES, RewardTypes } from '../../lib/rewards/index.js'
import { shopSeller } from '../../lib/shop/shop-tools.js'
import type { ModuleConfiguration } from '../../lib/systems/index.js'
import { contentOf } from '../support/content.js'
import { ManualClock } from '../support/manual-clock.js'
import { openStore } from '../support/player-store.js'

export const MAX_STACK = 64
const SLOTS = 46

const SAVED: SaveOutcome = { saved: true }
const empty = (): InventoryContent => ({
  slots: Array<Stack | null>(SLOTS).fill(null),
  xp: 0,
  marks: NO_MARKS,
})

/** One stay of a player: what is saved lies in `file`. */
class Inventory implements PlayerInventory {
  readonly player: PlayerId
  #live: InventoryContent
  readonly #save: (content: InventoryContent) => void

  constructor(player: PlayerId, content: InventoryContent, save: (content: InventoryContent) => void) {
    this.player = player
    this.#live = content
    this.#save = save
  }

  slots = (): InventoryContent['slots'] => this.#live.slots
  xp = (): number => this.#live.xp
  marks = (): Marks => this.#live.marks

  change(changes: readonly SlotChange[], xp = this.#live.xp): void {
    const slots = [...this.#live.slots]
    for (const { slot, stack } of changes) slots[slot] = stack
    this.#live = { ...this.#live, slots, xp }
  }

  setMarks(marks: Marks): void {
    this.#live = { ...this.#live, marks }
  }

  async save(): Promise<SaveOutcome> {
    await Promise.resolve()
    this.#save(this.#live)
    return SAVED
  }

  async saveAhead(content: InventoryContent): Promise<SaveOutcome> {
    await Promise.resolve()
    this.#save(content)
    return SAVED
  }

  release(marks: Marks): void {
    this.setMarks(marks)
  }
}

/** Everything of one kind of module, whatever the player. */
const configuration = (
  type: string,
  parameters: Record<string, unknown> = {},
): Holder<ModuleConfiguration> => ({
  id: identifier(`test:${type}`),
  value: { type: identifier(`system:${type}`), parameters, condition: null, client: null },
})

export class MarketWorld {
  readonly clock = new ManualClock()
  readonly costs = new CostTypes()
  readonly rewards = new RewardTypes()
  readonly registries = commerceRegistries(this.costs, this.rewards)
  readonly store
  readonly lane: ItemLane
  readonly trade: Trade
  readonly quotes: Quotes
  readonly shop = shopSeller({ registries: this.registries })
  readonly lottery = lotterySeller({ registries: this.registries })
  readonly audit: AuditLine[] = []
  readonly lives = new Map<PlayerId, number>()
  open: readonly Holder<ModuleConfiguration>[] = [configuration('shop'), configuration('lottery')]
  #content: Content = emptyContent([])
  readonly #files = new Map<PlayerId, InventoryContent>()
  readonly #here = new Map<PlayerId, Inventory>()

  constructor(chance: Chance, unknown: ReadonlySet<string> = new Set()) {
    const types = [INBOX, ORDERS, INVENTORY_LOG, RESOURCES, FEATURES]
    this.store = openStore({ types, clock: this.clock }).store
    const inventories = {
      find: (player: PlayerId) => this.#here.get(player) ?? null,
      maxStack: () => MAX_STACK,
    }
    const lifeOf = (player: PlayerId): number => this.lives.get(player) ?? 0
    this.quotes = new Quotes({ clock: this.clock, ids: randomIds, lives: { lifeOf } })
    const kept: Market['kept'] = (player) => this.store.online(player)
    this.trade = new Trade({
      clock: this.clock,
      chance,
      costs: this.costs,
      rewards: this.rewards,
      prices: new Prices(this.costs, this.clock),
      quotes: this.quotes,
      forms: {
        lineOf: ({ item, count }) =>
          unknown.has(item) ? fail('system:unknown_item', { query: item }) : ok({ item, count, data: '' }),
      },
      inventories,
      lane: () => this.lane,
      kept,
      content: () => this.#content,
      open: () => this.open,
      tell: (line) => void this.audit.push(line),
    })
    this.lane = new ItemLane({
      mode: 'exactly-once',
      inventories,
      store: this.store,
      ids: randomIds,
      clock: this.clock,
      logger: silentLogger,
      onUnreadable: () => 'refuse',
      external: this.trade,
      changed: new Bookkeeping(this.rewards, silentLogger).changed,
      audit: (line) => void this.audit.push(line),
    })
  }

  get display(): Display {
    return new Display({ rewards: this.rewards, nameOf: (item) => item, hasText: () => false })
  }

  /** What packs hold from now on. */
  async packs(entries: Record<string, Record<string, Json>>, tags = {}): Promise<void> {
    const { rewards, offers, pools } = this.registries
    this.#content = await contentOf([rewards, offers, pools], { entries, tags })
  }

  async login(player: PlayerId): Promise<void> {
    const file = this.#files.get(player) ?? null
    orThrow(await this.store.attach(player))
    const found = { exists: file !== null, isReadable: true, marks: file?.marks ?? null }
    const { marks } = orThrow(await this.lane.login(player, found))
    const save = (content: InventoryContent): void => void this.#files.set(player, content)
    this.#here.set(player, new Inventory(player, { ...(file ?? empty()), marks }, save))
  }

  async logout(player: PlayerId): Promise<void> {
    orThrow(await this.lane.alone(player, async () => ok(await this.#here.get(player)?.save())))
    this.#here.delete(player)
    this.quotes.forget(player)
    this.store.detach(player)
  }

  inventory(player: PlayerId): Inventory {
    const found = this.#here.get(player)
    if (found === undefined) throw new Error('not here')
    return found
  }

  /** Confirms a quote as the write tools do. */
  confirm(
    seller: MarketWorld['shop'] | MarketWorld['lottery'],
    player: PlayerId,
    quote: string,
  ): Promise<Result<string>> {
    const commit = async <T>(change: (tx: never) => T): Promise<T> =>
      orThrow(await this.store.update(player, change as () => T))
    const done = this.trade.purchase(seller as MarketWorld['shop'], { player, commit }, quote)
    return done.catch((thrown: unknown) => {
      if (thrown instanceof FailureError) return { ok: false, failure: thrown.failure }
      throw thrown
    })
  }
}

export const playerOf = (number: number): PlayerId =>
  playerId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
