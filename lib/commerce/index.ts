export {
  catalogueType,
  commerceRegistries,
  visible,
  weightOf,
  type Catalogue,
  type CommerceRegistries,
  type Offer,
  type Pool,
  type Prize,
  type SigninReward,
  type Sold,
} from './catalogue.js'
export { confirmModule, confirmTool, confirmToolType, replaced, type ConfirmAction } from './confirming.js'
export {
  cardPriceSchema,
  cardThingSchema,
  Display,
  iconOf,
  priceValue,
  thingValue,
  worded,
  type CardPrice,
  type CardThing,
} from './display.js'
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
  failureCodeSchema,
  orderCardType,
  orderData,
  orderDataSchema,
  ORDERS_MODULE,
  stateLine,
  type OrderData,
} from './order-card.js'
export { Prices, type Asked, type Price } from './price.js'
export { QUOTE_MS, Quotes, type Quote } from './quotes.js'
export { Trade, type Preview, type Seller } from './trade.js'
