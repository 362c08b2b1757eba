import { z } from 'zod'
import type { Identifier } from '../core/ids.js'

const MAX_LENGTH = 256

/** An identifier as a schema. */
export const identifierSchema = z
  .string()
  .max(MAX_LENGTH)
  .regex(/^[a-z0-9_.-]+:[a-z0-9_./-]+$/, 'not an identifier') as unknown as z.ZodType<Identifier>

const withNamespace = (text: string): string =>
  text.startsWith('#') ? `#${withNamespace(text.slice(1))}` : text.includes(':') ? text : `minecraft:${text}`

/** With the namespace that a file left out it still has to be one. */
const isShort = (text: string): boolean => text.length <= MAX_LENGTH

/** An id as vanilla files write it: without a namespace it is `minecraft:`. */
export const vanillaIdSchema = z
  .string()
  .max(MAX_LENGTH)
  .regex(/^(?:[a-z0-9_.-]+:)?[a-z0-9_./-]+$/, 'not an identifier')
  .transform((text) => withNamespace(text) as Identifier)
  .refine(isShort, 'longer than an identifier')

/** An id, or a tag as `#id`, in the same form. */
export const namedSchema = z
  .string()
  .max(MAX_LENGTH)
  .regex(/^#?(?:[a-z0-9_.-]+:)?[a-z0-9_./-]+$/, 'neither an identifier nor a #tag')
  .transform(withNamespace)
  .refine(isShort, 'longer than an identifier')
