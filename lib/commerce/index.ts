export {
  catalogueType,
  commerceRegistries,
  weightOf,
  type Catalogue,
  type CommerceRegistries,
  type Offer,
  type Pool,
  type Prize,
  type SigninReward,
} from './catalogue.js'
export { catalogueState, type CatalogueState } from './catalogue-state.js'
export { confirmModule, confirmTool, confirmToolType, replaced, type ConfirmAction } from './confirming.js'
export { cardPriceSchema, cardThingsSchema, Display, thingValue, worded, type CardThing } from './display.js'
export { commerceFeature } from './feature.js'
export type { Market } from './market.js'
export { oddsMessage } from './odds.js'
export {
  asks,
  confirmButtons,
  failureLines,
  hasWords,
  pictured,
  priceLines,
  soldEntry,
  soldOf,
  soldSchema,
  thingLines,
  type SoldCard,
} from './offer-cards.js'
export {
  CLAIM_MODULE,
  claimButtons,
  failureCodeSchema,
  orderCardType,
  orderData,
  orderDataSchema,
  ORDERS_MODULE,
  stateText,
  type OrderData,
} from './order-card.js'
export { Prices } from './price.js'
export { Quotes } from './quotes.js'
export { Trade, type Seller } from './trade.js'
