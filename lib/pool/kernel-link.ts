import type { MessagePort } from 'node:worker_threads'
import type { CancelTimer, Clock } from '../core/clock.js'
import { FailureError, failure, isFailureCode, toFailure, type FailureCode } from '../core/failure.js'
import {
  PROTOCOL_VERSION,
  answerAnswerSchema,
  decodeKernelMessage,
  decodeWorkerMessage,
  reserveAnswerSchema,
  toolAnswerSchema,
  type AgentJob,
  type AnswerAnswer,
  type JobEnd,
  type KernelMessage,
  type ReserveAnswer,
  type ToolAnswer,
  type WorkerMessage,
  type WorkerMessageOf,
} from './protocol.js'

/** The worker's own net behind the kernel's deadline, in case the kernel says nothing. */
const NET_MS = 250
/** What a job gets after its end was ordered, to settle and return; then it is left to itself. */
const GRACE_MS = 1_000
/** At most PROGRESS_LIMIT reports within PROGRESS_WINDOW_MS; more are dropped. */
const PROGRESS_LIMIT = 4
const PROGRESS_WINDOW_MS = 1_000

type Fields<T extends WorkerMessage['t']> = Omit<WorkerMessageOf<T>, 'v' | 'n' | 't'>
type Phase = WorkerMessageOf<'progress'>['phase']
type Question = 'reserve' | 'settle' | 'tool' | 'answer'

/**
 * What a job may ask of the kernel: one question at a time. After the end of the request (see `cancelled`) every
 * question rejects with the FailureError that is the signal's reason, except `settle`, which is still delivered.
 */
export interface KernelLink {
  reserve(fields: Fields<'reserve'>): Promise<ReserveAnswer>
  settle(fields: Fields<'settle'>): Promise<void>
  tool(fields: Fields<'tool'>): Promise<ToolAnswer>
  answer(text: string): Promise<AnswerAnswer>
  progress(phase: Phase, round: number): void
  /** Aborted, with a FailureError as reason, when the kernel cancels, the time is over or the channel broke. */
  readonly cancelled: AbortSignal
}

/** What a job is served with, in the thread. */
export interface AgentJobOptions {
  readonly port: MessagePort
  readonly threadId: number
  readonly clock: Clock
}

/**
 * Runs one job in a worker: opens the link, runs `body`, and gives the job's end whatever happens. Never rejects and
 * always returns in bounded time: a body that ignores its end is left to itself.
 */
export async function serveAgentJob(
  job: Pick<AgentJob, 'remainingMs'>,
  options: AgentJobOptions,
  body: (link: KernelLink) => Promise<JobEnd>,
): Promise<JobEnd> {
  const link = new WorkerEnd(job.remainingMs, options)
  try {
    return await Promise.race([body(link), link.abandoned])
  } catch (thrown) {
    return link.endFor(thrown)
  } finally {
    link.close()
  }
}

