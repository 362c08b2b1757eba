import { z } from 'zod'

type Schema = z.core.$ZodType

/**
 * Where a schema has a check of its author's (`refine`, `superRefine`, `check`) without a describing text: such as
 * `input.query`; null when there is none. JSON Schema drops the check, so that a model could only learn of it by failing.
 * The text stands on the schema itself or on what wraps it: `z.string().refine(…).optional().describe('…')`.
 */
export function undescribedRefinement(schema: Schema, name: string): string | null {
  const seen = new Set<Schema>()
  const visit = (schema: Schema, path: string, isDescribed: boolean): string | null => {
    const described = isDescribed || z.globalRegistry.get(schema)?.description !== undefined
    const { checks } = schema._zod.def
    const isRefined = checks?.some((check) => check._zod.def.check === 'custom') === true
    if (isRefined && !described) return path
    if (seen.has(schema)) return null
    seen.add(schema)
    for (const [key, inner, isWrapped] of innerSchemas(schema)) {
      const found = visit(inner, key === '' ? path : `${path}.${key}`, isWrapped && described)
      if (found !== null) return found
    }
    return null
  }
  return visit(schema, name, false)
}

/** Members of a definition that stand for the value itself rather than a part of it. */
const WRAPPED: ReadonlySet<string> = new Set(['innerType', 'in', 'out', 'options', 'left', 'right', 'getter'])

type Inner = readonly [key: string, schema: Schema, isWrapped: boolean]

function innerSchemas(schema: Schema): readonly Inner[] {
  const found: Inner[] = []
  for (const [member, value] of Object.entries(schema._zod.def) as [string, unknown][]) {
    const isWrapped = WRAPPED.has(member)
    const given = member === 'getter' && typeof value === 'function' ? (value as () => unknown)() : value
    if (isSchema(given)) found.push([isWrapped ? '' : member, given, isWrapped])
    else if (Array.isArray(given))
      for (const [at, inner] of given.entries())
        if (isSchema(inner)) found.push([isWrapped ? '' : String(at), inner, isWrapped])
    if (member === 'shape' && typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) if (isSchema(inner)) found.push([key, inner, false])
  }
  return found
}

const isSchema = (value: unknown): value is Schema => value instanceof z.core.$ZodType
