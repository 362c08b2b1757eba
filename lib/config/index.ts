export { loadConfig } from './load.js'
export { readLenient } from './lenient.js'
export type {
  ModelPrice,
  ModelPricingConfig,
  PriceWindow,
  SearchPrice,
  SearchPricingConfig,
  TokenPrices,
} from './pricing.js'
export { CONFIG_SCHEMAS, type AccessConfig, type StorageConfig, type SystemConfig } from './schemas.js'
