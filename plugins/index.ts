export { player, server } from './system.js'
export type { SystemHandle, SystemState } from './squid/installation.js'
export * from '../lib/index.js'
