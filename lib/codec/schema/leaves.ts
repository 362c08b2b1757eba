/** Schemas whose values have no parts. */
import type { z } from 'zod'
import { hasLoneSurrogate } from '../nbt/modified-utf8.js'
import { NullableNode } from './lists.js'
import { checksOf, unfit, type Checks, type Node } from './node.js'
import {
  bigintNode,
  booleanNode,
  bytesNode,
  jsonNode,
  nullNode,
  NUMBER_FORMATS,
  numberNode,
  stringNode,
  undefinedNode,
} from './scalars.js'
import { UnionNode } from './unions.js'
import { checkedNode } from './wrappers.js'

const FORMATS = ['int32', 'uint32', 'safeint', 'float32', 'float64'] as const

/** By its narrowest format; the check of that one is the node's own. */
function plainNumber(checks: Checks): Node {
  const formatOf = (check: Checks[number]): unknown => (check._zod.def as { format?: unknown }).format
  const isFormat = (check: Checks[number]): boolean => check._zod.def.check === 'number_format'
  const named = new Set(checks.filter(isFormat).map(formatOf))
  const format = FORMATS.find((name) => named.has(name)) ?? 'float64'
  return numberNode(
    NUMBER_FORMATS[format],
    checks.filter((check) => !isFormat(check) || formatOf(check) !== format),
  )
}

/** Values that a literal or an enum names: each kind as its own type. */
function namedValues(values: ReadonlySet<unknown>): Node {
  if ([...values].some((value) => typeof value === 'string' && hasLoneSurrogate(value)))
    unfit('a literal with half a character')
  const of = (type: string): unknown[] => [...values].filter((value) => typeof value === type)
  const numbers = of('number') as number[]
  const isInt = numbers.every((value) => (value | 0) === value)
  const nodes = [
    ...(of('string').length > 0 ? [stringNode([], (text) => values.has(text))] : []),
    ...(numbers.length > 0
      ? [numberNode(NUMBER_FORMATS[isInt ? 'int32' : 'any'], [], (value) => values.has(value))]
      : []),
    ...(of('boolean').length > 0 ? [booleanNode([], (value) => values.has(value))] : []),
    ...(of('bigint').length > 0 ? [bigintNode([], (value) => values.has(value))] : []),
    ...(values.has(undefined) ? [undefinedNode] : []),
  ]
  const union = new UnionNode()
  union.fill(
    nodes.map((node) => ({ node, values: null })),
    null,
  )
  const [only = nullNode] = nodes
  const node = nodes.length > 1 ? union : only
  return values.has(null) && node !== nullNode ? new NullableNode(node) : node
}

/** Only a custom schema itself knows what it takes: it is asked with bytes. What takes none is a text. */
function customNode(schema: z.core.$ZodCustom, checks: Checks): Node {
  const takes = (value: unknown): boolean => {
    try {
      return Boolean(schema._zod.def.fn(value))
    } catch {
      return false
    }
  }
  if (!takes(new Uint8Array())) return stringNode(checks)
  return takes('') || takes({}) ? unfit('a custom schema that takes anything') : bytesNode(checks)
}

const LEAVES: { readonly [type: string]: (checks: Checks, schema: z.core.$ZodType) => Node } = {
  string: (checks) => stringNode(checks),
  template_literal: (checks, schema) => {
    const { pattern } = (schema as z.core.$ZodTemplateLiteral)._zod
    return stringNode(checks, (text) => !hasLoneSurrogate(text) && pattern.test(text))
  },
  number: plainNumber,
  nan: (checks) => numberNode(NUMBER_FORMATS.nan, checks),
  bigint: (checks) => bigintNode(checks),
  boolean: (checks) => booleanNode(checks),
  null: (checks) => checkedNode(nullNode, checks),
  undefined: (checks) => checkedNode(undefinedNode, checks),
  literal: (checks, schema) => checkedNode(namedValues(schema._zod.values ?? new Set()), checks),
  enum: (checks, schema) => checkedNode(namedValues(schema._zod.values ?? new Set()), checks),
  custom: (checks, schema) => customNode(schema as z.core.$ZodCustom, checks),
  unknown: (checks) => checkedNode(jsonNode, checks),
  any: (checks) => checkedNode(jsonNode, checks),
}

/** The node of a schema whose values have no parts; null for others. */
export function leafNode(schema: z.core.$ZodType): Node | null {
  return LEAVES[schema._zod.def.type]?.(checksOf(schema), schema) ?? null
}
