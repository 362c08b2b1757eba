export { player, server } from './system.js'
export type { SystemHandle, SystemState } from './squid/system-handle.js'
export * from '../lib/index.js'
