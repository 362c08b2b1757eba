import type { Clock } from '../../lib/core/clock.js'
import type { FailureCode } from '../../lib/core/failure.js'
import { silentLogger, type Logger } from '../../lib/core/logger.js'
import type { Result } from '../../lib/core/result.js'
import {
  Databases,
  MemoryDriver,
  PlayerStore,
  StorageTypes,
  type AnyStorage,
  type StorageDriver,
  type StoreLimits,
} from '../../lib/storage/index.js'
import { ManualClock } from '../../lib/testing/index.js'

export const LIMITS: StoreLimits = {
  businessBytes: 4_194_304,
  chatBytes: 2_097_152,
  chatRounds: 200,
  conversations: 20,
  conversationDays: 90,
  receiptBytes: 786_432,
  eventTaskBytes: 262_144,
}

/** A store of its own over a memory driver, or the one given. */
export function openStore(
  parts: {
    readonly types?: readonly AnyStorage<unknown>[]
    readonly driver?: StorageDriver
    readonly limits?: StoreLimits
    readonly clock?: Clock
    readonly logger?: Logger
  } = {},
) {
  const driver = parts.driver ?? new MemoryDriver()
  const types = new StorageTypes()
  for (const type of parts.types ?? []) types.add(type)
  const limits = { ...(parts.limits ?? LIMITS) }
  const clock = parts.clock ?? new ManualClock()
  const databases = new Databases({ driver, clock, maxBytes: () => 1_000_000 })
  const store = new PlayerStore({
    driver,
    types,
    limits: () => limits,
    removeDatabase: (player) => databases.remove(player),
    clock,
    logger: parts.logger ?? silentLogger,
  })
  return { store, driver, limits, databases }
}

/** The value of a success; anything else ends the test. */
export function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(result.failure.code, { cause: result.failure.cause })
}

/** The code of a failure, or `ok`. */
export const codeOf = (result: Result<unknown>): FailureCode | 'ok' =>
  result.ok ? 'ok' : result.failure.code
