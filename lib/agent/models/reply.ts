import { z } from 'zod'
import { isJsonObject, parseJson } from '../../core/json.js'
import { createEventDecoder, type LineSplitter, type StreamEvent } from './event-stream.js'

/** What a body has said so far. */
export interface Reply {
  /** `content` only: reasoning text is dropped before it gets here. */
  readonly text: string
  readonly finish: string | null
  /** The body's own end was seen: `[DONE]`, or the closing brace of a plain completion. */
  readonly done: boolean
  /** As the provider wrote it; null when it wrote none. */
  readonly usage: unknown
  /** The error object inside a 200, or null. */
  readonly error: unknown
  /** Something that is no completion: a page, or JSON of another shape. Null while all is well. */
  readonly broken: 'page' | 'shape' | null
  /** Whether anything but padding came. */
  readonly spoke: boolean
  /** Whether reasoning text came, and was dropped. */
  readonly reasoned: boolean
  /** Whether it is an event stream. */
  readonly isStream: boolean
}

/** Reads one body piece by piece: an event stream or one plain JSON completion, told apart by its first character. */
export interface ReplyReader {
  push(piece: string): void
  /** The body is over or was cut: what is pending is taken. */
  end(): void
  reply(): Reply
}

/** Loose: reasoning text is looked for by its names, and never copied. */
const partSchema = z.looseObject({ content: z.string().nullish() })
const choiceSchema = z.object({
  index: z.number().nullish(),
  delta: partSchema.nullish(),
  message: partSchema.nullish(),
  finish_reason: z.string().nullish(),
})
const completionSchema = z.object({
  choices: z.array(choiceSchema).nullish(),
  usage: z.unknown().optional(),
  // llama.cpp counts here, beside or instead of a usage
  timings: z.unknown().optional(),
  error: z.unknown().optional(),
})

interface Draft extends Mutable<Reply> {
  /** Names under which reasoning text comes. */
  readonly reasoningNames: readonly string[]
}
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Takes one completion or one chunk of it. */
function takeCompletion(reply: Draft, value: unknown): void {
  const decoded = completionSchema.safeParse(value)
  if (!decoded.success) {
    reply.broken ??= 'shape'
    return
  }
  const { choices, usage, timings, error } = decoded.data
  if (error) reply.error ??= error
  // Servers with running statistics repeat it: the last one is the sum.
  if (usage !== null && usage !== undefined) reply.usage = usage
  if (isJsonObject(timings)) reply.usage = { ...(isJsonObject(reply.usage) ? reply.usage : {}), timings }
  const choice = choices?.find(({ index }) => (index ?? 0) === 0)
  if (choice === undefined) return
  const part = choice.delta ?? choice.message
  reply.text += choice.delta?.content ?? choice.message?.content ?? ''
  reply.reasoned ||= reply.reasoningNames.some((name) => {
    const text = part?.[name]
    return typeof text === 'string' && text !== ''
  })
  reply.finish = choice.finish_reason ?? reply.finish
}

function takeEvent(reply: Draft, event: StreamEvent): void {
  if (reply.done || reply.broken !== null) return
  reply.spoke = true
  const whole = event.data.join('\n')
  if (whole.startsWith('[DONE]')) {
    reply.done = true
    return
  }
  const body = parseJson(whole)
  if (event.name === 'error') {
    const inner = isJsonObject(body) && 'error' in body ? body['error'] : body
    reply.error ??= inner ?? whole
  } else if (body !== undefined) takeCompletion(reply, body)
  else if (event.data.length === 1) reply.broken = 'shape'
  // A server that forgets the empty line between events: each data line is an event of its own.
  else for (const line of event.data) takeEvent(reply, { name: event.name, data: [line] })
}

function createDocumentReader(reply: Draft): LineSplitter {
  const parts: string[] = []
  return {
    push: (piece) => void parts.push(piece),
    end() {
      const value = parseJson(parts.join(''))
      if (!isJsonObject(value) || !('choices' in value || 'error' in value)) {
        reply.broken = 'shape'
        return
      }
      takeCompletion(reply, value)
      reply.done = reply.broken === null
    },
  }
}

/** Starts reading; the kind of body is decided by the first character that is not white space. */
export function createReplyReader(reasoningNames: readonly string[]): ReplyReader {
  const reply: Draft = {
    reasoningNames,
    text: '',
    finish: null,
    done: false,
    usage: null,
    error: null,
    broken: null,
    spoke: false,
    reasoned: false,
    isStream: false,
  }
  let inner: LineSplitter | null = null

  const choose = (first: string): LineSplitter => {
    // a comment, or one of the fields data, event, error, id, retry
    if (/[:deir]/.test(first)) {
      reply.isStream = true
      return createEventDecoder((event) => takeEvent(reply, event))
    }
    reply.spoke = true
    if (first === '<') reply.broken = 'page'
    return createDocumentReader(reply)
  }
  return {
    push(piece) {
      // Blank lines are how some providers keep a connection open while a request is queued.
      const text = inner === null ? piece.trimStart() : piece
      if (text === '') return
      inner ??= choose(text.charAt(0))
      inner.push(text)
    },
    end() {
      if (reply.broken === null) inner?.end()
    },
    reply: () => reply,
  }
}
