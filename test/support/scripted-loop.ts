import { runConversation } from '../../lib/agent/react/index.js'
import type { ChatOutcome, ChatRequest } from '../../lib/agent/models/transport.js'
import { FailureError, failure } from '../../lib/core/failure.js'
import type {
  AgentJob,
  AnswerAnswer,
  JobEnd,
  KernelLink,
  ReserveAnswer,
  ToolAnswer,
  Usage,
} from '../../lib/pool/index.js'
import { agentJob } from './agent-job.js'

export const USAGE: Usage = { prompt: 10, cached: 0, output: 5, reasoning: 0 }

/** What the model and the kernel say, in order. A missing entry of the kernel's is its usual answer. */
export interface Script {
  readonly job?: Partial<AgentJob>
  readonly replies: readonly (string | ChatOutcome | Error)[]
  readonly reserves?: readonly (ReserveAnswer | undefined)[]
  readonly tools?: readonly (ToolAnswer | undefined)[]
  readonly answers?: readonly (AnswerAnswer | undefined)[]
  /** The request is cancelled during this call of the model, from 1. */
  readonly cancelAt?: number
}

export interface Trace {
  readonly end: JobEnd | 'cancelled'
  readonly requests: readonly ChatRequest[]
  /** The user messages, parsed. */
  readonly users: readonly Record<string, unknown>[]
  readonly reserved: readonly { round: number; inputBytes: number; outputTokens: number }[]
  readonly settled: readonly {
    reservationId: number
    usage: Usage | null
    finish: string
    httpStatus: number
  }[]
  readonly tools: readonly { round: number; tool: string; inputText: string }[]
  readonly answers: readonly string[]
}

export const reply = (text: string, over: { finish?: string; usage?: Usage | null } = {}): ChatOutcome => ({
  ok: true,
  text,
  finish: 'stop',
  usage: USAGE,
  httpStatus: 200,
  ...over,
})

/** A call that failed. */
export const down = (over: Partial<ChatOutcome & { ok: false }> = {}): ChatOutcome => ({
  ok: false,
  code: 'system:model_unavailable',
  usage: null,
  httpStatus: 0,
  unbilled: false,
  ...over,
})

/** The observation that the scripted kernel makes of a call unless the script says otherwise. */
export const observation = (id: number, tool = 'item.query'): ToolAnswer => ({
  obs: id,
  text: `{"id":${id},"tool":${JSON.stringify(tool)},"input":{},"output":{"count":${id}}}`,
})

/** Runs a job against the script. A script with too few replies fails the run. */
export async function runScript(script: Script): Promise<Trace> {
  const controller = new AbortController()
  const requests: ChatRequest[] = []
  const trace = { reserved: [], settled: [], tools: [], answers: [] } as {
    reserved: Trace['reserved'][number][]
    settled: Trace['settled'][number][]
    tools: Trace['tools'][number][]
    answers: string[]
  }
  const grant = (): ReserveAnswer => ({
    ok: true,
    reservationId: trace.reserved.length,
    timeoutMs: 1_000 * trace.reserved.length,
    finalOnly: false,
  })
  const link: KernelLink = {
    cancelled: controller.signal,
    progress() {},
    reserve(fields) {
      const index = trace.reserved.push(fields) - 1
      return Promise.resolve(script.reserves?.[index] ?? grant())
    },
    settle: (fields) => Promise.resolve(void trace.settled.push(fields)),
    tool(fields) {
      const index = trace.tools.push(fields) - 1
      return Promise.resolve(script.tools?.[index] ?? observation(index + 1, fields.tool))
    },
    answer(text) {
      const index = trace.answers.push(text) - 1
      return Promise.resolve(script.answers?.[index] ?? { ok: true })
    },
  }
  const send = (request: ChatRequest): Promise<ChatOutcome> => {
    const next = script.replies[requests.push(request) - 1] ?? new Error('the script is over')
    if (requests.length === script.cancelAt) controller.abort(new FailureError(failure('system:cancelled')))
    if (next instanceof Error) return Promise.reject(next)
    return Promise.resolve(typeof next === 'string' ? reply(next) : next)
  }
  const job = agentJob(script.job)
  const end = await runConversation({ job, link, transport: { send } }).catch((thrown: unknown) => {
    if (thrown === controller.signal.reason) return 'cancelled' as const
    throw thrown
  })
  const users = requests.map(({ user }) => JSON.parse(user) as Record<string, unknown>)
  return { end, requests, users, ...trace }
}
