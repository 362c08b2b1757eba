import type { z } from 'zod'
import { BUILT_IN_COMMANDS, declarationProblem } from '../command/index.js'
import { entryProblem, moduleProblem, toolProblem } from './declared.js'
import { isIdentifier, type Identifier } from '../core/ids.js'
import { utf8Bytes } from '../core/json.js'
import { MAX_PROMPT_BYTES } from '../registry/index.js'
import { registeredModule, type AgentModule, type RegisteredModule } from './module.js'
import { executionPolicySchema, type ExecutionPolicy } from './policy.js'
import { undescribedRefinement } from './refinements.js'
import { asRegistration, RegistrationError } from './registration-error.js'
import { registeredTool, type ComputeTool, type RegisteredTool, type Tool, type ToolId } from './tool.js'
import { promptFault } from '../text/index.js'

/** Tool ids go into model requests and messages; `answer` is the word for the final answer. */
const TOOL_ID = /^[A-Za-z0-9_.:/-]{1,256}$/

/** A schema that JSON Schema cannot express (a date, a transform) is found when its text is made. */
const described = <T>(what: string, make: () => T): T =>
  asRegistration(
    make,
    `${what} is refused`,
    'what a model is to fill in must be such that JSON Schema can say it',
  )

function refuse(what: string, problem: string | null): void {
  if (problem !== null) throw new RegistrationError(`${what}: ${problem}`)
}

/** JSON Schema drops refinements: what they ask must be said in words. */
function refuseRefinement(what: string, schema: z.ZodType, name: string): void {
  const at = undescribedRefinement(schema, name)
  if (at !== null)
    throw new RegistrationError(
      `${what}: ${at} has a refinement that no model can see`,
      "say what it asks with .describe('…')",
    )
}

/** The first field of a policy that is wrong. */
function policyProblem(policy: ExecutionPolicy): string | null {
  const issue = executionPolicySchema.safeParse(policy).error?.issues[0]
  return issue === undefined ? null : `${issue.path.join('.') || 'policy'}: ${issue.message}`
}

/** How to come in time. */
export const LATE =
  "listen to 'system:register' when the plugin is loaded, and register in the listener itself"

/** Modules, tools and prompts by id. Filled at start-up, then frozen. Tables keyed by outside words are Maps. */
export class Registry {
  #modules = new Map<string, RegisteredModule>()
  #tools = new Map<ToolId, RegisteredTool>()
  #prompts = new Map<string, string>()
  #frozen = false

