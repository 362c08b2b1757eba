import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import { isUuid, type RequestId } from '../core/ids.js'
import { parseJson } from '../core/json.js'
import { OWN_CHOICES, OWN_SWITCHES } from '../core/own-settings.js'

/** The version of what is said on the channels. */
export const CHANNEL_PROTOCOL = 1
/** Largest request, bytes: what vanilla takes of a client in one payload. */
export const MAX_REQUEST_BYTES = 32_767
/** So deep a request may be nested. */
const MAX_DEPTH = 32

const head = {
  protocol: z.literal(CHANNEL_PROTOCOL),
  /** The asker's own, lower case: what answers it carries it, and asked again it is the same request. */
  id: z.string().refine(isUuid) as unknown as z.ZodType<RequestId>,
}

/** What a program asks for on `system:assistant_request_c2s`: UTF-8 JSON of one of these. */
export const channelRequestSchema = z.discriminatedUnion('type', [
  /** Free text, as behind `/system`: routed. */
  z.strictObject({ ...head, type: z.literal('chat'), text: z.string().min(1).max(MAX_REQUEST_BYTES) }),
  /** A module's action, undecoded. */
  z.strictObject({ ...head, type: z.literal('module'), module: identifierSchema, input: z.json() }),
  /** A button of a card, by the token that came with it. */
  z.strictObject({ ...head, type: z.literal('button'), token: z.string().min(1).max(64) }),
  /** Ends the running request, or tells where everything stands, or a page (from 1) of earlier rounds. */
  z.strictObject({
    ...head,
    type: z.literal('control'),
    control: z.enum(['cancel', 'state', 'history']),
    page: z.int().min(1).max(2_000).optional(),
  }),
  /** One of the player's own settings, as behind `/system settings`. */
  z.strictObject({
    ...head,
    type: z.literal('preference'),
    name: z.enum([...OWN_SWITCHES, ...OWN_CHOICES]),
    value: z.string().regex(/^[a-z0-9_]{1,32}$/),
  }),
])
export type ChannelRequest = z.infer<typeof channelRequestSchema>

/** What is asked for on `system:token_usage_request_c2s`. `open`: whether a page of it is to be opened; it comes back as it is. */
export const usageRequestSchema = z.strictObject({ ...head, open: z.boolean() })
export type UsageRequest = z.infer<typeof usageRequestSchema>

/** Why a payload is no request, with the id that it carries if it has one. */
export interface BadRequest {
  readonly id: RequestId | null
  readonly reason: 'too_large' | 'not_json' | 'protocol' | 'malformed'
}

/** A request out of a client's bytes. Nothing of it is trusted; nothing throws. */
export function decodeRequest<T>(
  schema: z.ZodType<T>,
  bytes: Uint8Array,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly bad: BadRequest } {
  const bad = (reason: BadRequest['reason'], id: RequestId | null = null) =>
    ({ ok: false, bad: { id, reason } }) as const
  if (bytes.byteLength > MAX_REQUEST_BYTES) return bad('too_large')
  const value = jsonOf(bytes)
  if (value === undefined) return bad('not_json')
  const { id, protocol } = outerOf(value)
  if (protocol !== CHANNEL_PROTOCOL) return bad('protocol', id)
  const decoded = schema.safeParse(value)
  return decoded.success ? { ok: true, value: decoded.data } : bad('malformed', id)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Undefined, which is no JSON value: they are no text, no JSON, or too deep. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    const text = strictUtf8.decode(bytes)
    return isShallow(text) ? parseJson(text) : undefined
  } catch {
    return undefined
  }
}

/** Schemas walk values by recursion. */
function isShallow(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    if (isString) {
      if (letter === '\\') at += 1
      else if (letter === '"') isString = false
    } else if (letter === '"') isString = true
    else if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') depth -= 1
    if (depth > MAX_DEPTH) return false
  }
  return true
}

function outerOf(value: unknown): { readonly id: RequestId | null; readonly protocol: unknown } {
  if (typeof value !== 'object' || value === null) return { id: null, protocol: undefined }
  const id: unknown = Reflect.get(value, 'id')
  return {
    id: typeof id === 'string' && isUuid(id) ? id : null,
    protocol: Object.hasOwn(value, 'protocol') ? Reflect.get(value, 'protocol') : undefined,
  }
}
