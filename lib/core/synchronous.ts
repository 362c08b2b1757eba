import { toFailure, type FailureCode } from './failure.js'
import { fail, type Result } from './result.js'

/**
 * What a closure of an author's gave that must answer at once. Throws a TypeError for a promise: nobody will wait for it,
 * so its rejection must not become an unhandled one, which ends a server.
 */
export function synchronous<T>(given: T): T {
  if (!(given instanceof Promise)) return given
  given.catch(() => {})
  throw new TypeError('a promise came where an answer was needed at once')
}

/** The answer of an author's closure. What goes wrong in it is a failure with this code: it must not reach the caller. */
export function guarded<T>(code: FailureCode, run: () => Result<T>): Result<T> {
  try {
    const answer = synchronous<Result<T>>(run())
    // an author's code may answer anything
    if (typeof (answer as Partial<Result<T>> | null | undefined)?.ok !== 'boolean')
      throw new TypeError('something came that is neither a value nor a failure')
    return answer
  } catch (thrown) {
    return fail(code, {}, toFailure(thrown))
  }
}
