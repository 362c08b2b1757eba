import { failure, FailureError, isAuthorization, type Failure } from '../core/failure.js'
import { fail, type Result } from '../core/result.js'
import type { Budget } from './budget.js'
import type { AnyToolType, ToolOptions } from './context.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { RegisteredModule } from './module.js'
import { ToolOwners } from './ownership.js'
import { isGuess } from './routing/doors.js'
import type { RegisteredTool, ToolType } from './tool.js'
import { ToolRuns } from './tool-runs.js'
import { WriteSteps, type WriteStep } from './write-steps.js'

/** Whose tools a door is of. */
export interface ToolDoorParts {
  readonly request: LiveRequest
  readonly module: RegisteredModule
  readonly budget: Budget
  /** Throws when the request may not go on. */
  check(): void
}

/** The door of one run to its module's tools: whose they are, what they may, what they cost. */
export class ToolDoor {
  readonly #kernel: Kernel
  readonly #parts: ToolDoorParts
  readonly #runs: ToolRuns
  readonly #steps: WriteSteps

  constructor(kernel: Kernel, parts: ToolDoorParts) {
    this.#kernel = kernel
    this.#parts = parts
    this.#runs = new ToolRuns(kernel, parts.request, () => parts.check())
    this.#steps = new WriteSteps(kernel, {
      ...parts,
      check: () => parts.check(),
      decode: (tool, input) => this.#runs.decode(tool, input),
      run: (tool, input, call) => this.run(tool, input, call),
      broken: (tool, cause) => this.broken(tool, cause),
    })
  }

  /** Remembers whose configurations the tools of one call, or of one loop, belong to. */
  owners(tool?: RegisteredTool): ToolOwners {
    const owners = new ToolOwners(this.#kernel, this.#parts.request)
    if (tool !== undefined) owners.bind(tool)
    return owners
  }

  /** The workflow's own call. */
  async call<I, O>(type: ToolType<I, O>, input: I, options: ToolOptions): Promise<Result<O>> {
    const tool = this.#own(type)
    if (tool === undefined) return fail('system:unknown_tool', { tool: type.id })
    const owners = this.owners(tool)
    if (tool.write) {
      this.#mayCall(tool, owners)
      return (await this.#steps.call(tool, input, { owners, name: options.step })) as Result<O>
    }
    const entered = this.enter(tool, owners)
    if (!entered.ok) return entered
    const decoded = this.#runs.decode(tool, input)
    if (!decoded.ok) return decoded
    // the output was decoded by this very type's schema
    return (await this.run(tool, decoded.value, { owners })) as Result<O>
  }

  /** The read-only tools of the module, or those of them that were named, that are open to the player. */
  offered(types: readonly AnyToolType[] | undefined, owners: ToolOwners): readonly RegisteredTool[] {
    const { registry } = this.#kernel
    const tools =
      types?.map((type) => this.#own(type)) ?? this.#parts.module.tools.map((id) => registry.findTool(id))
    return tools
      .filter((tool) => tool !== undefined)
      .filter((tool) => !tool.write && owners.bind(tool) === null)
  }

  /** Rights and budget of one attempt to call a tool that reads. Throws when the request may not go on. */
  enter(tool: RegisteredTool, owners: ToolOwners): Result<void> {
    this.#mayCall(tool, owners)
    return this.#parts.budget.takeToolCall('read')
  }

  /** Runs a decoded call by the tool's kind; the rights are looked at again behind it. */
  async run(
    tool: RegisteredTool,
    input: unknown,
    { owners, step }: { readonly owners: ToolOwners; readonly step?: WriteStep },
  ): Promise<Result<unknown>> {
    const configuration = owners.configuration(tool)
    const outcome = await this.#runs.run(tool, input, {
      configuration,
      ...(step === undefined ? {} : { step }),
    })
    this.#parts.check()
    // what was committed is told, even if it has closed what it was made under
    if ((step?.committed ?? null) === null) owners.check(tool)
    if (!outcome.ok && isAuthorization(outcome.failure.code)) throw new FailureError(outcome.failure)
    return outcome
  }

  /** A sentence that no model and no command has read starts nothing that writes; neither does work in the background. */
  mayWrite(): void {
    const { source, kind } = this.#parts.request
    if (isGuess(source) || kind === 'background') throw new FailureError(failure('system:no_permission'))
  }

  /** A closure of the tool's author threw: logs it and gives the failure in its place. */
  broken(tool: RegisteredTool, cause: unknown): Failure {
    return this.#runs.broken(tool, cause)
  }

  /** Rights of one attempt. */
  #mayCall(tool: RegisteredTool, owners: ToolOwners): void {
    this.#parts.check()
    owners.check(tool)
    if (!tool.write) return
    this.mayWrite()
    if (this.#parts.request.kind === 'event' && !tool.events)
      throw new FailureError(failure('system:no_permission'))
  }

  /** The registered tool of this very type object, if the module declares it. */
  #own(type: AnyToolType): RegisteredTool | undefined {
    const tool = this.#kernel.registry.findTool(type.id)
    return tool?.type === type && this.#parts.module.tools.includes(tool.id) ? tool : undefined
  }
}
