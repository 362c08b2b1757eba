import { Bindings, type DefinedSystems } from '../../lib/binding/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import { randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import {
  ItemLane,
  ItemTest,
  type Audit,
  type ExternalCosts,
  type ItemLaneParts,
  type PlayerInventories,
} from '../../lib/inventory/index.js'
import type { Bookkeeping } from '../../lib/rewards/index.js'
import { Databases, PlayerStore, type StorageDriver, type StorageTypes } from '../../lib/storage/index.js'
import { itemTransactions } from './kept.js'

/** What is kept of players, and what is moved between them and their inventories. */
export interface PlayerData {
  readonly store: PlayerStore
  /** Tables of the server and private ones of players. */
  readonly databases: Databases
  readonly items: {
    readonly lane: ItemLane
    readonly test: ItemTest
    readonly inventories: PlayerInventories
  }
  readonly bindings: Bindings
}

/** Opens all that is kept in the records of a driver. Ends the registration of storage types. */
export function openPlayerData(parts: {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly driver: StorageDriver
  readonly types: StorageTypes
  readonly items: Pick<ItemLaneParts, 'mode' | 'inventories' | 'fault'>
  /** What items and orders pull along. */
  readonly commerce: {
    readonly trade: ExternalCosts
    readonly bookkeeping: Pick<Bookkeeping, 'changed'>
    readonly audit: { readonly write: Audit }
  }
  readonly systems: DefinedSystems
}): PlayerData {
  const { live, clock, logger, driver, types, systems } = parts
  const limits = () => live.config['system-storage']
  const databases = new Databases({ driver, clock, maxBytes: () => limits().databaseBytes })
  const removeDatabase = (player: PlayerId) => databases.remove(player)
  const store = new PlayerStore({ driver, types, limits, removeDatabase, clock, logger })
  const { inventories } = parts.items
  const transactions = itemTransactions(store)
  const lane = new ItemLane({
    ...parts.items,
    store: transactions,
    external: parts.commerce.trade,
    changed: parts.commerce.bookkeeping.changed,
    audit: parts.commerce.audit.write,
    ids: randomIds,
    clock,
    logger,
    onUnreadable: () => limits().onUnreadable,
  })
  const test = new ItemTest({ lane, store: transactions, inventories, ids: randomIds })
  return {
    store,
    databases,
    items: { lane, test, inventories },
    bindings: new Bindings({ store, clock, ...systems }),
  }
}
