import { z } from 'zod'
import type { Identifier } from '../core/ids.js'

/** An identifier as a schema. */
export const identifierSchema = z
  .string()
  .max(256)
  .regex(/^[a-z0-9_.-]+:[a-z0-9_./-]+$/, 'not an identifier') as unknown as z.ZodType<Identifier>

const withNamespace = (text: string): string =>
  text.startsWith('#') ? `#${withNamespace(text.slice(1))}` : text.includes(':') ? text : `minecraft:${text}`

/** An id as vanilla files write it: without a namespace it is `minecraft:`. */
export const vanillaIdSchema = z
  .string()
  .regex(/^(?:[a-z0-9_.-]+:)?[a-z0-9_./-]+$/, 'not an identifier')
  .transform((text) => withNamespace(text) as Identifier)

/** An id, or a tag as `#id`, in the same form. */
export const namedSchema = z
  .string()
  .regex(/^#?(?:[a-z0-9_.-]+:)?[a-z0-9_./-]+$/, 'neither an identifier nor a #tag')
  .transform(withNamespace)
