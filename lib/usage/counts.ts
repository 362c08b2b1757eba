import { z } from 'zod'

const count = z.int().min(0)

/** What was used. All are whole numbers that JavaScript holds exactly. */
export const usageCountsSchema = z.strictObject({
  /** Model calls. */
  calls: count,
  /** Model calls of which nobody said what they used: charged with their worst case. */
  estimated: count,
  /** Calls and searches whose price isn't known; they are not part of `cost`. */
  unpriced: count,
  /** Web searches. */
  searches: count,
  /** Tokens of input, `cached` among them. */
  prompt: count,
  cached: count,
  /** Tokens of output, `reasoning` among them. */
  output: count,
  reasoning: count,
  /** Millionths of the currency's unit. */
  cost: count,
})
export type UsageCounts = z.infer<typeof usageCountsSchema>

/** Nothing used. */
export const NO_COUNTS: UsageCounts = {
  calls: 0,
  estimated: 0,
  unpriced: 0,
  searches: 0,
  prompt: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  cost: 0,
}

const FIELDS = Object.keys(NO_COUNTS) as readonly (keyof UsageCounts)[]

/** The sum, or with a sign of -1 the difference; never outside of what a whole number holds. */
export function addCounts(to: UsageCounts, more: UsageCounts, sign: 1 | -1 = 1): UsageCounts {
  const sum = { ...to }
  for (const field of FIELDS)
    sum[field] = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, sum[field] + sign * more[field]))
  return sum
}

/** Whether nothing was used. */
export const isNothing = (counts: UsageCounts): boolean => FIELDS.every((field) => counts[field] === 0)

/** Tokens of both directions. */
export const tokensOf = ({ prompt, output }: UsageCounts): number => prompt + output
