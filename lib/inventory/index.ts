export { entryLine, orderLine, type Audit, type AuditLine } from './audit.js'
export { type FaultPoint, type ItemLaneParts, type ItemMode } from './context.js'
export { type ItemCounts } from './draft.js'
export { type ExternalAnswer, type ExternalCosts } from './external.js'
export { itemCountLine, ItemTest, itemTestLine } from './item-test.js'
export { ItemLane } from './lane.js'
export { mergeLines, ownStacks, planGive, planTake } from './plan.js'
export {
  marksSchema,
  NO_MARKS,
  type FoundFile,
  type InventoryContent,
  type ItemLine,
  type Marks,
  type PlayerInventories,
  type PlayerInventory,
  type SaveOutcome,
  type SlotChange,
  type Slots,
  type Stack,
} from './port.js'
export { reconcile, type OnUnreadable, type Reconciliation } from './reconcile.js'
export {
  goodsSchema,
  INBOX,
  INVENTORY_LOG,
  MAX_BOOKED,
  NO_GOODS,
  ORDERS,
  shownPriceSchema,
  type Booked,
  type Goods,
  type InboxEntry,
  type ItemStorageType,
  type Order,
  type ResourceLine,
  type Sale,
  type ShownPrice,
} from './book.js'
export {
  addEntry,
  entryOf,
  isOpenEntry,
  isOpenOrder,
  leftOf,
  orderOf,
  owedId,
  reservedId,
  reserveOrder,
  type ItemChange,
  type ItemTransaction,
  type ItemView,
  type NewEntry,
  type PlayerTransactions,
} from './records.js'
