const SECONDS = /^\d{1,9}(\.\d+)?$/
/** IMF-fixdate of RFC 9110. `Date.parse` alone would read `-5` as a date. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Milliseconds that a `Retry-After` header asks to wait, from seconds or an HTTP date. Null when there is none, when
 * it is unreadable, negative or in the past.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000)
  if (!HTTP_DATE.test(text)) return null
  const waitMs = Date.parse(text) - nowMs
  return Number.isFinite(waitMs) && waitMs >= 0 ? waitMs : null
}
