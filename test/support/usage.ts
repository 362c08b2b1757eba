/** A ledger of usage on a clock that is set by hand, and what it is stored in. */
import type { ModelPrice } from '../../lib/config/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Result } from '../../lib/core/result.js'
import type { ModelCharge } from '../../lib/agent/index.js'
import type { Usage } from '../../lib/pool/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { LedgerSaver, UsageLedger, type PriceTables, type UsageLimits } from '../../lib/usage/index.js'
import { FaultyDriver } from './faulty-driver.js'
import { RecordingLogger, somePlayer } from './kernel.js'

export const MODEL = 'test-model'

/** An entry of a price table, valid always and at all hours unless told otherwise. */
export const price = (over: Partial<ModelPrice> = {}): ModelPrice => ({
  model: MODEL,
  from: null,
  until: null,
  timeZone: 'UTC',
  windows: [],
  hit: 0.01,
  miss: 1,
  output: 2,
  ...over,
})

export const usageOf = (prompt: number, output: number, cached = 0, reasoning = 0): Usage => ({
  prompt,
  cached,
  output,
  reasoning,
})

export interface UsageSetup {
  readonly limits?: Partial<UsageLimits>
  readonly models?: readonly ModelPrice[]
  readonly startMs?: number
  readonly driver?: FaultyDriver
}

/** A ledger with the saver of one run; the driver outlives it. */
export function openUsage(setup: UsageSetup = {}) {
  const clock = new ManualClock(setup.startMs ?? Date.UTC(2026, 10, 30, 12))
  const logger = new RecordingLogger()
  const limits = {
    dailyModelCalls: 1_000,
    dailyTokens: 1e9,
    dailyCost: null as number | null,
    timeZone: 'UTC',
    ...setup.limits,
  }
  const prices: { -readonly [K in keyof PriceTables]: PriceTables[K] } = {
    currency: 'USD',
    models: setup.models ?? [price()],
    engines: [{ engine: 'deepseek', from: null, until: null, timeZone: 'UTC', thousand: 0.75 }],
  }
  const ledger = new UsageLedger({
    clock,
    logger,
    limits: () => limits,
    prices: () => prices,
    nameOf: (player) => `name-${player.slice(0, 4)}`,
  })
  const driver = setup.driver ?? new FaultyDriver()
  const saver = new LedgerSaver({ ledger, driver, clock, logger })
  const take = (player: PlayerId = somePlayer(), inputTokens = 100, outputTokens = 50, model = MODEL) =>
    ledger.take({ player, model, inputTokens, outputTokens })
  return { clock, logger, limits, prices, ledger, driver, saver, take }
}

/** A charge that was granted. */
export function granted(taken: Result<ModelCharge>): ModelCharge {
  if (!taken.ok) throw new Error(taken.failure.code)
  return taken.value
}
