import type { CardRef } from '../cards/index.js'
import { failure, FailureError, isAuthorization, toFailure } from '../core/failure.js'
import type { PlayerId, RequestId } from '../core/ids.js'
import { fail, type Result } from '../core/result.js'
import type { AgentJob } from '../pool/index.js'
import type { Message } from '../text/index.js'
import type { Budget } from './budget.js'
import type { AnyToolType, CompleteOptions, ExecutionContext, ReactOptions, ReactOutcome } from './context.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { RegisteredModule } from './module.js'
import { converse } from './dialogue/conversation.js'
import { answerSchemaText, judgeAnswer } from './dialogue/judge.js'
import { ToolContext } from './dialogue/tool-context.js'
import type { RegisteredTool, ToolCall, ToolType } from './tool.js'

/** The execution context of one module run inside one request. */
export class Execution implements ExecutionContext {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #module: RegisteredModule
  readonly #budget: Budget

  constructor(kernel: Kernel, run: { request: LiveRequest; module: RegisteredModule; budget: Budget }) {
    this.#kernel = kernel
    this.#request = run.request
    this.#module = run.module
    this.#budget = run.budget
  }

  get requestId(): RequestId {
    return this.#request.id
  }

  get player(): PlayerId {
    return this.#request.player
  }

  get playerName(): string {
    return this.#request.session.name
  }

  get language(): string {
    return this.#request.session.language
  }

  get card(): CardRef | null {
    return this.#request.card
  }

  check(): void {
    this.#request.check()
    const denied = this.#kernel.access(this.player, this.#module.id)
    if (denied !== null) throw new FailureError(denied)
  }

  progress(message: Message): void {
    if (this.#request.stopReason() === null) this.#request.onProgress(message)
  }

  async tool<I, O>(type: ToolType<I, O>, input: I): Promise<Result<O>> {
    const tool = this.#ownTool(type)
    if (tool === undefined) return fail('system:unknown_tool', { tool: type.id })
    const decoded = tool.decodeInput(input)
    if (!decoded.ok) return decoded
    // the output was decoded by this very type's schema
    return (await this.#callTool(tool, decoded.value)) as Result<O>
  }

  async react<A>(options: ReactOptions<A>): Promise<ReactOutcome<A>> {
    this.check()
    const { policy } = this.#budget
    if (policy.reactIterations < 1)
      return { end: 'failed', failure: failure('system:loop_disabled'), observations: [] }
    const offered = this.#offered(options.tools)
    const tools = new ToolContext(offered, (tool, input) => this.#callTool(tool, input))
    const job = this.#job('react', options, policy.reactIterations)
    if (!job.ok) return { end: 'failed', failure: job.failure, observations: [] }
    job.value.catalogue = offered.map((tool) => ({
      id: tool.id,
      description: tool.reasoning ?? tool.id,
      schemaText: tool.schemaText,
    }))
    const ended = await converse(this.#kernel, this.#request, {
      job: job.value,
      budget: this.#budget,
      tools,
      judge: (text) =>
        judgeAnswer(text, {
          schema: options.answer,
          prompt: job.value.prompt,
          observations: tools.observations,
          ...(options.keep === undefined ? {} : { keep: options.keep }),
        }),
    })
    this.check()
    return ended.ok
      ? { end: 'answer', answer: ended.value, observations: tools.observations }
      : { end: 'failed', failure: ended.failure, observations: tools.observations }
  }

  async complete<A>(options: CompleteOptions<A>): Promise<Result<A>> {
    this.check()
    const job = this.#job('complete', options, 1)
    if (!job.ok) return job
    const ended = await converse(this.#kernel, this.#request, {
      job: job.value,
      budget: this.#budget,
      tools: null,
      judge: (text) =>
        judgeAnswer(text, { schema: options.answer, prompt: job.value.prompt, observations: [] }),
    })
    this.check()
    return ended
  }

  /** The read-only tools of the module, or those of them that were named. */
  #offered(types: readonly AnyToolType[] | undefined): readonly RegisteredTool[] {
    const { registry } = this.#kernel
    const tools =
      types?.map((type) => this.#ownTool(type)) ?? this.#module.tools.map((id) => registry.findTool(id))
    return tools.filter((tool) => tool !== undefined).filter((tool) => !tool.write)
  }

  /** The registered tool of this very type object, if the module declares it. */
  #ownTool(type: AnyToolType): RegisteredTool | undefined {
    const tool = this.#kernel.registry.findTool(type.id)
    return tool?.type === type && this.#module.tools.includes(tool.id) ? tool : undefined
  }

