import type { z } from 'zod'
import type { NbtReader } from '../nbt/reader.js'
import { NbtError, type TagType } from '../nbt/tag.js'
import type { NbtWriter } from '../nbt/writer.js'

/** Kinds of plain values, as bits. */
export const Kind = {
  String: 1,
  Number: 2,
  Boolean: 4,
  BigInt: 8,
  Object: 16,
  List: 32,
  Bytes: 64,
  Null: 128,
  Any: 255,
} as const

const PRIMITIVES: Readonly<Record<string, number>> = {
  string: Kind.String,
  number: Kind.Number,
  boolean: Kind.Boolean,
  bigint: Kind.BigInt,
}

/** The bit of a value's kind; 0 for what no node writes. */
export function kindOf(value: unknown): number {
  if (value === null) return Kind.Null
  if (typeof value !== 'object') return PRIMITIVES[typeof value] ?? 0
  if (Array.isArray(value)) return Kind.List
  return value instanceof Uint8Array ? Kind.Bytes : Kind.Object
}

/** What is read where a member is missing; `undefined`: it stays missing. */
export type Absent = () => unknown

/** One schema, ready to write its values and to read them. Refusals are thrown as NbtErrors. */
export interface Node {
  /** Bit n: a value may become a tag of type n. More than one where a union leaves it open. */
  readonly tags: number
  /** Kinds of its values, as bits. */
  readonly kinds: number
  /** Null where a value must be there. */
  readonly absent: Absent | null
  /** Writes the payload and gives its type. Checks the value on the way. */
  write(out: NbtWriter, value: unknown): TagType
  /** Reads a payload of this type. */
  read(source: NbtReader, type: number): unknown
}

export const tagBit = (type: TagType): number => 1 << type
/** The one type that a node writes; null when there are several. */
export const onlyType = (tags: number): TagType | null =>
  tags !== 0 && (tags & (tags - 1)) === 0 ? ((31 - Math.clz32(tags)) as TagType) : null

export function refuse(message: string): never {
  throw new NbtError(message)
}

export type Checks = readonly z.core.$ZodCheck<unknown>[]

/** The checks that a schema makes beyond its type, those that its own format stands for among them. */
export function checksOf(schema: z.core.$ZodType): Checks {
  const own = schema._zod.traits.has('$ZodCheck') ? [schema as unknown as Checks[number]] : []
  const checks = [...own, ...((schema._zod.def.checks ?? []) as unknown as Checks)]
  if (checks.some((check) => check._zod.def.check === 'overwrite')) unfit('a schema that changes its values')
  return checks
}

/** Runs checks as zod does; the first issue refuses the value. */
export function runChecks(checks: Checks, value: unknown): void {
  for (const check of checks) {
    const payload: z.core.ParsePayload = { value, issues: [] }
    const { when } = check._zod.def
    if (when !== undefined && !when(payload)) continue
    const pending = check._zod.check(payload)
    if (pending instanceof Promise) {
      pending.catch(() => undefined)
      refuse('a check that answers later')
    }
    const [issue] = payload.issues
    if (issue !== undefined) {
      const error = new NbtError(issue.message ?? issue.code ?? 'refused by a check')
      error.path.push(...(issue.path ?? []).map((key) => (typeof key === 'number' ? key : String(key))))
      throw error
    }
    if (!Object.is(payload.value, value)) refuse('a check that changes the value')
  }
}

/** Puts the place into an error that passes it, and throws it on. */
export function rethrowAt(error: unknown, key: string | number): never {
  if (error instanceof NbtError) error.path.unshift(key)
  throw error
}

/** Refuses a schema while its codec is built. */
export function unfit(what: string): never {
  throw new TypeError(`${what} can’t be stored`)
}
