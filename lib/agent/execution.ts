import type { CardRef } from '../cards/index.js'
import { failure, FailureError, isAuthorization, type Failure } from '../core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../core/ids.js'
import { fail, type Result } from '../core/result.js'
import type { AgentJob } from '../pool/index.js'
import type { Message } from '../text/index.js'
import { AuthorTime } from './author-time.js'
import type { Budget } from './budget.js'
import type {
  AnyToolType,
  CompleteOptions,
  Configured,
  ExecutionContext,
  Observation,
  ReactOptions,
  ReactOutcome,
} from './context.js'
import type { Kernel } from './kernel.js'
import type { DataRegistry, RegistryType } from '../registry/index.js'
import type { LiveRequest } from './live-request.js'
import type { RegisteredModule } from './module.js'
import { agentJob } from './dialogue/agent-job.js'
import { converse } from './dialogue/conversation.js'
import { answerSchemaText, judgeAnswer } from './dialogue/judge.js'
import { ToolContext } from './dialogue/tool-context.js'
import type { ServiceKey } from './services.js'
import { isGuess, selectionRefusal } from './routing/doors.js'
import { ModuleOwner, ToolOwners } from './ownership.js'
import { ToolRuns } from './tool-runs.js'
import type { RegisteredTool, ToolType } from './tool.js'

/** The execution context of one module run inside one request. */
export class Execution implements ExecutionContext {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #module: RegisteredModule
  readonly #budget: Budget
  readonly #time: AuthorTime
  readonly #runs: ToolRuns
  readonly #owner: ModuleOwner

  constructor(kernel: Kernel, run: { request: LiveRequest; module: RegisteredModule; budget: Budget }) {
    this.#kernel = kernel
    this.#request = run.request
    this.#module = run.module
    this.#budget = run.budget
    this.#time = new AuthorTime(`module ${run.module.id}`, kernel)
    this.#owner = new ModuleOwner(kernel, run.request, run.module.id)
    this.#runs = new ToolRuns(kernel, run.request, () => this.check())
  }

