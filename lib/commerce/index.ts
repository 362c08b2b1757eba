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
export { Prices, type Asked, type Price } from './price.js'
export { QUOTE_MS, Quotes, type Quote } from './quotes.js'
export { Trade, type Preview, type Seller } from './trade.js'
