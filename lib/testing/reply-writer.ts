import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.js'
import { utf8Bytes } from '../core/json.js'
import type { ReplyPlan } from './reply-plan.js'

/** What a completion takes from the request it answers. */
export interface AskedFor {
  readonly model: string
  readonly promptText: string
  readonly stream: boolean
  readonly wantsUsage: boolean
  /** Null: the request sets no limit. */
  readonly outputTokens: number | null
}

/** What a reply needs from its simulator. */
export interface WriterHost {
  readonly clock: Clock
  /** Resolves at the next `release()`, or when the connection closes. */
  held(response: ServerResponse): Promise<void>
  /** The headers are on their way. */
  started(response: ServerResponse): void
  /** Breaks the connection. */
  cut(response: ServerResponse): void
}

/** One response to send. */
export interface WriteJob {
  readonly response: ServerResponse
  readonly plan: ReplyPlan
  readonly asked: AskedFor
  readonly host: WriterHost
}

const FILL_PIECE = 65_536
const FOREVER_MS = 10

function usageOf(plan: ReplyPlan, asked: AskedFor): unknown {
  if (plan.usage !== 'estimated' && plan.usage !== 'full') return plan.usage
  const limit = asked.outputTokens ?? Number.POSITIVE_INFINITY
  const reasoning = Math.ceil(utf8Bytes(plan.reasoning) / 4)
  const wanted = Math.ceil(utf8Bytes(plan.content) / 4) + reasoning
  const output = plan.usage === 'full' ? limit : Math.max(0, Math.min(wanted, limit - 1))
  const prompt = Math.ceil(utf8Bytes(asked.promptText) / 4) + 1
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: Math.min(reasoning, output) },
    prompt_cache_hit_tokens: 0,
    prompt_cache_miss_tokens: prompt,
  }
}

/** Splits by characters, so that only the transport cuts them. */
function pieces(text: string, length: number): string[] {
  const characters = Array.from(text)
  const found: string[] = []
  for (let at = 0; at < characters.length; at += length)
    found.push(characters.slice(at, at + length).join(''))
  return found
}

/** The events of a stream: those up to the content, and those that end it. */
function streamParts(plan: ReplyPlan, asked: AskedFor): { head: string[]; tail: string[] } {
  const base = { id: 'chatcmpl-simulated', object: 'chat.completion.chunk', created: 0, model: asked.model }
  const event = (fields: Record<string, unknown>): string =>
    `data: ${JSON.stringify({ ...base, ...fields })}\n\n`
  const delta = (fields: Record<string, unknown>, finish: string | null = null): string =>
    event({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
  const head = [
    delta({ role: 'assistant', content: '' }),
    ...pieces(plan.reasoning, plan.chunkLength).map((text) => delta({ reasoning_content: text })),
    ...pieces(plan.content, plan.chunkLength).map((text) => delta({ content: text })),
  ]
  if (plan.error !== null) return { head, tail: [`data: ${JSON.stringify({ error: plan.error })}\n\n`] }
  const usage = usageOf(plan, asked)
  const tail = [
    ...(plan.finish === null ? [] : [delta({}, plan.finish)]),
    ...(asked.wantsUsage && usage !== null ? [event({ choices: [], usage })] : []),
    ...(plan.done ? ['data: [DONE]\n\n'] : []),
  ]
  return { head, tail }
}

/** A plain completion in two halves, so that it can be cut or held like a stream. */
function plainParts(plan: ReplyPlan, asked: AskedFor): { head: string[]; tail: string[] } {
  const usage = usageOf(plan, asked)
  const message = {
    role: 'assistant',
    content: plan.content,
    ...(plan.reasoning === '' ? {} : { reasoning_content: plan.reasoning }),
  }
  const body =
    plan.error === null
      ? {
          id: 'chatcmpl-simulated',
          object: 'chat.completion',
          created: 0,
          model: asked.model,
          choices: [{ index: 0, message, finish_reason: plan.finish }],
          ...(usage === null ? {} : { usage }),
        }
      : { error: plan.error }
  const text = JSON.stringify(body)
  const middle = Math.floor(text.length / 2)
  return { head: [text.slice(0, middle)], tail: [text.slice(middle)] }
}

/** Resolves when the data has left this process or the connection is gone. */
function write(response: ServerResponse, data: string | Buffer): Promise<void> {
  if (response.destroyed || data.length === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('close', end)
      resolve()
    }
    response.once('close', end)
    response.write(data, end)
  })
}

async function writeText(response: ServerResponse, plan: ReplyPlan, text: string): Promise<void> {
  if (!plan.bytewise) return write(response, text)
  for (const byte of Buffer.from(text)) await write(response, Buffer.of(byte))
}

/** Resolves after the pause of the plan, or when the connection is gone. */
function pause(response: ServerResponse, pauseMs: number, clock: Clock): Promise<void> {
  if (pauseMs <= 0 || response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      cancel()
      response.off('close', end)
      resolve()
    }
    const cancel = clock.after(pauseMs, end)
    response.once('close', end)
  })
}

async function padForever(response: ServerResponse, text: string, clock: Clock): Promise<void> {
  if (response.destroyed) return
  const cancel = clock.every(FOREVER_MS, () => void response.write(text))
  await once(response, 'close')
  cancel()
}

async function fill(response: ServerResponse, bytes: number): Promise<void> {
  const piece = Buffer.alloc(FILL_PIECE, 'x')
  for (let sent = 0; sent < bytes && !response.destroyed; sent += FILL_PIECE) await write(response, piece)
}

/** Padding between the parts; plain bodies know only white space before them. */
function withPadding(plan: ReplyPlan, parts: readonly string[], isStream: boolean): string[] {
  if (plan.padding === null) return [...parts]
  const pad = plan.padding.text.repeat(plan.padding.times)
  return isStream ? parts.flatMap((part) => [pad, part]) : [pad, ...parts]
}

/** Sends the planned response. Ends early, without an error, when the client goes away. */
export async function writeReply({ response, plan, asked, host }: WriteJob): Promise<void> {
  if (plan.hold === 'headers') await host.held(response)
  const isStream = asked.stream && !plan.plain && plan.raw === null
  const type = isStream ? 'text/event-stream' : 'application/json'
  response.writeHead(plan.status, { 'content-type': type, ...plan.headers })
  response.flushHeaders()
  host.started(response)
  if (plan.hold === 'body') await host.held(response)
  if (plan.padsForever) return padForever(response, plan.padding?.text ?? '\n', host.clock)

  const parts = isStream ? streamParts(plan, asked) : plainParts(plan, asked)
  const { head, tail } = plan.raw === null ? parts : { head: [plan.raw], tail: [] }
  const wire = (text: string): string => (plan.lineEnd === '\n' ? text : text.replaceAll('\n', plan.lineEnd))
  for (const part of withPadding(plan, head, isStream)) {
    await writeText(response, plan, wire(part))
    await pause(response, plan.pauseMs, host.clock)
  }
  if (plan.fillBytes > 0) await fill(response, plan.fillBytes)
  if (plan.hold === 'tail') await host.held(response)
  if (plan.cut) return host.cut(response)
  const rest = wire((isStream ? withPadding(plan, tail, true) : tail).join(''))
  await writeText(response, plan, plan.endsLastLine ? rest : rest.trimEnd())
  response.end()
}
