import { z } from 'zod'
import { tickSchema } from './tick-meter.js'

/** `bare`: flying-squid alone. `idle`: with the plugin. `active`: with the plugin, its threads started. */
export const SETUPS = ['bare', 'idle', 'active'] as const
export type Setup = (typeof SETUPS)[number]

/** How a measured server is started. */
export const serverArgumentSchema = z.strictObject({
  setup: z.enum(SETUPS),
  version: z.string(),
  players: z.int(),
  /** Holds all configuration files already: a first start would write them, and start a thread for that. */
  configFolder: z.string(),
  providerUrl: z.string(),
  sentencesPerSecond: z.number(),
})

/** `restMb`: resident memory without players; `active` has all thread groups started by then. */
export const readySchema = z.looseObject({ port: z.int(), restMb: z.number() })

/** What one measured window gave. */
export const measuredSchema = z.looseObject({
  ticks: z.array(tickSchema),
  /** Whether CPU and run-queue time of the main thread are known. */
  isExact: z.boolean(),
  /** Resident memory at its end, with all players there. */
  loadedMb: z.number(),
  seconds: z.number(),
  /** Requests under way at each tick. */
  requests: z.array(z.int()),
  sentences: z.looseObject({ routed: z.int(), local: z.int(), latenciesMs: z.array(z.number()) }),
  /** Tool calls, from the thread's question to the answer in the thread; `waitMs` of it in wait for a core. */
  tools: z.array(z.strictObject({ ms: z.number(), waitMs: z.number() })),
  /** Those of them that had to wait for a tick, the budget of theirs being spent. */
  toolsInTick: z.int(),
})
export type Measured = z.infer<typeof measuredSchema>