/** The worker's end of one job's channel. */
class WorkerEnd implements KernelLink {
  readonly cancelled: AbortSignal
  /** Rejects when a job that was told to end has not. */
  readonly abandoned: Promise<never>
  readonly #port: MessagePort
  readonly #clock: Clock
  readonly #controller = new AbortController()
  #rejectAbandoned: (reason: FailureError) => void = () => {}
  #stopNet: CancelTimer
  #n = 0
  #round = 0
  #byKernel = false
  #isClosed = false
  #pending: {
    n: number
    t: Question
    resolve(message: KernelMessage): void
    reject(reason: unknown): void
  } | null = null
  #progressTimes: number[] = []

  constructor(remainingMs: number, { port, threadId, clock }: AgentJobOptions) {
    this.#port = port
    this.#clock = clock
    this.cancelled = this.#controller.signal
    this.abandoned = new Promise((_resolve, reject) => (this.#rejectAbandoned = reject))
    // it may reject after the race is over
    this.abandoned.catch(() => {})
    this.#stopNet = clock.after(remainingMs + NET_MS, () => this.#abort('system:deadline'))
    port.on('message', (message: unknown) => this.#receive(message))
    port.on('messageerror', () => this.#abort('system:protocol'))
    port.on('close', () => this.#lost())
    this.#post({ t: 'hello', threadId })
  }

  async reserve(fields: Fields<'reserve'>): Promise<ReserveAnswer> {
    this.#round = fields.round
    return reserveAnswerSchema.parse(withoutHead(await this.#ask({ t: 'reserve', ...fields })))
  }

  async settle(fields: Fields<'settle'>): Promise<void> {
    await this.#ask({ t: 'settle', ...fields })
  }

  async tool(fields: Fields<'tool'>): Promise<ToolAnswer> {
    return toolAnswerSchema.parse(withoutHead(await this.#ask({ t: 'tool', ...fields })))
  }

  async answer(text: string): Promise<AnswerAnswer> {
    return answerAnswerSchema.parse(withoutHead(await this.#ask({ t: 'answer', text })))
  }

  progress(phase: Phase, round: number): void {
    const now = this.#clock.monotonic()
    this.#progressTimes = this.#progressTimes.filter((time) => now - time < PROGRESS_WINDOW_MS)
    if (this.cancelled.aborted || this.#progressTimes.length >= PROGRESS_LIMIT) return
    this.#progressTimes.push(now)
    this.#post({ t: 'progress', phase, round })
  }

  /** How a job ended that threw. */
  endFor(thrown: unknown): JobEnd {
    const reason = toFailure(this.cancelled.aborted ? this.cancelled.reason : thrown)
    return { end: this.#byKernel ? 'cancelled' : 'failed', code: reason.code, rounds: this.#round }
  }

  /** Stops timers and listeners. The port is closed by the kernel, which otherwise would take the thread for dead. */
  close(): void {
    this.#isClosed = true
    this.#stopNet()
    this.#pending = null
    this.#port.removeAllListeners('message')
    this.#port.unref()
  }

  #ask(fields: QuestionFields): Promise<KernelMessage> {
    if (this.cancelled.aborted && fields.t !== 'settle') return Promise.reject(this.cancelled.reason)
    if (this.#isClosed) return Promise.reject(new FailureError(failure('system:cancelled')))
    if (this.#pending !== null) return Promise.reject(new Error('a question is still unanswered'))
    return new Promise((resolve, reject) => {
      const n = this.#post(fields)
      this.#pending = { n, t: fields.t, resolve, reject }
    })
  }

  /** Throws a FailureError when the message breaks the protocol, as one above MESSAGE_BYTES does. */
  #post(fields: MessageFields): number {
    const message = { v: PROTOCOL_VERSION, n: this.#n + 1, ...fields }
    if (decodeWorkerMessage(message) === undefined) throw new FailureError(failure('system:protocol'))
    this.#n += 1
    this.#port.postMessage(message)
    return this.#n
  }

  #receive(message: unknown): void {
    const decoded = decodeKernelMessage(message)
    if (decoded === undefined) return this.#abort('system:protocol')
    switch (decoded.t) {
      case 'ping':
        this.#post({ t: 'pong' })
        return
      case 'cancel':
        if (!this.cancelled.aborted) this.#byKernel = true
        return this.#abort(isFailureCode(decoded.reason) ? decoded.reason : 'system:cancelled')
      case 'reserve':
      case 'settle':
      case 'tool':
      case 'answer':
        return this.#answered(decoded)
    }
  }

  #answered(message: KernelMessage): void {
    const pending = this.#pending
    if (pending === null || pending.n !== message.n || pending.t !== message.t) {
      // after an end, the answer to a question that is no longer waited for may still come
      if (!this.cancelled.aborted) this.#abort('system:protocol')
      return
    }
    this.#pending = null
    pending.resolve(message)
  }

  #abort(code: FailureCode): void {
    if (this.cancelled.aborted) return
    const reason = new FailureError(failure(code))
    this.#stopNet()
    this.#stopNet = this.#clock.after(GRACE_MS, () => this.#rejectAbandoned(reason))
    this.#controller.abort(reason)
    if (this.#pending === null || this.#pending.t === 'settle') return
    this.#pending.reject(reason)
    this.#pending = null
  }

  /** The kernel closed the channel: nobody listens any more. */
  #lost(): void {
    if (this.#isClosed) return
    this.#abort('system:cancelled')
    const pending = this.#pending
    this.#pending = null
    pending?.reject(this.cancelled.reason)
  }
}

type FieldsOf<M> = M extends WorkerMessage ? Omit<M, 'v' | 'n'> : never
type MessageFields = FieldsOf<WorkerMessage>
type QuestionFields = Extract<MessageFields, { t: Question }>

/** An answer without its head: `#answered` has made sure that it is of the question's kind. */
function withoutHead(message: KernelMessage): object {
  const { v: _v, n: _n, t: _t, ...answer } = message
  return answer
}
