import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { CancelTimer, Clock } from '../core/clock.js'
import { toFailure, type FailureCode } from '../core/failure.js'
import type { Logger } from '../core/logger.js'
import { fail, ok, type Result } from '../core/result.js'
import {
  NO_USAGE,
  PROTOCOL_VERSION,
  decodeKernelMessage,
  decodeWorkerMessage,
  jobEndSchema,
  type AgentJob,
  type AnswerAnswer,
  type JobEnd,
  type ReserveAnswer,
  type ToolAnswer,
  type WorkerMessageOf,
} from './protocol.js'
import type { ThreadGroup } from './thread-group.js'

/** Period of the question whether the thread still reacts; asked only when nothing came from it in the last one. */
const PING_MS = 1_000
/**
 * So many pings without an answer end the thread. Pings are counted, not milliseconds: after a pause of the main
 * thread the answers wait behind the timer, and a healthy thread would look dead.
 */
const PING_LIMIT = 5
/** A thread that starts (about 0.35 s on a loaded machine) must have said hello after so many pings. */
const HELLO_LIMIT = 15
/** After a cancel: how long what the worker still has to say is heard. */
const GRACE_MS = 1_000

/** Messages that the worker waits for an answer to. */
type Question = WorkerMessageOf<'reserve' | 'settle' | 'tool' | 'answer'>
type Answer = ReserveAnswer | ToolAnswer | AnswerAnswer | Record<string, never>

/** What the kernel does with the messages of one job. A throwing handler ends the job with its failure. */
export interface AgentHandlers {
  reserve(message: WorkerMessageOf<'reserve'>): Promise<ReserveAnswer>
  /**
   * Also called after the end: until `released` with what the worker still reports, and at any time, with zero usage,
   * for a grant of `reserve` that came too late to reach it.
   */
  settle(message: WorkerMessageOf<'settle'>): Promise<void>
  tool(message: WorkerMessageOf<'tool'>): Promise<ToolAnswer>
  answer(message: WorkerMessageOf<'answer'>): Promise<AnswerAnswer>
  progress(message: WorkerMessageOf<'progress'>): void | Promise<void>
}

/** A job under way. */
export interface AgentCall {
  /** The one outcome; never rejects. */
  readonly done: Promise<Result<JobEnd>>
  /** The worker isn't heard any more: what it still had reserved is to be charged, and the lane slot is free. */
  readonly released: Promise<void>
  /** Ends the request now; the worker is told and has GRACE_MS for its last `settle`. Idempotent. */
  cancel(reason: FailureCode): void
}

/** What a call needs beside the group and the job. */
export interface AgentCallOptions {
  readonly handlers: AgentHandlers
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Runs one job in the agent group and serves its messages. Failures: `system:protocol` (a malformed, oversized,
 * out-of-order or second unanswered message), `system:worker_lost`, `system:busy`, `system:stopping`,
 * `system:internal`, and whatever a handler throws as FailureError.
 */
export function runAgentJob(group: ThreadGroup, job: AgentJob, options: AgentCallOptions): AgentCall {
  const call = new KernelEnd(group, job, options)
  return { done: call.done, released: call.released, cancel: (reason) => call.cancel(reason) }
}

/** The kernel's end of one job's channel. */
class KernelEnd {
  readonly done: Promise<Result<JobEnd>>
  readonly released: Promise<void>
  readonly #group: ThreadGroup
  readonly #requestId: string
  readonly #handlers: AgentHandlers
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #port: MessagePort
  /**
   * `open`: everything is served. `ended`: only settlements are. `released`: nothing is; the port stays for pings
   * while the thread might hang. `closed`.
   */
  #phase: 'open' | 'ended' | 'released' | 'closed' = 'open'
  #resolveDone: (result: Result<JobEnd>) => void = () => {}
  #resolveReleased: () => void = () => {}
  #lastN = 0
  #pending: Question | null = null
  #round = 0
  #threadId: number | null = null
  /** Pings without an answer; -1 once anything came: a thread that speaks needs not be asked whether it lives. */
  #unanswered = 0
  #stopPings: CancelTimer = () => {}
  #stopGrace: CancelTimer = () => {}

