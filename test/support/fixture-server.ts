/** The server that programs of fixtures run. */
import { createRequire } from 'node:module'
import type { SquidServer } from '../../plugins/squid/types.js'

const require = createRequire(import.meta.url)
const squid = require('flying-squid') as { createMCServer(settings: unknown): SquidServer }
const defaults = require('flying-squid/config/default-settings.json') as Record<string, unknown>

/** A server of the default version on a free port, superflat and silent; `over` wins. */
export const fixtureServer = (over: Readonly<Record<string, unknown>>): SquidServer =>
  squid.createMCServer({
    ...defaults,
    version: '1.21.4',
    port: 0,
    'online-mode': false,
    logging: false,
    generation: { name: 'superflat', options: { worldHeight: 80 } },
    plugins: {},
    ...over,
  })
