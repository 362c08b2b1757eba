export { configJsonSchema, SCHEMA_FOLDER } from './json-schema.js'
export { readLenient } from './lenient.js'
export { LiveConfig, type Reload } from './live.js'
export { loadConfig, type ConfigSource, type LoadedConfig } from './load.js'
export type {
  ModelPrice,
  ModelPricingConfig,
  PriceWindow,
  SearchPrice,
  SearchPricingConfig,
  TokenPrices,
} from './pricing.js'
export {
  CONFIG_NAMES,
  CONFIG_SCHEMAS,
  type AccessConfig,
  type StorageConfig,
  type SystemConfig,
} from './schemas.js'
