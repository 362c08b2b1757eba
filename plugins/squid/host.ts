import type { Logger } from '../../lib/core/logger.js'
import type { SquidClient, SquidServer } from './types.js'

/** In English for everybody: language files are read later, and a client that logs in has told no language yet. */
const STARTING = 'The server is still starting, please try again in a moment.'

/** Ends connections that log in before the System is ready; returns what lets them in. */
export function refuseLogins(serv: SquidServer): () => void {
  const emit = serv._server.emit.bind(serv._server)
  const guarded = function (this: unknown, event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'playerJoin') return emit(event, ...args)
    const client = args[0] as SquidClient
    client.end(STARTING)
    return true
  }
  serv._server.emit = guarded
  return () => {
    // the method of the class is there again; a later wrapper of somebody else stays
    if (serv._server.emit === guarded) Reflect.deleteProperty(serv._server, 'emit')
  }
}

/** flying-squid's own log; its methods appear after plugins were loaded. */
export function squidLogger(serv: SquidServer): Logger {
  return {
    info: (message) => serv.info?.(`[system] ${message}`),
    warn: (message) => serv.warn?.(`[system] ${message}`),
    error: (message, cause) =>
      serv.err?.(`[system] ${message}${cause === undefined ? '' : `: ${describe(cause)}`}`),
  }
}

/** What was thrown, as text. It may be anything of an author's: describing it must not throw in its turn. */
function describe(cause: unknown): string {
  try {
    return String(cause instanceof Error ? (cause.stack ?? cause.message) : cause)
  } catch {
    return 'something that cannot be shown'
  }
}