  /** Registers a tool. Throws a RegistrationError. */
  tool<I, O>(tool: Tool<I, O> | ComputeTool<I, O>): void {
    const { type } = tool
    this.#checkOpen(type.id)
    if (this.#tools.has(type.id)) throw new RegistrationError(`tool ${type.id} is registered twice`)
    if (type.write && type.reasoning !== undefined) {
      throw new RegistrationError(
        `tool ${type.id} writes, so it cannot be offered to reasoning`,
        'leave its reasoning text out',
      )
    }
    if (type.write && type.events === true && type.kind !== 'async')
      throw new RegistrationError(`tool ${type.id} writes for event tasks, so it must be async and commit`)
    if (!TOOL_ID.test(type.id) || type.id === 'answer')
      throw new RegistrationError(
        `tool ${type.id} has a name that a model cannot use`,
        'ids of extensions are namespace:path',
      )
    refuse(`tool ${type.id}`, toolProblem(tool))
    const registered = described(`tool ${type.id}`, () => registeredTool(tool))
    refuseRefinement(`tool ${type.id}`, type.input, 'input')
    if (type.reasoning !== undefined)
      refuse(`tool ${type.id}`, entryProblem(type.reasoning, registered.schemaText))
    this.#tools.set(type.id, registered)
  }

  /** Registers a module. Throws a RegistrationError. */
  module<A>(module: AgentModule<A>): void {
    this.#checkOpen(module.id)
    if (this.#modules.has(module.id)) throw new RegistrationError(`module ${module.id} is registered twice`)
    const policy = policyProblem(module.policy)
    if (policy !== null)
      throw new RegistrationError(
        `module ${module.id} has an invalid policy (${policy})`,
        'begin with FAST_POLICY or REASONING_POLICY and change what differs',
      )
    refuse(`module ${module.id}`, moduleProblem(module) ?? this.#commandProblem(module))
    const registered = described(`module ${module.id}`, () => registeredModule(module))
    refuseRefinement(`module ${module.id}`, module.action, 'action')
    refuse(`module ${module.id}`, entryProblem(module.description, registered.schemaText))
    this.#modules.set(module.id, registered)
  }

  /** Registers a prompt beside the shipped ones, whose names have no namespace. Throws a RegistrationError. */
  prompt(id: Identifier, text: string): void {
    this.#checkOpen(id)
    if (!isIdentifier(id))
      throw new RegistrationError(`prompt ${String(id)} has no id of the form namespace:path`)
    if (this.#prompts.has(id)) throw new RegistrationError(`prompt ${id} is registered twice`)
    if (text.trim() === '' || utf8Bytes(text) > MAX_PROMPT_BYTES)
      throw new RegistrationError(`prompt ${id} is empty or longer than ${MAX_PROMPT_BYTES} bytes`)
    refuse(`prompt ${id}`, promptFault(text))
    this.#prompts.set(id, text)
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const [modules, tools, prompts] = [new Map(this.#modules), new Map(this.#tools), new Map(this.#prompts)]
    return () => {
      this.#modules = modules
      this.#tools = tools
      this.#prompts = prompts
    }
  }

  /** Checks that modules name registered tools and are routed only as they may be. Throws a RegistrationError. */
  check(): void {
    for (const module of this.#modules.values()) this.#checkModule(module)
  }

  /** Checks everything once more, then refuses further registration. Throws a RegistrationError. */
  freeze(): void {
    this.check()
    const reasoning = this.tools().filter((tool) => tool.reasoning !== null)
    for (const module of this.#modules.values()) {
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

  /** Registered prompts by id. */
  prompts(): ReadonlyMap<string, string> {
    return this.#prompts
  }

  /** The text of a registered prompt. */
  findPrompt(id: string): string | undefined {
    return this.#prompts.get(id)
  }

  /** Whether the module can change nothing: none of its tools writes, and its own policy has no write steps. */
  readsOnly({ tools, policy }: Pick<RegisteredModule, 'tools' | 'policy'>): boolean {
    return policy.writeSteps === 0 && tools.every((id) => this.#tools.get(id)?.write === false)
  }

  modules(): readonly RegisteredModule[] {
    return [...this.#modules.values()]
  }

  tools(): readonly RegisteredTool[] {
    return [...this.#tools.values()]
  }

  #checkOpen(id: string): void {
    if (this.#frozen)
      throw new RegistrationError(`${id} comes too late: registration ended when the server was ready`, LATE)
  }

  #commandProblem({ routing: { command, selection } }: Pick<RegisteredModule, 'routing'>): string | null {
    if (command === undefined) return null
    if (selection === 'STRUCTURED_ONLY')
      return `"${command.name}" could not be typed: a module that is STRUCTURED_ONLY has no command`
    const taken = this.modules().flatMap(({ routing }) => routing.command?.name ?? [])
    return declarationProblem(command, new Set([...BUILT_IN_COMMANDS, ...taken]))
  }

  #checkModule(module: RegisteredModule): void {
    const missing = module.tools.filter((id) => !this.#tools.has(id))
    if (missing.length > 0)
      throw new RegistrationError(
        `module ${module.id} names unknown tools: ${missing.join(', ')}`,
        'register them in this plugin or in one that is loaded before it',
      )
    const isLocal = module.routing.examples !== undefined || module.routing.extract !== undefined
    if (isLocal && !(module.routing.selection === 'NORMAL' && this.readsOnly(module))) {
      throw new RegistrationError(
        `module ${module.id} may not be routed locally: it is not NORMAL and read-only`,
        'leave examples and extract out',
      )
    }
  }
}
