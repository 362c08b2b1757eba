import { BINDING } from '../../lib/binding/index.js'
import { PINS, REPLAYS, ROUNDS } from '../../lib/conversation/index.js'
import { INBOX, INVENTORY_LOG, ORDERS, type PlayerTransactions } from '../../lib/inventory/index.js'
import { PERMISSION, SWITCHES, TOLD } from '../../lib/preferences/index.js'
import { FEATURES, RESOURCES } from '../../lib/rewards/index.js'
import { SIGNIN } from '../../lib/signin/index.js'
import {
  EVENT_TASKS,
  RECEIVED,
  REQUESTS,
  STEP_RECEIPTS,
  StorageTypes,
  type PlayerStore,
} from '../../lib/storage/index.js'
import { OVERRIDES } from '../../lib/systems/index.js'

/** Everything that the System itself keeps of a player. */
export function builtInTypes(): StorageTypes {
  return new StorageTypes()
    .add(BINDING)
    .add(OVERRIDES)
    .add(INBOX)
    .add(ORDERS)
    .add(INVENTORY_LOG)
    .add(RESOURCES)
    .add(FEATURES)
    .add(SIGNIN)
    .add(REQUESTS)
    .add(RECEIVED)
    .add(STEP_RECEIPTS)
    .add(EVENT_TASKS)
    .add(ROUNDS)
    .add(REPLAYS)
    .add(PINS)
    .add(SWITCHES)
    .add(PERMISSION)
    .add(TOLD)
}

/** The player store as the item lane asks for it. */
export const itemTransactions = (store: PlayerStore): PlayerTransactions => ({
  readAgain: (player) => store.readAgain(player),
  read: (player) => store.read(player),
  update: (player, change) => store.update(player, change),
})
