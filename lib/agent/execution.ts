import type { AiLevel } from '../core/ai-level.js'
import type { CardRef } from '../cards/index.js'
import { failure, FailureError, type Failure } from '../core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../core/ids.js'
import type { Result } from '../core/result.js'
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
import { askFor, jobFor, type Asking } from './dialogue/asking.js'
import { ToolContext } from './dialogue/tool-context.js'
import type { ServiceKey } from './services.js'
import { selectionRefusal } from './routing/doors.js'
import { conversationOf, type Turn } from './memory.js'
import { ModuleOwner } from './ownership.js'
import { requestStore, type RequestStore } from './request-store.js'
import { ToolDoor } from './tool-door.js'
import type { ToolType } from './tool.js'
import { WorkflowTools, type Nested } from './workflow-tools.js'

/** The execution context of one module run inside one request. */
export class Execution implements ExecutionContext {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #module: RegisteredModule
  readonly #budget: Budget
  readonly #time: AuthorTime
  readonly #owner: ModuleOwner
  readonly #door: ToolDoor
  /** Null: it is the request's own. */
  readonly #nested: Nested | null

  constructor(
    kernel: Kernel,
    run: { request: LiveRequest; module: RegisteredModule; budget: Budget; nested?: Nested },
  ) {
    this.#nested = run.nested ?? null
    this.#kernel = kernel
    this.#request = run.request
    this.#module = run.module
    this.#budget = run.budget
    this.#time = new AuthorTime(`module ${run.module.id}`, kernel)
    this.#owner = new ModuleOwner(kernel, run.request, run.module.id)
    this.#door = new ToolDoor(kernel, { ...run, check: () => this.check() })
  }

  /** A context inside of this one: another module of the same request, whose policy this one's budget tightens. */
  nested(module: RegisteredModule, nested: Nested = { isOver: false }): Execution {
    const request = this.#request
    const budget = this.#budget.nested(request.settings.policy(module.id, module.policy))
    return new Execution(this.#kernel, { request, module, budget, nested })
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

  get signal(): AbortSignal {
    return this.#request.signal
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
    return this.#nested === null ? this.#request.card : null
  }

  get aiLevel(): AiLevel {
    return this.#kernel.ai.level(this.player)
  }

  registry<T>(type: RegistryType<T>): DataRegistry<T> {
    return this.#request.settings.content.registry(type)
  }

  check(): void {
    this.#request.check()
    if (this.#nested?.isOver === true) throw new FailureError(failure('system:cancelled'))
    this.checkOpen()
  }

  /** Throws when the module, or the configuration that it asked for, is not open any more. */
  checkOpen(): void {
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
    const needs = options.workflows === true ? 'free' : 'route'
    return this.#time.resume(this.#request.needing(needs, () => this.#react(options)))
  }

  complete<A>(options: CompleteOptions<A>): Promise<Result<A>> {
    this.#time.stop()
    return this.#time.resume(this.#request.needing('route', () => this.#complete(options)))
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
    const own = this.#door.offered(options.tools, owners)
    const workflows = this.#workflows(options)
    const offered = [...own, ...(workflows?.beside(own) ?? [])]
    const asking = this.#asking()
    const job = jobFor(asking, options, { kind: 'react', rounds: reactIterations, offered })
    if (!job.ok) return failed(job.failure)
    const tools = new ToolContext(offered, {
      enter: (tool) => workflows?.enter(tool) ?? this.#door.enter(tool, owners),
      run: (tool, input, given) =>
        workflows?.run(tool, { action: input, given }) ?? this.#door.run(tool, input, { owners }),
      broken: (tool, cause) => this.#door.broken(tool, cause),
    })
    const ended = await askFor(asking, options, { job: job.value, tools })
    this.check()
    owners.checkUsed()
    workflows?.checkUsed()
    return ended.ok
      ? { end: 'answer', answer: ended.value, observations: tools.observations }
      : failed(ended.failure, tools.observations)
  }

  async #complete<A>(options: CompleteOptions<A>): Promise<Result<A>> {
    this.check()
    const asking = this.#asking()
    const job = jobFor(asking, options, { kind: 'complete', rounds: 1, offered: [] })
    if (!job.ok) return job
    const ended = await askFor(asking, options, { job: job.value, tools: null })
    this.check()
    return ended
  }

  #asking(): Asking {
    return { kernel: this.#kernel, request: this.#request, budget: this.#budget }
  }

  /** The workflows that a loop may use; inside of another workflow there are none. */
  #workflows({ workflows }: Pick<ReactOptions<unknown>, 'workflows'>): WorkflowTools | null {
    if (workflows !== true || this.#nested !== null) return null
    return new WorkflowTools({
      ...this.#asking(),
      module: this.#module,
      check: () => this.check(),
      open: (module, nested) => this.nested(module, nested),
    })
  }
}
