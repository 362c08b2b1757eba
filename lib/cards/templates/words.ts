import { z } from 'zod'
import { isIdentifier } from '../../core/ids.js'
import { plainText, translate, type Component, type Message, type MessageParam } from '../../text/index.js'
import type { CardItem, CardValue } from '../card.js'
import { filled, numberAt, numberSchema, TemplateError, textSchema, type Scope } from './bindings.js'
import { TEMPLATE_LIMITS } from './limits.js'

const KEY = /^[A-Za-z0-9_.-]{1,256}$/
const nameSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'is no name of a parameter')

/** The same words in the reader's language, from the language files of packs. */
export interface Translation {
  readonly translate: string
  readonly with?: Readonly<Record<string, Words>> | undefined
}

/** What the client has a name for in its own language: an item, a block, a creature. */
const clientWords = z.strictObject({ client: textSchema, fallback: textSchema })
type Words = string | Translation | z.infer<typeof clientWords>

/** Words of a template. */
export const wordsSchema: z.ZodType<Words> = z.union([
  textSchema,
  z.strictObject({
    translate: z.string().regex(KEY, 'is no key of a language file'),
    with: z
      .record(
        nameSchema,
        z.lazy(() => wordsSchema),
      )
      .refine(
        (params) => Object.keys(params).length <= TEMPLATE_LIMITS.params,
        `has more than ${TEMPLATE_LIMITS.params} parameters`,
      )
      .optional(),
  }),
  clientWords,
])

/** An item, named in the client's language where it knows it. */
export const itemSchema = z.strictObject({
  item: textSchema,
  name: textSchema.optional(),
  count: numberSchema.optional(),
})
export type TemplateItem = z.infer<typeof itemSchema>

/** What stands beside a label. */
export const valueSchema = z.union([wordsSchema, itemSchema])

/** The words: literal text, a sentence, or what the client names. */
export function wordsOf(words: Words, scope: Scope): string | Message | Component {
  if (typeof words === 'string') return filled(words, scope)
  if ('client' in words) {
    const key = filled(words.client, scope)
    if (!KEY.test(key)) throw new TemplateError(`${plainText(key, { limit: 64 })} is no key of a client`)
    return translate(key, filled(words.fallback, scope))
  }
  const params = Object.entries(words.with ?? {}).map(([name, value]): [string, MessageParam] => [
    name,
    wordsOf(value, scope),
  ])
  return params.length === 0
    ? { key: words.translate }
    : { key: words.translate, params: Object.fromEntries(params) }
}

/** The words where a sentence is needed. */
export function messageOf(words: Words, scope: Scope): Message {
  const made = wordsOf(words, scope)
  return typeof made === 'object' && 'key' in made
    ? made
    : { key: 'system.card.words', params: { words: made } }
}

export function itemOf({ item, name, count }: TemplateItem, scope: Scope): CardItem {
  const given = filled(item, scope)
  const id = given.includes(':') ? given : `minecraft:${given}`
  if (!isIdentifier(id)) throw new TemplateError(`${plainText(id, { limit: 64 })} is no id of an item`)
  return {
    item: id,
    name: name === undefined ? id.slice(id.indexOf(':') + 1).replaceAll('_', ' ') : filled(name, scope),
    ...(count === undefined ? {} : { count: numberAt(count, scope) }),
  }
}

export const valueOf = (value: z.infer<typeof valueSchema>, scope: Scope): CardValue =>
  typeof value === 'object' && 'item' in value ? itemOf(value, scope) : wordsOf(value, scope)
