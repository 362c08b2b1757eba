import { z } from 'zod'

/** One field that fell back to its default. */
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
 * of range takes its default alone, and is named. Objects of the schema are read the same way inside. Every field must
 * have a default. Unknown fields are named and ignored (a typo is the likeliest reason for them).
 */
export function readLenient<S extends z.ZodObject>(schema: S, input: unknown): LenientRead<z.infer<S>> {
  const problems: ConfigProblem[] = []
  const value = readObject(schema, input, { path: '', problems })
  return { value: value as z.infer<S>, problems }
}

interface Reading {
  readonly path: string
  readonly problems: ConfigProblem[]
}

function readObject(schema: z.ZodObject, input: unknown, reading: Reading): Record<string, unknown> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  if (!isObject && input !== undefined)
    reading.problems.push({ path: reading.path, reason: 'must be an object' })
  const given = new Map(Object.entries(isObject ? input : {}))
  const value: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(schema.shape)) {
    const path = reading.path === '' ? key : `${reading.path}.${key}`
    const inner = objectInside(field)
    value[key] =
      inner === null
        ? readField(field as z.ZodType, given.get(key), { ...reading, path })
        : readObject(inner, given.get(key), { ...reading, path })
    given.delete(key)
  }
  for (const key of given.keys()) {
    if (key === '$schema') continue
    reading.problems.push({
      path: reading.path === '' ? key : `${reading.path}.${key}`,
      reason: 'unknown field',
    })
  }
  return value
}

function readField(field: z.ZodType, given: unknown, reading: Reading): unknown {
  const parsed = field.safeParse(given)
  if (parsed.success) return parsed.data
  reading.problems.push({ path: reading.path, reason: parsed.error.issues[0]?.message ?? 'invalid' })
  return field.parse(undefined)
}

/** The object schema behind a field's default, if the field is an object of ours. */
function objectInside(field: unknown): z.ZodObject | null {
  if (field instanceof z.ZodObject) return field
  if (field instanceof z.ZodPrefault) return objectInside(field.def.innerType)
  return null
}
