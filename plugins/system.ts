import { Installation, type SystemHandle } from './squid/installation.js'
import type { SquidServer } from './squid/types.js'

/** One System per server; nothing is kept on flying-squid's objects but `serv.system`. */
const installations = new WeakMap<SquidServer, Installation>()

/**
 * flying-squid's hook for a server. Called when plugins are loaded, or at once by a late `serv.addPlugin`; before
 * 'pluginsReady' most of the server doesn't exist yet, so everything but registration waits for it.
 */
export function server(serv: SquidServer, serverSettings: unknown): void {
  if (installations.has(serv)) return
  // the hook is given the server's settings; our own stand in the plugin table, whatever name we got there
  const own = Object.values(serv.plugins).find((plugin) => plugin.server === server)
  const installation = new Installation(serv, { settings: own?.settings, serverSettings })
  installations.set(serv, installation)
  Object.defineProperty(serv, 'system', { value: installation satisfies SystemHandle, configurable: true })
}

/** flying-squid's hook for a player: nothing to do so early. It is here so that hosts see a complete plugin. */
export function player(): void {}