  /** Starts the workflow, with its own computing measured. */
  async measured(work: () => unknown): Promise<unknown> {
    const refused = selectionRefusal(this.#module, this.#request.source)
    if (refused !== null) throw new FailureError(refused)
    this.#time.begin()
    try {
      const started = work()
      this.#time.stop()
      return await started
    } finally {
      this.#time.stop()
    }
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

  registry<T>(type: RegistryType<T>): DataRegistry<T> {
    return this.#request.settings.content.registry(type)
  }

  check(): void {
    this.#request.check()
    const denied =
      this.#kernel.access(this.player, this.#module.id, this.#request.settings.content) ?? this.#owner.lost()
    if (denied !== null) throw new FailureError(denied)
  }

  get configuration(): Configured | null {
    return this.#owner.configuration
  }

  configurations(type: Identifier): readonly Configured[] {
    const open = this.#kernel.configurations(this.player, this.#request.settings.content)
    return open
      .filter(({ value }) => value.type === type)
      .map(({ id, value }) => ({ id, parameters: value.parameters }))
  }

  service<T>(key: ServiceKey<T>): T {
    return this.#kernel.services.get(key, `module ${this.#module.id}`)
  }

  progress(message: Message): void {
    if (this.#request.stopReason() === null) this.#request.onProgress(message)
  }

  tool<I, O>(type: ToolType<I, O>, input: I): Promise<Result<O>> {
    this.#time.stop()
    return this.#time.resume(this.#tool(type, input))
  }

  react<A>(options: ReactOptions<A>): Promise<ReactOutcome<A>> {
    this.#time.stop()
    return this.#time.resume(this.#react(options))
  }

  complete<A>(options: CompleteOptions<A>): Promise<Result<A>> {
    this.#time.stop()
    return this.#time.resume(this.#complete(options))
  }

  async #tool<I, O>(type: ToolType<I, O>, input: I): Promise<Result<O>> {
    const tool = this.#ownTool(type)
    if (tool === undefined) return fail('system:unknown_tool', { tool: type.id })
    const owners = new ToolOwners(this.#kernel, this.#request)
    owners.bind(tool)
    const entered = this.#enter(tool, owners)
    if (!entered.ok) return entered
    const decoded = this.#runs.decode(tool, input)
    if (!decoded.ok) return decoded
    // the output was decoded by this very type's schema
    return (await this.#run(tool, decoded.value, owners)) as Result<O>
  }

  async #react<A>(options: ReactOptions<A>): Promise<ReactOutcome<A>> {
    this.check()
    const failed = (reason: Failure, observations: readonly Observation[] = []): ReactOutcome<A> => ({
      end: 'failed',
      failure: reason,
      observations,
    })
    const { reactIterations } = this.#budget.policy
    if (reactIterations < 1) return failed(failure('system:loop_disabled'))
    const owners = new ToolOwners(this.#kernel, this.#request)
    const offered = this.#offered(options.tools, owners)
    const job = this.#job('react', options, { rounds: reactIterations, offered })
    if (!job.ok) return failed(job.failure)
    const tools = new ToolContext(offered, {
      enter: (tool) => this.#enter(tool, owners),
      run: (tool, input) => this.#run(tool, input, owners),
      broken: (tool, cause) => this.#runs.broken(tool, cause),
    })
    const ended = await this.#converse(options, job.value, tools)
    owners.checkUsed()
    return ended.ok
      ? { end: 'answer', answer: ended.value, observations: tools.observations }
      : failed(ended.failure, tools.observations)
  }

  async #complete<A>(options: CompleteOptions<A>): Promise<Result<A>> {
    this.check()
    const job = this.#job('complete', options, { rounds: 1, offered: [] })
    return job.ok ? this.#converse(options, job.value, null) : job
  }

  async #converse<A>(
    options: CompleteOptions<A> & Pick<ReactOptions<A>, 'keep'>,
    job: AgentJob,
    tools: ToolContext | null,
  ): Promise<Result<A>> {
    const { answer: schema, keep } = options
    const ended = await converse(this.#kernel, this.#request, {
      job,
      budget: this.#budget,
      tools,
      judge: (text) =>
        judgeAnswer(text, {
          schema,
          prompt: job.prompt,
          observations: tools?.observations ?? [],
          ...(keep === undefined ? {} : { keep }),
        }),
    })
    this.check()
    return ended
  }

  /** The read-only tools of the module, or those of them that were named, that are open to the player. */
  #offered(types: readonly AnyToolType[] | undefined, owners: ToolOwners): readonly RegisteredTool[] {
    const { registry } = this.#kernel
    const tools =
      types?.map((type) => this.#ownTool(type)) ?? this.#module.tools.map((id) => registry.findTool(id))
    return tools
      .filter((tool) => tool !== undefined)
      .filter((tool) => !tool.write && owners.bind(tool) === null)
  }

  /** The registered tool of this very type object, if the module declares it. */
  #ownTool(type: AnyToolType): RegisteredTool | undefined {
    const tool = this.#kernel.registry.findTool(type.id)
    return tool?.type === type && this.#module.tools.includes(tool.id) ? tool : undefined
  }

  #job(
    kind: 'react' | 'complete',
    options: CompleteOptions<unknown>,
    loop: { rounds: number; offered: readonly RegisteredTool[] },
  ): Result<AgentJob> {
    return agentJob(this.#kernel, this.#request, {
      kind,
      question: options.question,
      prompt: options.prompt,
      rounds: loop.rounds,
      catalogue: loop.offered.map((tool) => ({
        id: tool.id,
        description: tool.reasoning ?? tool.id,
        schemaText: tool.schemaText,
      })),
      answerSchemaText: answerSchemaText(options.answer),
      budget: this.#budget,
    })
  }

  /** Rights and budget of one attempt to call a tool. Throws when the request may not go on. */
  #enter(tool: RegisteredTool, owners: ToolOwners): Result<void> {
    this.check()
    owners.check(tool)
    // a sentence that no model and no command has read starts nothing that writes
    if (tool.write && isGuess(this.#request.source)) throw new FailureError(failure('system:no_permission'))
    return this.#budget.takeToolCall(tool.write ? 'write' : 'read')
  }

  /** Runs a decoded call by the tool's kind; the rights are looked at again behind it. */
  async #run(tool: RegisteredTool, input: unknown, owners: ToolOwners): Promise<Result<unknown>> {
    const outcome = await this.#runs.run(tool, input, owners.configuration(tool))
    this.check()
    owners.check(tool)
    if (!outcome.ok && isAuthorization(outcome.failure.code)) throw new FailureError(outcome.failure)
    return outcome
  }
}
