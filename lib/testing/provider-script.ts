import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Clock } from '../core/clock.js'
import { faults, replies, type Content } from './provider-replies.js'
import { SimulatedReply } from './reply-plan.js'
import { writeReply, type AskedFor, type WriterHost } from './reply-writer.js'

const chatBodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })).min(1),
  stream: z.boolean().optional(),
})

/** A request's JSON body; vendor fields are there too. */
export type ChatBody = z.infer<typeof chatBodySchema>

/** One request that reached the simulator. */
export interface RecordedRequest {
  readonly body: ChatBody
  readonly headers: IncomingHttpHeaders
  /** When it had arrived, epoch milliseconds of the simulator's clock. */
  readonly at: number
  /** The client went away before the response was over. */
  readonly aborted: boolean
  /** Of the connection; equal for requests that share one. */
  readonly clientPort: number
  /** Resolves when the first byte of the response has been handed to the network. */
  readonly answering: Promise<void>
  /** Resolves when the reply waits for `release()`; never for a reply that does not. */
  readonly held: Promise<void>
  /** Resolves when the response is over, by its end or by either side's closing. */
  readonly over: Promise<void>
}

/**
 * One step of the script: content of a good reply (a text, or an object sent as its JSON text), a made reply or
 * fault, or a function that decides when it sees the request.
 */
export type ProviderStep =
  Content | SimulatedReply | ((request: RecordedRequest) => ProviderStep | Promise<ProviderStep>)

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function askedFor(body: ChatBody): AskedFor {
  const options = z.object({ include_usage: z.boolean() }).safeParse(body['stream_options'])
  const limit = z.int().safeParse(body['max_tokens'] ?? body['max_completion_tokens'])
  return {
    model: body.model,
    promptText: body.messages.map(({ content }) => content).join(''),
    stream: body.stream === true,
    wantsUsage: options.success && options.data.include_usage,
    outputTokens: limit.success ? limit.data : null,
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const NOTHING: AskedFor = { model: '', promptText: '', stream: false, wantsUsage: false, outputTokens: null }

/** Tells a recorded request how far its response is. */
interface Stages {
  readonly answering: () => void
  readonly held: () => void
}

/** The inside of a simulator: its script and what has happened. */
export class ProviderScript implements WriterHost {
  readonly steps: ProviderStep[] = []
  readonly requests: RecordedRequest[] = []
  readonly errors: string[] = []
  private readonly gates = new Set<() => void>()
  private readonly stages = new WeakMap<ServerResponse, Stages>()
  private readonly cuts = new WeakSet<ServerResponse>()
  private readonly waiting = new Map<number, ((request: RecordedRequest) => void)[]>()
  private readonly otherwise: ProviderStep | undefined
  readonly clock: Clock

  constructor(clock: Clock, otherwise: ProviderStep | undefined) {
    this.clock = clock
    this.otherwise = otherwise
  }

  release(): void {
    for (const open of this.gates) open()
  }

  request(number: number): Promise<RecordedRequest> {
    const found = this.requests[number - 1]
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve) => {
      this.waiting.set(number, [...(this.waiting.get(number) ?? []), resolve])
    })
  }

  /** Answers one request. Whatever goes wrong becomes an entry of `errors` and a response that says it. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that goes away while we write is no error of ours.
    response.on('error', () => {})
    const body = await this.decode(request)
    if (body === null) {
      const plan = faults.status(400, { message: 'provider simulator: not a chat completion request' }).plan
      return writeReply({ response, plan, asked: NOTHING, host: this })
    }
    const entry = this.record(body, request, response)
    const { plan } = await this.choose(entry)
    await writeReply({ response, plan, asked: askedFor(body), host: this })
  }

  /** Resolves at the next `release()`, or when the connection closes. */
  held(response: ServerResponse): Promise<void> {
    if (response.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      const open = (): void => {
        this.gates.delete(open)
        resolve()
      }
      this.gates.add(open)
      response.once('close', open)
      this.stages.get(response)?.held()
    })
  }

  started(response: ServerResponse): void {
    this.stages.get(response)?.answering()
  }

  /** Breaks the connection from our side, which is no abort by the client. */
  cut(response: ServerResponse): void {
    this.cuts.add(response)
    response.destroy()
  }

  private async decode(request: IncomingMessage): Promise<ChatBody | null> {
    try {
      if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
        throw new Error(`${request.method ?? ''} ${request.url ?? ''}`)
      }
      return chatBodySchema.parse(await readJson(request))
    } catch (error) {
      // A client may go away before it has said all.
      if (!request.destroyed || request.complete) this.errors.push(`malformed request: ${String(error)}`)
      return null
    }
  }

  private record(
    body: ChatBody,
    { headers, socket }: IncomingMessage,
    response: ServerResponse,
  ): RecordedRequest {
    const over = new Promise<void>((resolve) => {
      response.once('close', () => {
        entry.aborted = !response.writableFinished && !this.cuts.has(response)
        resolve()
      })
    })
    const stages: Mutable<Stages> = { answering() {}, held() {} }
    this.stages.set(response, stages)
    const answering = new Promise<void>((resolve) => (stages.answering = resolve))
    const held = new Promise<void>((resolve) => (stages.held = resolve))
    const entry: Mutable<RecordedRequest> = {
      body,
      headers,
      at: this.clock.now(),
      clientPort: socket.remotePort ?? 0,
      aborted: false,
      answering,
      held,
      over,
    }
    this.requests.push(entry)
    const number = this.requests.length
    for (const seen of this.waiting.get(number) ?? []) seen(entry)
    this.waiting.delete(number)
    return entry
  }

  private async choose(request: RecordedRequest): Promise<SimulatedReply> {
    const number = this.requests.length
    try {
      let step = this.steps.shift() ?? this.otherwise
      if (step === undefined) throw new Error(`the script is over (request ${number})`)
      while (typeof step === 'function') step = await step(request)
      return step instanceof SimulatedReply ? step : replies.text(step)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.errors.push(message)
      return faults.status(500, { message: `provider simulator: ${message}`, code: 'simulator_script' })
    }
  }
}
