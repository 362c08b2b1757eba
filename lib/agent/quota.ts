import type { PlayerId } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { Usage } from '../pool/index.js'

/** A model call before it is made: its worst case. */
export interface QuotaCall {
  readonly player: PlayerId
  /** For an event task or in the background: none of the player's own calls, and never all of the places. */
  readonly isEvent?: boolean
  /** The model's id as it is configured. */
  readonly model: string
  /** Most tokens of input that it can have: its UTF-8 bytes. */
  readonly inputTokens: number
  /** Most tokens that it may put out. */
  readonly outputTokens: number
}

/** A model call that is charged with its worst case, until it is closed by one of these; a second one does nothing. */
export interface ModelCharge {
  /** Charges what the call really used instead; without usage the worst case stays, marked as estimated. */
  settle(usage: Usage | null): void
  /** Takes back a call that never reached the provider. */
  refund(): void
}

/** What was used on the current day by all players. */
export interface DayUse {
  /** Calendar day, `2026-11-30`. */
  readonly day: string
  readonly calls: number
  readonly tokens: number
}

/** Daily quotas and caps of model calls. */
export interface ModelQuota {
  /**
   * Checks all quotas and charges the call, in one synchronous step: of calls that start together no two take the same
   * rest. Fails with `system:quota_player` or `quota_server`, and has charged nothing then.
   */
  take(call: QuotaCall): Result<ModelCharge>
  today(): DayUse
}
