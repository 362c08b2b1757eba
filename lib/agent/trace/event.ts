import { z } from 'zod'
import { isFailureCode, type FailureCode } from '../../core/failure.js'

const id = z.string().min(1).max(256)
const ms = z.number().min(0)
const count = z.int().min(0)
const request = z.uuid()
const code = z.union([
  z.literal('ok'),
  z.custom<FailureCode>((value) => typeof value === 'string' && isFailureCode(value)),
])
const source = z.enum(['structured', 'command', 'local', 'cache', 'model', 'event'])

/** Epoch milliseconds at which it ended, for what took time, else at which it happened. */
const at = { at: z.number() }
const ofRequest = { ...at, request }

/**
 * What happens in the agent runtime, as it is told to listeners and written to the trace file. Ids, codes, counts and
 * durations (`ms`) only: no word of a player, a model, a tool or a provider is ever in it.
 */
export const traceEventSchema = z.discriminatedUnion('kind', [
  /** A request was taken; it will end with `request-ended`. */
  z.strictObject({
    ...ofRequest,
    kind: z.literal('request-accepted'),
    player: id,
    /** How it came: free text, a command, a button, an event's task (once for each run of it), work in the background. */
    form: z.enum(['text', 'command', 'structured', 'event', 'background']),
  }),
  /** A request was refused before it began; nothing else is told of it. */
  z.strictObject({ ...at, kind: z.literal('request-refused'), player: id, code }),
  /** Its module is known. `confidence` is that of the local index, null for other sources. */
  z.strictObject({
    ...ofRequest,
    kind: z.literal('request-routed'),
    source,
    module: id,
    confidence: z.number().nullable(),
    ms,
  }),
  z.strictObject({
    ...ofRequest,
    kind: z.literal('request-ended'),
    player: id,
    source: source.nullable(),
    module: id.nullable(),
    code,
    modelCalls: count,
    ms,
  }),
  /** A model was asked once, and the call is settled. */
  z.strictObject({
    ...ofRequest,
    kind: z.literal('model-called'),
    /** The endpoint's id on this server; a new one after each change of its configuration. */
    endpoint: id,
    model: z.string().max(256),
    /** The provider's word for how it finished, a failure code, or `unknown` when nobody said. */
    finish: z.string().max(64),
    /** Null: there was no answer, or nobody said. */
    httpStatus: count.nullable(),
    /** `prompt` contains `cached`, `output` contains `reasoning`. Estimated: the reservation stands for the usage. */
    tokens: z.strictObject({
      prompt: count,
      cached: count,
      output: count,
      reasoning: count,
      estimated: z.boolean(),
    }),
    ms,
  }),
  /** A tool ran. `bytes`: UTF-8 size of its output as JSON, 0 without one. */
  z.strictObject({
    ...ofRequest,
    kind: z.literal('tool-called'),
    tool: id,
    toolKind: z.enum(['game', 'async', 'compute']),
    write: z.boolean(),
    code,
    bytes: count,
    ms,
  }),
  /** A write step and its receipt are committed. `isRepeat`: the receipt was there already, nothing was changed. */
  z.strictObject({
    ...ofRequest,
    kind: z.literal('receipt-committed'),
    tool: id,
    step: id,
    isRepeat: z.boolean(),
  }),
  /** In the file only: so many events are not in it, since the disk was too slow or failed. */
  z.strictObject({ ...at, kind: z.literal('events-dropped'), count }),
  /** Code of an author's, or of ours, broke: what is meant by `system:internal` and `system:tool_failed`. */
  z.strictObject({
    ...at,
    kind: z.literal('failure-raised'),
    request: request.nullable(),
    /** What broke, such as `tool my:weather`. */
    subject: z.string().min(1).max(300),
    code,
  }),
])
export type TraceEvent = z.infer<typeof traceEventSchema>

type WithoutTime<E> = E extends TraceEvent ? Omit<E, 'at'> : never
/** An event as it is reported: the time is added. */
export type TraceReport = WithoutTime<TraceEvent>
