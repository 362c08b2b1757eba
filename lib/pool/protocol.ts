import { z } from 'zod'
import { utf8Bytes } from '../core/json.js'

/** Version of the messages between the kernel and its workers. */
export const PROTOCOL_VERSION = 1
/** Size limit of one message, UTF-8 bytes of all its strings. */
export const MESSAGE_BYTES = 65_536

const text = z.string().max(MESSAGE_BYTES)
const id = z.string().min(1).max(256)
const count = z.int().min(0)

/** Tokens of one model call. `prompt` contains `cached`; `output` contains `reasoning`. */
export const usageSchema = z.strictObject({ prompt: count, cached: count, output: count, reasoning: count })
export type Usage = z.infer<typeof usageSchema>
/** Of a call that certainly cost nothing. */
export const NO_USAGE: Usage = { prompt: 0, cached: 0, output: 0, reasoning: 0 }

/** One entry of what a model may choose: a tool of a loop, or a module when routing. */
export const catalogueEntrySchema = z.strictObject({
  id,
  /** English, for the model. */
  description: text,
  /** JSON Schema of the input, as JSON text made once at registration. */
  schemaText: text,
  explicitOnly: z.boolean().optional(),
})
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>

/** What the kernel hands to the agent group for one model conversation of one request. */
export const agentJobSchema = z.strictObject({
  /** `react` is a loop with tools, `complete` one answer without tools, `route` one choice from the catalogue. */
  kind: z.enum(['react', 'complete', 'route']),
  requestId: id,
  /** The system message: byte-stable for equal prompt files, so that providers can cache it. */
  prompt: text,
  question: text,
  /** JSON text of the request context (language, game version, time, …): own data of the asker only. */
  contextText: text,
  catalogue: z.array(catalogueEntrySchema).max(256),
  /** JSON Schema text of a final answer; empty for `route`. */
  answerSchemaText: text,
  /** Model decisions of the loop including the final answer; 1 for `complete` and `route`. */
  rounds: z.int().min(1),
  perCall: z.strictObject({
    outputTokens: z.int().min(1),
    inputBytes: z.int().min(1),
    timeoutMs: z.int().min(1),
  }),
  /** Milliseconds left of the request's deadline when the job was posted; clocks of threads differ. */
  remainingMs: z.int().min(0),
  /** Names the endpoint; address and key reached the group by workerData. */
  endpoint: id,
  /** Salted hash that stands for the player at the provider, or empty. */
  endUser: z.string().max(128),
  /** Random word of this request; text of the world is fenced with it before a model reads it. */
  trustMarker: id,
})
export type AgentJob = z.infer<typeof agentJobSchema>

/** How a job ended; an accepted answer is already with the kernel. */
export const jobEndSchema = z.strictObject({
  end: z.enum(['answer', 'rounds', 'failed', 'cancelled']),
  code: id.optional(),
  rounds: count,
})
export type JobEnd = z.infer<typeof jobEndSchema>

const base = { v: z.literal(PROTOCOL_VERSION), n: z.int().min(1) }

/** Worker to kernel. At most one of them is unanswered per request; `n` counts up by one. */
const workerMessageSchema = z.discriminatedUnion('t', [
  z.strictObject({ ...base, t: z.literal('hello'), threadId: count }),
  z.strictObject({
    ...base,
    t: z.literal('reserve'),
    round: z.int().min(1),
    inputBytes: count,
    outputTokens: z.int().min(1),
  }),
  z.strictObject({
    ...base,
    t: z.literal('settle'),
    reservationId: z.int().min(1),
    usage: usageSchema.nullable(),
    /** The provider's finish reason, or the failure code that took its place. */
    finish: z.string().max(64),
    httpStatus: count,
    /** For the log: what an endpoint that can't be asked said, and its host; never a key or a text. */
    cause: z.string().max(300).optional(),
  }),
  z.strictObject({ ...base, t: z.literal('tool'), round: z.int().min(1), tool: text, inputText: text }),
  z.strictObject({ ...base, t: z.literal('answer'), text }),
  z.strictObject({
    ...base,
    t: z.literal('progress'),
    phase: z.enum(['model', 'tool', 'answer']),
    round: count,
  }),
  z.strictObject({ ...base, t: z.literal('pong') }),
])
export type WorkerMessage = z.infer<typeof workerMessageSchema>
export type WorkerMessageOf<T extends WorkerMessage['t']> = Extract<WorkerMessage, { t: T }>

