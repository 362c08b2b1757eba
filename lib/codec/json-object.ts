import { utf8Bytes } from '../core/json.js'
import { fail, ok, type Result } from '../core/result.js'
import { readStrictObject } from './strict-json.js'

/** Largest reply that is looked at, UTF-8 bytes. */
const REPLY_BYTES = 65_536
const FENCE = '```'

/** What stands inside a fence that encloses the whole reply, without its info word; else the reply as it is. */
function unfence(reply: string): string {
  const isFenced = reply.length >= 2 * FENCE.length && reply.startsWith(FENCE) && reply.endsWith(FENCE)
  if (!isFenced) return reply
  return reply
    .slice(FENCE.length, -FENCE.length)
    .replace(/^[A-Za-z0-9_-]*/, '')
    .trim()
}

/**
 * The one JSON object in a model's reply. Accepted around it: white space, a code fence, prose without braces.
 * Refused, because any guess could turn half an action into a whole one: several objects, any brace outside the
 * object, arrays and scalars, cut objects, a repeated key at any depth, more than 32 levels or 64 KiB.
 *
 * Objects of the result have no prototype, so `__proto__` and `constructor` are keys like others.
 * Codes: `system:model_empty` for a blank reply, `system:model_too_large` beyond 64 KiB, otherwise `system:model_invalid`.
 */
export function parseModelObject(text: string): Result<Record<string, unknown>> {
  const reply = text.trim()
  if (reply === '') return fail('system:model_empty')
  if (utf8Bytes(reply) > REPLY_BYTES) return fail('system:model_too_large')
  const content = unfence(reply)
  const start = content.indexOf('{')
  const before = content.slice(0, Math.max(start, 0))
  // An object inside an array is not the reply; neither is one that closes a brace opened elsewhere.
  const isElement = before.trimEnd().endsWith('[') || (content.startsWith('[') && content.endsWith(']'))
  if (start === -1 || isElement || before.includes('}')) return fail('system:model_invalid')
  const read = readStrictObject(content, start)
  if (read === null || /[{}]/.test(content.slice(read.end))) return fail('system:model_invalid')
  return ok(read.value)
}

/**
 * Whether no object in a JSON text, which starts with one, repeats a key: `JSON.parse` would keep the last and say
 * nothing. False as well for more than 32 levels.
 */
export const hasUniqueKeys = (text: string): boolean => readStrictObject(text, text.indexOf('{')) !== null
