export { loadConfig, type ConfigSource, type LoadedConfig } from './load.js'
export { readLenient, type ConfigProblem, type LenientRead } from './lenient.js'
export {
  CONFIG_SCHEMAS,
  type AccessConfig,
  type AgentConfig,
  type ModelConfig,
  type SurfaceConfig,
  type SystemConfig,
} from './schemas.js'
