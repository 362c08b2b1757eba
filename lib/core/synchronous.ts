/**
 * What a closure of an author's gave that must answer at once. Throws a TypeError for a promise: nobody will wait for it,
 * so its rejection must not become an unhandled one, which ends a server.
 */
export function synchronous<T>(given: T): T {
  if (!(given instanceof Promise)) return given
  given.catch(() => {})
  throw new TypeError('a promise came where an answer was needed at once')
}