  constructor(group: ThreadGroup, job: AgentJob, { handlers, clock, logger }: AgentCallOptions) {
    this.#group = group
    this.#requestId = job.requestId
    this.#handlers = handlers
    this.#clock = clock
    this.#logger = logger
    this.done = new Promise((resolve) => (this.#resolveDone = resolve))
    this.released = new Promise((resolve) => (this.#resolveReleased = resolve))
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on('message', (message: unknown) => this.#receive(message))
    port1.on('messageerror', () => this.#violated('unreadable'))
    port1.on('close', () => this.#portClosed())
    void this.#run(job, port2)
  }

  cancel(reason: FailureCode): void {
    this.#end(ok({ end: 'cancelled', code: reason, rounds: this.#round }), reason)
  }

  async #run(job: AgentJob, port: MessagePort): Promise<void> {
    const result = await this.#group.run(
      { job, port },
      {
        transferList: [port],
        isAbandoned: () => this.#phase !== 'open',
        onStart: () => {
          this.#stopPings = this.#clock.every(PING_MS, () => this.#ping())
        },
      },
    )
    if (!result.ok) this.#resolveDone(result)
    else {
      const end = jobEndSchema.safeParse(result.value)
      this.#resolveDone(end.success ? ok(end.data) : fail('system:protocol'))
    }
    this.#close()
  }

  #receive(message: unknown): void {
    if (this.#phase === 'closed') return
    const decoded = decodeWorkerMessage(message)
    if (decoded === undefined) return this.#violated('malformed')
    this.#unanswered = -1
    if (decoded.t === 'hello') this.#threadId ??= decoded.threadId
    // a sign of life counts even from a job that has broken the protocol: its thread serves others
    if ((decoded.t === 'hello' || decoded.t === 'pong') && this.#phase === 'released') this.#close()
    if (decoded.n !== this.#lastN + 1) return this.#violated('out of order')
    this.#lastN = decoded.n
    switch (decoded.t) {
      case 'hello':
      case 'pong':
        return
      case 'progress':
        if (this.#phase === 'open') void this.#guard(async () => this.#handlers.progress(decoded))
        return
      case 'reserve':
      case 'settle':
      case 'tool':
      case 'answer':
        return this.#question(decoded)
    }
  }

  #question(message: Question): void {
    // the worker may have sent it before it heard of the end
    if (this.#phase === 'released' || (this.#phase === 'ended' && message.t !== 'settle')) return
    if (this.#phase === 'open') {
      if (this.#pending !== null) return this.#violated('second unanswered')
      this.#pending = message
    }
    if (message.t === 'reserve') this.#round = Math.max(this.#round, message.round)
    void this.#guard(async () => {
      const answer = await this.#handle(message)
      if (this.#phase === 'open' || (this.#phase === 'ended' && message.t === 'settle'))
        this.#reply(message, answer)
      else await this.#takeBack(message, answer)
    })
  }

  async #handle(message: Question): Promise<Answer> {
    switch (message.t) {
      case 'reserve':
        return this.#handlers.reserve(message)
      case 'tool':
        return this.#handlers.tool(message)
      case 'answer':
        return this.#handlers.answer(message)
      case 'settle':
        break
    }
    await this.#handlers.settle(message)
    return {}
  }

  #reply(message: Question, answer: Answer): void {
    const flat = { ...answer, v: PROTOCOL_VERSION, n: message.n, t: message.t }
    if (this.#pending === message) this.#pending = null
    if (decodeKernelMessage(flat) === undefined) {
      this.#logger.error(`request ${this.#requestId}: the answer to ${message.t} is malformed or too large`)
      this.#end(fail('system:internal'), 'system:internal')
    } else this.#port.postMessage(flat)
  }

  /** A grant that cannot reach the worker any more was certainly not used. */
  async #takeBack(message: Question, answer: Answer): Promise<void> {
    if (message.t !== 'reserve' || !('reservationId' in answer)) return
    await this.#handlers.settle({
      v: PROTOCOL_VERSION,
      n: message.n,
      t: 'settle',
      reservationId: answer.reservationId,
      usage: NO_USAGE,
      finish: 'system:cancelled',
      httpStatus: 0,
    })
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      const reason = toFailure(thrown)
      if (reason.code === 'system:internal') {
        this.#logger.error(`request ${this.#requestId}: a handler failed`, reason.cause)
      }
      this.#end({ ok: false, failure: reason }, reason.code)
    }
  }

  #violated(what: string): void {
    if (this.#phase !== 'open') return
    this.#logger.warn(`request ${this.#requestId}: ${what} message from its worker`)
    this.#end(fail('system:protocol'), 'system:protocol')
  }

  /**
   * The thread is gone, or its job has closed the port. The group learns of a lost thread a moment later: until then
   * whoever asks again at once would be given to it, so its word is waited for.
   */
  #portClosed(): void {
    if (this.#phase === 'closed') return
    this.#stopPings()
    this.#stopGrace()
    this.#stopGrace = this.#clock.after(GRACE_MS, () => this.#threadGone())
  }

  #threadGone(): void {
    this.#resolveDone(fail(this.#group.isClosing ? 'system:stopping' : 'system:worker_lost'))
    this.#close()
  }

  #ping(): void {
    if (this.#unanswered < 0) {
      this.#unanswered = 0
      return
    }
    const limit = this.#threadId === null ? HELLO_LIMIT : PING_LIMIT
    if (this.#unanswered >= limit) {
      this.#logger.warn(`request ${this.#requestId}: its thread doesn't react and is ended`)
      // each request of the thread sees its port close
      this.#group.terminate(this.#threadId)
      return this.#threadGone()
    }
    this.#unanswered += 1
    this.#port.postMessage({ v: PROTOCOL_VERSION, n: 0, t: 'ping' })
  }

  /** Resolves the job, tells the worker, and goes on listening for its settlements during the grace. */
  #end(result: Result<JobEnd>, reason: FailureCode): void {
    if (this.#phase !== 'open') return
    this.#phase = 'ended'
    // whether it still lives is now a question: what came before the end doesn't answer it
    this.#unanswered = Math.max(0, this.#unanswered)
    this.#resolveDone(result)
    this.#port.postMessage({ v: PROTOCOL_VERSION, n: 0, t: 'cancel', reason })
    this.#stopGrace()
    this.#stopGrace = this.#clock.after(GRACE_MS, () => this.#graceOver())
  }

  #graceOver(): void {
    if (this.#phase !== 'ended') return
    this.#phase = 'released'
    this.#resolveReleased()
    // a thread with an open ping may hang: it is watched until it answers, ends its job or is ended
    if (this.#unanswered <= 0) this.#close()
  }

  #close(): void {
    if (this.#phase === 'closed') return
    this.#phase = 'closed'
    this.#stopPings()
    this.#stopGrace()
    this.#port.close()
    this.#resolveReleased()
  }
}
