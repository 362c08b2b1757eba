import { z } from 'zod'
import type { CardData } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Component, Message } from '../text/index.js'
import { PRIORITIES, TOAST_FRAMES, type Notification, type Priority } from './notification.js'

/** What a plugin tells a player: a sentence or a card, and what else draws attention to it. */
export interface Notice {
  /** In a namespace of the plugin's own. Of those that wait for a player only the newest of an id is shown. */
  readonly id: Identifier
  /** `normal` unless given; `high` is for what a player must know now, `low` for what some don't want to know. */
  readonly priority?: Priority | undefined
  /** Either this, in the reader's language, */
  readonly message?: Message | undefined
  /** or this, of a registered type. */
  readonly card?: CardData | undefined
  /** The same in short, above the hotbar. */
  readonly actionBar?: Message | undefined
  /** The same across the screen: for the rare, `high` only. */
  readonly title?: Message | undefined
  readonly toast?: Notification['toast']
  readonly sound?: Identifier | undefined
}

const MAX_DEPTH = 8
const KEY = /^[A-Za-z0-9_.:/-]{1,256}$/

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether it can be rendered: sentences in sentences, down to the depth that clients show. */
function isMessage(value: unknown, depth = 0): value is Message {
  if (!isObject(value) || depth > MAX_DEPTH) return false
  const { key, params } = value as { readonly key?: unknown; readonly params?: unknown }
  if (typeof key !== 'string' || !KEY.test(key)) return false
  if (params === undefined) return true
  return isObject(params) && Object.values(params).every((param) => isParam(param, depth + 1))
}

const isParam = (value: unknown, depth: number): boolean =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  isMessage(value, depth) ||
  isComponent(value, depth)

function isComponent(value: unknown, depth: number): value is Component {
  if (!isObject(value) || depth > MAX_DEPTH) return false
  const { text, translate, ...rest } = value as Readonly<Record<string, unknown>>
  if (typeof text !== 'string' && typeof translate !== 'string') return false
  const inner = [rest['extra'], rest['with']].filter((parts) => parts !== undefined)
  return inner.every((parts) => Array.isArray(parts) && parts.every((part) => isComponent(part, depth + 1)))
}

const messageSchema = z.custom<Message>(isMessage, 'not a message: { key, params }')

/** The fields of a notice, each decoded by itself. */
export const noticeFields = {
  id: identifierSchema.refine((id) => !id.startsWith('system:'), 'the namespace system is ours'),
  priority: z.enum(PRIORITIES).optional(),
  message: messageSchema.optional(),
  card: z.strictObject({ type: identifierSchema, data: z.unknown() }).optional(),
  actionBar: messageSchema.optional(),
  title: messageSchema.optional(),
  toast: z
    .strictObject({
      title: messageSchema,
      icon: identifierSchema,
      frame: z.enum(TOAST_FRAMES).optional(),
    })
    .optional(),
  sound: identifierSchema.optional(),
}

const noticeSchema: z.ZodType<Notice> = z
  .strictObject(noticeFields)
  .refine(({ message, card }) => (message === undefined) !== (card === undefined), {
    error: 'says either a message or a card',
  })
  .refine(({ title, priority }) => title === undefined || priority === 'high', {
    error: 'only what is high has a title',
  })

/** A plugin's notice as a notification; `system:not_understood`, with what is wrong as its cause, for anything else. */
export function readNotice(given: unknown): Result<Notification> {
  const parsed = decoded(given)
  if (!parsed.ok) return parsed
  const { priority = 'normal', message = null, card, ...rest } = parsed.value
  return ok({ ...rest, priority, message, cards: card === undefined ? [] : [{ mode: 'SHOW', card }] })
}

/** A plugin's object may have members that throw when they are read. */
function decoded(given: unknown): Result<Notice> {
  try {
    const parsed = noticeSchema.safeParse(given)
    if (parsed.success) return ok(parsed.data)
    return fail('system:not_understood', {}, new TypeError(z.prettifyError(parsed.error).slice(0, 500)))
  } catch (cause) {
    return fail('system:not_understood', {}, new TypeError('a member can not be read', { cause }))
  }
}
