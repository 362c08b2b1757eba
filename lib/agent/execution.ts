import type { CardRef } from '../cards/index.js'
import { failure, FailureError, type Failure } from '../core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { AgentJob } from '../pool/index.js'
import type { Message } from '../text/index.js'
import { AuthorTime } from './author-time.js'
import type { Budget } from './budget.js'
import type {
  CompleteOptions,
  Configured,
  ExecutionContext,
  Observation,
  ReactOptions,
  ReactOutcome,
  ToolOptions,
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
import { selectionRefusal } from './routing/doors.js'
import { conversationOf, type Turn } from './memory.js'
import { ModuleOwner } from './ownership.js'
import { requestStore, type RequestStore } from './request-store.js'
import { ToolDoor } from './tool-door.js'
import type { RegisteredTool, ToolType } from './tool.js'

/** The execution context of one module run inside one request. */
export class Execution implements ExecutionContext {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #module: RegisteredModule
  readonly #budget: Budget
  readonly #time: AuthorTime
  readonly #owner: ModuleOwner
  readonly #door: ToolDoor

  constructor(kernel: Kernel, run: { request: LiveRequest; module: RegisteredModule; budget: Budget }) {
    this.#kernel = kernel
    this.#request = run.request
    this.#module = run.module
    this.#budget = run.budget
    this.#time = new AuthorTime(`module ${run.module.id}`, kernel)
    this.#owner = new ModuleOwner(kernel, run.request, run.module.id)
    this.#door = new ToolDoor(kernel, { ...run, check: () => this.check() })
  }

  /** A context inside of this one: another module of the same request, whose policy this one's budget tightens. */
  nested(module: RegisteredModule): Execution {
    const policy = this.#request.settings.policy(module.id, module.policy)
    return new Execution(this.#kernel, {
      request: this.#request,
      module,
      budget: this.#budget.nested(policy),
    })
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

  conversation(): readonly Turn[] {
    this.check()
    return conversationOf(this.#kernel, this.#request)
  }

  progress(message: Message): void {
    if (this.#request.stopReason() === null) this.#request.onProgress(message)
  }

  tool<I, O>(type: ToolType<I, O>, input: I, options: ToolOptions = {}): Promise<Result<O>> {
    this.#time.stop()
    return this.#time.resume(this.#door.call(type, input, options))
  }

  store(): RequestStore {
    return requestStore(this.#kernel.store.online(this.player), {
      check: () => this.check(),
      enter: () => {
        this.#door.mayWrite()
        const taken = this.#budget.takeToolCall('write')
        if (!taken.ok) return taken.failure
        this.#budget.closeWrite()
        return null
      },
    })
  }

  react<A>(options: ReactOptions<A>): Promise<ReactOutcome<A>> {
    this.#time.stop()
    return this.#time.resume(this.#react(options))
  }

  complete<A>(options: CompleteOptions<A>): Promise<Result<A>> {
    this.#time.stop()
    return this.#time.resume(this.#complete(options))
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
    const owners = this.#door.owners()
    const offered = this.#door.offered(options.tools, owners)
    const job = this.#job('react', options, { rounds: reactIterations, offered })
    if (!job.ok) return failed(job.failure)
    const tools = new ToolContext(offered, {
      enter: (tool) => this.#door.enter(tool, owners),
      run: (tool, input) => this.#door.run(tool, input, { owners }),
      broken: (tool, cause) => this.#door.broken(tool, cause),
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

  #job(
    kind: 'react' | 'complete',
    options: CompleteOptions<unknown>,
    loop: { rounds: number; offered: readonly RegisteredTool[] },
  ): Result<AgentJob> {
    return agentJob(this.#kernel, this.#request, {
      kind,
      question: options.question,
      prompt: options.prompt,
      values: options.values,
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
}
