/** What a failure code promises to whoever handles it. */
interface FailureTraits {
  /** Asking again later, unchanged, may succeed. */
  readonly retryable?: true
  /** The asker has no right to it: ends a request at once, without a last word or compensation. */
  readonly authorization?: true
  /** A reasoning loop that holds evidence may still write its final answer after it. */
  readonly recoverable?: true
  /** Names of the parameters its text may show. Values are inserted once, as plain text. */
  readonly params?: readonly string[]
}

/**
 * Every way in which something can fail: the closed set. docs/ERRORS.md and the `failure.*` keys of each
 * language file are proven equal to it by test/docs.test.ts.
 */
export const FAILURES = {
  // the server and the player's right to ask
  'system:stopping': { retryable: true },
  'system:not_bound': { authorization: true },
  'system:system_missing': { authorization: true },
  'system:player_not_bound': { params: ['player'] },
  'system:player_unusable': { params: ['player', 'code'] },
  'system:revoke_failed': { retryable: true, params: ['player', 'code'] },
  'system:already_bound': { params: ['player', 'system'] },
  'system:bound_other': { params: ['player', 'system'] },
  'system:unknown_system': { params: ['system'] },
  'system:no_permission': { authorization: true },
  'system:module_closed': { authorization: true },
  'system:unknown_module': { params: ['module'] },
  'system:players_only': { authorization: true },
  'system:unknown_player': { params: ['player'] },
  // commands and input
  'system:unknown_command': { params: ['input', 'position'] },
  'system:bad_argument': { params: ['argument', 'input', 'position'] },
  'system:missing_argument': { params: ['usage'] },
  'system:input_too_long': { params: ['limit'] },
  'system:rate_limited': { retryable: true },
  'system:token_unknown': {},
  'system:token_used': {},
  'system:token_expired': {},
  'system:token_outdated': {},
  'system:card_waiting': { retryable: true },
  'system:nothing_to_cancel': {},
  'system:not_understood': {},
  'system:unknown_item': { params: ['query'] },
  'system:no_recipe': { params: ['query'] },
  // admission and the life of a request
  'system:busy': { retryable: true },
  'system:request_active': { retryable: true },
  'system:cancelled': { authorization: true },
  'system:revoked': { authorization: true },
  'system:disconnected': { authorization: true },
  'system:forgotten': { authorization: true },
  'system:deadline': { retryable: true },
  'system:worker_lost': { retryable: true },
  'system:protocol': {},
  'system:internal': {},
  // files
  'system:storage_failed': { retryable: true },
  'system:storage_unknown': { retryable: true },
  'system:storage_conflict': { retryable: true },
  'system:storage_full': {},
  'system:storage_too_large': {},
  'system:storage_unreadable': {},
  'system:storage_invalid': {},
  'system:storage_newer': {},
  'system:storage_locked': { retryable: true },
  'system:receipt_mismatch': {},
  'system:result_gone': {},
  'system:pins_full': { params: ['limit'] },
  'system:pin_gone': {},
  'system:nothing_to_pin': {},
  'system:journal_full': { retryable: true },
  'system:no_world': {},
  // items
  'system:order_failed': {},
  'system:unknown_entry': {},
  'system:inbox_full': { retryable: true },
  'system:inventory_full': { retryable: true },
  'system:cost_missing': {},
  'system:payment_refused': {},
  'system:payment_unknown': {},
  'system:price_unknown': { retryable: true },
  'system:resource_full': {},
  'system:balance_refused': { params: ['player', 'resource', 'balance'] },
  'system:reward_unusable': {},
  'system:item_form': { params: ['item', 'member'] },
  'system:snbt': { params: ['line', 'column', 'reason'] },
  'system:quote_gone': {},
  'system:offer_gone': {},
  'system:offer_changed': {},
  'system:signed_in': {},
  'system:signin_future': {},
  'system:signin_empty': {},
  // what the player may have of a model
  'system:ai_off': { authorization: true },
  'system:ai_off_self': { authorization: true },
  'system:chat_off': { authorization: true },
  'system:chat_off_self': { authorization: true },
  // budgets
  'system:budget_model_calls': { recoverable: true },
  'system:budget_tool_calls': { recoverable: true },
  'system:budget_steps': { recoverable: true },
  'system:budget_write_steps': { recoverable: true },
  'system:budget_input_bytes': { recoverable: true },
  'system:budget_tokens': { recoverable: true },
  'system:loop_disabled': {},
  'system:quota_player': { retryable: true },
  'system:quota_server': { retryable: true },
  // the model
  'system:no_model': {},
  'system:model_unavailable': { retryable: true, recoverable: true },
  'system:model_timeout': { retryable: true, recoverable: true },
  'system:model_rate_limited': { retryable: true, recoverable: true },
  'system:model_refused': { recoverable: true },
  'system:model_auth': {},
  'system:model_balance': {},
  'system:model_breaker': { retryable: true },
  'system:model_empty': { retryable: true, recoverable: true },
  'system:model_truncated': { retryable: true, recoverable: true },
  'system:model_invalid': { retryable: true, recoverable: true },
  'system:model_filtered': { recoverable: true },
  'system:model_too_large': { recoverable: true },
  'system:model_withheld': {},
  // tools
  'system:unknown_tool': { params: ['tool'], recoverable: true },
  'system:tool_input': { params: ['tool', 'problem'], recoverable: true },
  'system:tool_failed': { params: ['tool'], recoverable: true },
  'system:tool_withheld': { params: ['tool'], recoverable: true },
  'system:tool_too_large': { params: ['tool'], recoverable: true },
  'system:incomplete': {},
} as const satisfies Record<`system:${string}`, FailureTraits>

/** A code of the closed set. */
export type FailureCode = keyof typeof FAILURES

/** Values that a failure's text shows: inserted literally, never scanned again. */
export type FailureParams = Readonly<Record<string, string | number>>

/** The one failure type. `cause` goes to the log only; players see the translated text of `code`. */
export interface Failure {
  readonly code: FailureCode
  readonly params: FailureParams
  readonly cause?: unknown
}

/** Makes a failure value. */
export function failure(code: FailureCode, params: FailureParams = {}, cause?: unknown): Failure {
  return cause === undefined ? { code, params } : { code, params, cause }
}

const traits = (code: FailureCode): FailureTraits => FAILURES[code]

/** Asking again later, unchanged, may succeed. */
export const isRetryable = (code: FailureCode): boolean => traits(code).retryable === true
/** The asker has no right to it (any more): ends a request at once. */
export const isAuthorization = (code: FailureCode): boolean => traits(code).authorization === true
/** A loop that holds evidence may still write its final answer after it. */
export const isRecoverable = (code: FailureCode): boolean => traits(code).recoverable === true
/** Whether an outside word is a code of the set. */
export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(FAILURES, code)

/** Carries a failure through `throw`, where a caller's flow must end (cancellation, lost authorization). */
export class FailureError extends Error {
  readonly failure: Failure
  constructor(value: Failure) {
    super(value.code, value.cause === undefined ? undefined : { cause: value.cause })
    this.name = 'FailureError'
    this.failure = value
  }
}

/**
 * Turns whatever was thrown into a failure: a carried one of the set as it is, all else `system:internal` with its cause.
 * Extensions may be plain JavaScript: a code may be a word of their own, and what is thrown may throw when it is looked at.
 */
export function toFailure(thrown: unknown): Failure {
  try {
    if (thrown instanceof FailureError && isFailureCode(thrown.failure.code)) return thrown.failure
  } catch {
    // a proxy, or an object that only looks like one
  }
  return failure('system:internal', {}, thrown)
}
