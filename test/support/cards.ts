import { playerId, type IdSource, type RequestId } from '../../lib/core/ids.js'
import type { Clock } from '../../lib/core/clock.js'

export const ALICE = playerId('00000000-0000-4000-8000-00000000000a')
export const BOB = playerId('00000000-0000-4000-8000-00000000000b')

/** Ids that count: `t1`, `t2`, … */
export function countingIds(): IdSource {
  let last = 0
  return {
    requestId: () => `00000000-0000-4000-8000-${String((last += 1)).padStart(12, '0')}` as RequestId,
    token: () => `t${(last += 1)}`,
  }
}

/** A clock that stands until it is moved. */
export function standingClock(): Clock & { advance(ms: number): void } {
  let at = 1_000
  const never = (): never => {
    throw new Error('no timer expected')
  }
  return {
    now: () => at,
    monotonic: () => at,
    after: never,
    every: never,
    advance: (ms) => (at += ms),
  }
}
