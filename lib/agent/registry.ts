import { registeredModule, type AgentModule, type RegisteredModule } from './module.js'
import { executionPolicySchema } from './policy.js'
import { registeredTool, type RegisteredTool, type Tool, type ToolId } from './tool.js'

/** Why a registration was refused: a programming error of whoever registered. */
export class RegistrationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegistrationError'
  }
}

/** Tool ids go into model requests and messages; `answer` is the word for the final answer. */
const TOOL_ID = /^[A-Za-z0-9_.:/-]{1,256}$/

/** A schema that JSON Schema cannot express (a date, a transform) is found when its text is made. */
function asRegistration<T>(what: string, make: () => T): T {
  try {
    return make()
  } catch (thrown) {
    throw new RegistrationError(
      `${what} is refused: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    )
  }
}

/** Modules and tools by id. Filled at start-up, then frozen. Tables keyed by outside words are Maps. */
export class Registry {
  readonly #modules = new Map<string, RegisteredModule>()
  readonly #tools = new Map<ToolId, RegisteredTool>()
  #frozen = false

  /** Registers a tool. Throws a RegistrationError. */
  tool<I, O>(tool: Tool<I, O>): void {
    const { type } = tool
    this.#checkOpen(type.id)
    if (this.#tools.has(type.id)) throw new RegistrationError(`tool ${type.id} is registered twice`)
    if (type.write && type.reasoning !== undefined) {
      throw new RegistrationError(`tool ${type.id} writes, so it cannot be offered to reasoning`)
    }
    if (!TOOL_ID.test(type.id) || type.id === 'answer')
      throw new RegistrationError(`tool ${type.id} has a name that a model cannot use`)
    this.#tools.set(
      type.id,
      asRegistration(`tool ${type.id}`, () => registeredTool(tool)),
    )
  }

  /** Registers a module. Throws a RegistrationError. */
  module<A>(module: AgentModule<A>): void {
    this.#checkOpen(module.id)
    if (this.#modules.has(module.id)) throw new RegistrationError(`module ${module.id} is registered twice`)
    if (!executionPolicySchema.safeParse(module.policy).success) {
      throw new RegistrationError(`module ${module.id} has an invalid policy`)
    }
    this.#modules.set(
      module.id,
      asRegistration(`module ${module.id}`, () => registeredModule(module)),
    )
  }

  /** Checks references between modules and tools, then refuses further registration. Throws a RegistrationError. */
  freeze(): void {
    const reasoning = this.tools().filter((tool) => tool.reasoning !== null)
    for (const module of this.#modules.values()) {
      this.#checkModule(module)
      if (module.usesReasoningTools)
        this.#modules.set(module.id, { ...module, tools: reasoning.map(({ id }) => id) })
    }
    this.#frozen = true
  }

  findModule(id: string): RegisteredModule | undefined {
    return this.#modules.get(id)
  }

  findTool(id: ToolId): RegisteredTool | undefined {
    return this.#tools.get(id)
  }

  modules(): readonly RegisteredModule[] {
    return [...this.#modules.values()]
  }

  tools(): readonly RegisteredTool[] {
    return [...this.#tools.values()]
  }

  #checkOpen(id: string): void {
    if (this.#frozen)
      throw new RegistrationError(`${id} comes too late: registration ended when the server was ready`)
  }

  #checkModule(module: RegisteredModule): void {
    const tools = module.tools.map((id) => this.#tools.get(id))
    const missing = module.tools.filter((id) => !this.#tools.has(id))
    if (missing.length > 0)
      throw new RegistrationError(`module ${module.id} names unknown tools: ${missing.join(', ')}`)
    const isLocal = module.routing.examples !== undefined || module.routing.extract !== undefined
    const isReadOnly = tools.every((tool) => tool?.write === false) && module.policy.writeSteps === 0
    if (isLocal && !(module.routing.selection === 'NORMAL' && isReadOnly)) {
      throw new RegistrationError(
        `module ${module.id} may not be routed locally: it is not NORMAL and read-only`,
      )
    }
  }
}
