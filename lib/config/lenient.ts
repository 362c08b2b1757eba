import type { z } from 'zod'
import { isJsonObject } from '../core/json.js'
import { objectInside } from './fields.js'

/** One field that fell back. */
export interface ConfigProblem {
  /** Dotted path of the field; empty for the whole file. */
  readonly path: string
  readonly reason: string
}

/** A configuration read as far as it could be. */
export interface LenientRead<T> {
  readonly value: T
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads a plain value field by field: one that is missing takes its default silently; one that is null, mistyped or out
 * of range falls back alone, and is named: to its value in `held`, without one to its default. A list or a map falls back
 * whole. Objects of the schema are read the same way inside. Every field must have a default. Unknown fields are named
 * and ignored (a typo is the likeliest reason for them).
 */
export function readLenient<S extends z.ZodObject>(
  schema: S,
  input: unknown,
  held?: z.infer<S>,
): LenientRead<z.infer<S>> {
  const problems: ConfigProblem[] = []
  const value = readObject(schema, input, { path: '', problems, held })
  return { value: value as z.infer<S>, problems }
}

interface Reading {
  readonly path: string
  readonly problems: ConfigProblem[]
  /** What is there while this place is bad; undefined: nothing yet. */
  readonly held: unknown
}

function readObject(schema: z.ZodObject, input: unknown, reading: Reading): unknown {
  if (input !== undefined && !isJsonObject(input)) {
    reading.problems.push({ path: reading.path, reason: 'must be an object' })
    if (reading.held !== undefined) return reading.held
  }
  const given = new Map(Object.entries(isJsonObject(input) ? input : {}))
  const value: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(schema.shape)) {
    const inside = {
      path: join(reading.path, key),
      problems: reading.problems,
      held: isJsonObject(reading.held) ? reading.held[key] : undefined,
    }
    const inner = objectInside(field)
    value[key] =
      inner === null
        ? readField(field as z.ZodType, given.get(key), inside)
        : readObject(inner, given.get(key), inside)
    given.delete(key)
  }
  for (const key of given.keys())
    if (key !== '$schema') reading.problems.push({ path: join(reading.path, key), reason: UNKNOWN_FIELD })
  return value
}

function readField(field: z.ZodType, given: unknown, { path, problems, held }: Reading): unknown {
  const parsed = field.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const inside = issue === undefined || issue.path.length === 0 ? '' : `at ${issue.path.join('.')}: `
  problems.push({ path, reason: `${inside}${issue?.message ?? 'invalid'}` })
  return held === undefined ? field.parse(undefined) : held
}

/** Such a field changes nothing. */
export const UNKNOWN_FIELD = 'unknown field'

const join = (above: string, key: string): string => (above === '' ? key : `${above}.${key}`)