const granted = {
  ok: z.literal(true),
  reservationId: z.int().min(1),
  /** Time that the call may take, ms. */
  timeoutMs: z.int().min(1),
  /** Only a final answer is accepted this time. */
  finalOnly: z.boolean(),
}
const code = { code: id }
/** Executed (its own failure is an observation too): JSON text of `{ id, tool, input, output | failure }`. */
const observed = { obs: z.int().min(1), text }
/** Not executed again: the observation with this id already answers it. */
const repeated = { repeat: z.int().min(1) }
/** Refused; a recoverable code lets a loop with evidence go on to its final answer. */
const refused = { code: id, recoverable: z.boolean() }
const accepted = { ok: z.literal(true) }
/** Not accepted: what is wrong with it, in English, for the model. */
const correction = { fix: text }

/** The kernel's answers to `reserve`, `tool` and `answer`; one to `settle` says nothing. */
export const reserveAnswerSchema = z.union([z.strictObject(granted), z.strictObject(code)])
export type ReserveAnswer = z.infer<typeof reserveAnswerSchema>

export const toolAnswerSchema = z.union([
  z.strictObject(observed),
  z.strictObject(repeated),
  z.strictObject(refused),
])
export type ToolAnswer = z.infer<typeof toolAnswerSchema>

export const answerAnswerSchema = z.union([
  z.strictObject(accepted),
  z.strictObject(correction),
  z.strictObject(code),
])
export type AnswerAnswer = z.infer<typeof answerAnswerSchema>

/** An answer carries the `n` of the message it answers; in `cancel` and `ping` the number means nothing. */
const head = { v: z.literal(PROTOCOL_VERSION), n: count }
const reserveHead = { ...head, t: z.literal('reserve') }
const toolHead = { ...head, t: z.literal('tool') }
const answerHead = { ...head, t: z.literal('answer') }

/**
 * Kernel to worker: orders, and the answers in the flat form in which they travel. By kind rather than one union: an
 * answer stands in the way of a waiting model, and a union would try, and report on, each kind before its own.
 */
const kernelMessageSchemas = {
  ping: z.strictObject({ ...head, t: z.literal('ping') }),
  /** The reason is a failure code. */
  cancel: z.strictObject({ ...head, t: z.literal('cancel'), reason: id }),
  settle: z.strictObject({ ...head, t: z.literal('settle') }),
  reserve: z.union([
    z.strictObject({ ...reserveHead, ...granted }),
    z.strictObject({ ...reserveHead, ...code }),
  ]),
  tool: z.union([
    z.strictObject({ ...toolHead, ...observed }),
    z.strictObject({ ...toolHead, ...repeated }),
    z.strictObject({ ...toolHead, ...refused }),
  ]),
  answer: z.union([
    z.strictObject({ ...answerHead, ...accepted }),
    z.strictObject({ ...answerHead, ...correction }),
    z.strictObject({ ...answerHead, ...code }),
  ]),
}
export type KernelMessage = z.infer<(typeof kernelMessageSchemas)[keyof typeof kernelMessageSchemas]>

/** What a job of the compute and storage groups resolves with: a result in a form that threads can exchange. */
export const jobAnswerSchema = z.union([
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({
    ok: z.literal(false),
    code: id,
    params: z.record(z.string(), z.union([z.string(), z.number()])),
    /** For the log. */
    cause: z.string(),
  }),
])
export type JobAnswer = z.infer<typeof jobAnswerSchema>

/** Decodes what a worker sent, or is about to; undefined when it is malformed or larger than MESSAGE_BYTES. */
export const decodeWorkerMessage = (message: unknown): WorkerMessage | undefined =>
  decoded(workerMessageSchema, message)

/** Decodes what the kernel sent, or is about to; undefined when it is malformed or larger than MESSAGE_BYTES. */
export function decodeKernelMessage(message: unknown): KernelMessage | undefined {
  const t: unknown = typeof message === 'object' && message !== null && 't' in message ? message.t : undefined
  return isKernelKind(t) ? decoded<KernelMessage>(kernelMessageSchemas[t], message) : undefined
}

const isKernelKind = (t: unknown): t is keyof typeof kernelMessageSchemas =>
  typeof t === 'string' && Object.hasOwn(kernelMessageSchemas, t)

function decoded<T extends object>(schema: z.ZodType<T>, message: unknown): T | undefined {
  const parsed = schema.safeParse(message)
  if (!parsed.success) return undefined
  let bytes = 0
  for (const value of Object.values(parsed.data)) if (typeof value === 'string') bytes += utf8Bytes(value)
  return bytes <= MESSAGE_BYTES ? parsed.data : undefined
}