  #job(
    kind: 'react' | 'complete',
    options: { question: string; prompt: string; answer: CompleteOptions<unknown>['answer'] },
    rounds: number,
  ): Result<AgentJob> {
    return agentJob(this.#kernel, this.#request, {
      kind,
      question: options.question,
      prompt: options.prompt,
      rounds,
      answerSchemaText: answerSchemaText(options.answer),
      budget: this.#budget,
    })
  }

  /** One attempt to call a tool: rights, budget, the run by the tool's kind, and the same rights again. */
  async #callTool(tool: RegisteredTool, input: unknown): Promise<Result<unknown>> {
    this.check()
    const taken = this.#budget.takeToolCall(tool.write ? 'write' : 'read')
    if (!taken.ok) return taken
    const outcome = await this.#runTool(tool, input)
    this.check()
    if (!outcome.ok) {
      if (isAuthorization(outcome.failure.code)) throw new FailureError(outcome.failure)
      return outcome
    }
    const decoded = tool.decodeOutput(outcome.value)
    if (!decoded.ok)
      this.#kernel.logger.error(`tool ${tool.id} broke its own output schema`, decoded.failure.cause)
    return decoded
  }

  async #runTool(tool: RegisteredTool, input: unknown): Promise<Result<unknown>> {
    const call = { player: this.player, language: this.language, signal: this.#request.signal }
    const ended = this.#request.whenEnded.then((reason): never => {
      throw new FailureError(reason)
    })
    // a handler that throws at once never comes to the race below
    ended.catch(() => {})
    try {
      const running = tool.kind === 'async' ? tool.run(input, call) : this.#runInTick(tool, input, call)
      return { ok: true, value: await Promise.race([running, ended]) }
    } catch (thrown) {
      const reason = toFailure(thrown)
      if (reason.code !== 'system:internal') return { ok: false, failure: reason }
      this.#kernel.logger.error(`tool ${tool.id} failed`, reason.cause)
      return fail('system:tool_failed', { tool: tool.id }, reason.cause)
    }
  }
  async #runInTick(tool: RegisteredTool, input: unknown, call: ToolCall): Promise<unknown> {
    const outcome = await this.#kernel.scheduler.schedule({
      player: this.player,
      label: `tool ${tool.id}`,
      run: () => {
        // a request that ended while this waited for its tick touches the game no more
        this.#request.check()
        return tool.run(input, call)
      },
    })
    if (!outcome.ok) throw new FailureError(outcome.failure)
    return outcome.value
  }
}

/** What every job of the agent group has in common. Fails with `system:no_model`, or as the prompt fails. */
export function agentJob(
  kernel: Kernel,
  request: LiveRequest,
  parts: {
    kind: AgentJob['kind']
    question: string
    prompt: string
    rounds: number
    answerSchemaText: string
    budget: Budget
  },
): Result<AgentJob> {
  const model = kernel.model()
  if (model === null) return fail('system:no_model')
  const prompt = kernel.prompt(parts.prompt)
  if (!prompt.ok) return prompt
  const { policy } = parts.budget
  const { language, name } = request.session
  return {
    ok: true,
    value: {
      kind: parts.kind,
      requestId: request.id,
      prompt: prompt.value,
      question: parts.question,
      contextText: JSON.stringify({
        language,
        player: name,
        game: `Minecraft ${kernel.gameVersion}`,
        time: new Date(request.acceptedTime).toISOString(),
      }),
      catalogue: [],
      answerSchemaText: parts.answerSchemaText,
      rounds: Math.min(parts.rounds, 64),
      perCall: {
        outputTokens: policy.outputTokens,
        inputBytes: policy.inputBytes,
        timeoutMs: policy.modelTimeoutMillis,
      },
      remainingMs: Math.floor(parts.budget.remainingMs()),
      endpoint: model.endpoint,
      endUser: kernel.endUser(request.player),
      trustMarker: kernel.ids.token(),
    },
  }
}
