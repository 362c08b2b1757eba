export { loadConfig } from './load.js'
export { readLenient } from './lenient.js'
export { CONFIG_SCHEMAS, type AccessConfig, type SystemConfig } from './schemas.js'
