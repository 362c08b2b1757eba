import { systemClock } from '../lib/core/clock.js'
import { Installation, type InstallationParts } from './squid/installation.js'
import type { SystemHandle } from './squid/system-handle.js'
import type { SquidServer } from './squid/types.js'

/** One System per server; nothing is kept on flying-squid's objects but `serv.system`. */
const installations = new WeakMap<SquidServer, Installation>()

/** flying-squid's hook for a server. */
type ServerHook = (serv: SquidServer, serverSettings: unknown) => void

/** What a hook can be made with: a clock that a test moves, other worker files, a place to end the process. */
type HookParts = Pick<InstallationParts, 'clock' | 'workersUrl' | 'fault' | 'chance'>

/** The hook of a System with those parts. */
export function serverHook(parts: HookParts): ServerHook {
  const hook: ServerHook = (serv, serverSettings) => {
    if (installations.has(serv)) return
    // the hook is given the server's settings; our own stand in the plugin table, whatever name we got there
    const given = Object.values(serv.plugins).find((plugin) => plugin.server === hook)?.settings
    const installation = new Installation({ ...parts, serv, given, serverSettings })
    installations.set(serv, installation)
    Object.defineProperty(serv, 'system', { value: installation satisfies SystemHandle, configurable: true })
  }
  return hook
}

/**
 * Called when plugins are loaded, or at once by a late `serv.addPlugin`; before 'pluginsReady' most of the server
 * doesn't exist yet, so everything but registration waits for it.
 */
export const server: ServerHook = serverHook({ clock: systemClock })

/** flying-squid's hook for a player: nothing to do so early. It is here so that hosts see a complete plugin. */
export function player(): void {}
