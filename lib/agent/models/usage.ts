import type { Usage } from '../../pool/index.js'
import type { ProviderRow, UsagePath } from './provider.js'

/** More than any context holds: a larger count is nonsense and must not eat up a quota. */
const LARGEST_COUNT = 10_000_000

/** A count as providers write it: a whole number, or its digits as text. Null when it is neither. */
function readCount(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= LARGEST_COUNT
    ? number
    : null
}

function follow(value: unknown, path: UsagePath): unknown {
  let here = value
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined
    here = (here as Record<string, unknown>)[key]
  }
  return here
}

function firstCount(value: unknown, paths: readonly UsagePath[]): number | null {
  for (const path of paths) {
    const count = readCount(follow(value, path))
    if (count !== null) return count
  }
  return null
}

/**
 * A provider's `usage` as whole numbers. Null when prompt or output are missing or nonsense (then the caller charges
 * its reservation); a prompt of 0 is nonsense too, for no request is empty. Nonsense in a part only is cut to what
 * is possible: `cached` to 0..prompt, `reasoning` to 0..output.
 */
export function decodeUsage(raw: unknown, row: ProviderRow): Usage | null {
  const hits = firstCount(raw, row.cached)
  const misses = firstCount(raw, row.missed)
  const prompt =
    readCount(follow(raw, ['prompt_tokens'])) ?? (hits !== null && misses !== null ? hits + misses : null)
  const output = firstCount(raw, row.output)
  if (prompt === null || prompt === 0 || output === null) return null
  const reasoning = readCount(follow(raw, ['completion_tokens_details', 'reasoning_tokens']))
  return {
    prompt,
    cached: Math.min(hits ?? 0, prompt),
    output,
    reasoning: Math.min(reasoning ?? 0, output),
  }
}
