/** Extensions as tests register them, and a registration without a server. */
import { CostTypes } from '../../lib/costs/index.js'
import { RewardTypes } from '../../lib/rewards/index.js'
import { z } from 'zod'
import {
  failedResult,
  FAST_POLICY,
  serviceKey,
  TraceStream,
  type AgentModule,
  type Registration,
  type Tool,
} from '../../lib/agent/index.js'
import { failure } from '../../lib/core/failure.js'
import { identifier } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import { ManualClock } from '../../lib/testing/index.js'
import { Languages } from '../../lib/text/index.js'
import { registerAll, type Registered } from '../../plugins/squid/registering.js'

export const nothing = z.strictObject({})
export type Nothing = z.infer<typeof nothing>

export const tool = (id: string): Tool<Nothing, Nothing> => ({
  type: { id, input: nothing, output: nothing, kind: 'game', write: false },
  owner: identifier('my:plugin'),
  handler: () => ({}),
})
export const module = (over: Partial<AgentModule<Nothing>> = {}): AgentModule<Nothing> => ({
  id: identifier('my:module'),
  version: 1,
  action: nothing,
  description: 'x',
  help: { key: 'my.help' },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL' },
  execute: () => Promise.resolve(failedResult(failure('system:internal'))),
  ...over,
})
export const card = {
  id: identifier('my:card'),
  schema: nothing,
  build: () => ({ title: null, lines: [], buttons: [] }),
}

export const purse = {
  id: identifier('my:purse'),
  version: 1,
  schema: z.strictObject({ gold: z.int() }),
  empty: { gold: 0 },
}

export const shelf = {
  id: identifier('my:shelf'),
  folder: 'my/shelf',
  schema: z.strictObject({ books: z.int() }),
}
export type Shelf = typeof shelf
export const forget = (): void => {}

export type Extension = (registration: Registration) => unknown

export function run(
  extensions: readonly Extension[],
  strict = false,
): Registered & { log: string[]; languages: Languages } {
  const log: string[] = []
  const note = (line: string): void => void log.push(line)
  const logger: Logger = { info: note, warn: note, error: (line, cause) => note(`${line}: ${String(cause)}`) }
  const languages = new Languages(new Map([['en_us', { 'system.ours': 'ours' }]]))
  const features = [(registration: Registration) => registration.tool(tool('player.info'))]
  const clock = new ManualClock()
  const trace = new TraceStream({ clock, logger })
  const kinds = { costs: new CostTypes(), rewards: new RewardTypes() }
  return {
    ...registerAll({ ...kinds, features, extensions, languages, clock, logger, trace, strict }),
    log,
    languages,
  }
}

export const GREETER = serviceKey<(name: string) => string>('my:greeter')
export const chat = { id: identifier('my:chat'), answer: () => 'hello' }
