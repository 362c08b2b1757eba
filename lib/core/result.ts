import { failure, FailureError, type Failure, type FailureCode, type FailureParams } from './failure.js'

/** An expected outcome as a value: either the thing asked for or the one failure type. */
export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** A success. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
/** A failure from its code. */
export const fail = (code: FailureCode, params: FailureParams = {}, cause?: unknown): Result<never> => ({
  ok: false,
  failure: failure(code, params, cause),
})

/** The value, where a caller's flow ends without it. Throws a FailureError. */
export function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new FailureError(result.failure)
}
