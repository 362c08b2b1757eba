import { failure, FailureError, type Failure } from '../core/failure.js'
import type { Identifier } from '../core/ids.js'
import type { Configured } from './context.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { RegisteredTool, ToolId } from './tool.js'

/** A player's first open configuration of one of the types, in the order of the System; null: there is none. */
function firstOf(kernel: Kernel, { player, settings }: LiveRequest, types: readonly Identifier[]) {
  const open = kernel.configurations(player, settings.content)
  const found = open.find(({ value }) => types.includes(value.type))
  return found === undefined ? null : { id: found.id, parameters: found.value.parameters }
}

/** Why a configuration that was chosen is not open any more, or null. */
function lost(kernel: Kernel, { player, settings }: LiveRequest, chosen: Configured | null): Failure | null {
  if (chosen === null) return null
  const open = kernel.configurations(player, settings.content)
  return open.some(({ id }) => id === chosen.id) ? null : failure('system:module_closed')
}

/**
 * Whose the tools of one loop, or of one call, are: each is bound to the player's first open configuration of its owner
 * when it is chosen. That doesn't change any more, and one that is closed under way ends the request.
 */
export class ToolOwners {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #bound = new Map<ToolId, { readonly tool: RegisteredTool; readonly chosen: Configured | null }>()
  readonly #used = new Set<RegisteredTool>()

  constructor(kernel: Kernel, request: LiveRequest) {
    this.#kernel = kernel
    this.#request = request
  }

  /** Chooses the tool's configuration; why it isn't open to the player, or null. */
  bind(tool: RegisteredTool): Failure | null {
    const closed = this.#closed(tool)
    if (closed !== null) return closed
    this.#bound.set(tool.id, { tool, chosen: firstOf(this.#kernel, this.#request, [tool.owner]) })
    return null
  }

  /** What its handler is told; null for a tool whose owner has no configurations. */
  configuration({ id }: RegisteredTool): Configured | null {
    return this.#bound.get(id)?.chosen ?? null
  }

  /** Before a use and behind it. Throws when its owner, or the chosen configuration, is not open any more. */
  check(tool: RegisteredTool): void {
    this.#used.add(tool)
    const bound = this.#bound.get(tool.id)
    const denied = this.#closed(tool) ?? lost(this.#kernel, this.#request, bound?.chosen ?? null)
    if (denied !== null) throw new FailureError(denied)
  }

  /** Before the final output: all that was used must still be the player's. */
  checkUsed(): void {
    for (const tool of this.#used) this.check(tool)
  }

  #closed({ owner }: RegisteredTool): Failure | null {
    const { player, settings } = this.#request
    return this.#kernel.ownerAccess(player, owner, settings.content)
  }
}

/** The configuration under which a workflow runs: chosen when it first asks, and no other from then on. */
export class ModuleOwner {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #module: Identifier
  #chosen: Configured | null | undefined

  constructor(kernel: Kernel, request: LiveRequest, module: Identifier) {
    this.#kernel = kernel
    this.#request = request
    this.#module = module
  }

  get configuration(): Configured | null {
    if (this.#chosen === undefined)
      this.#chosen = firstOf(this.#kernel, this.#request, this.#kernel.openedBy(this.#module))
    return this.#chosen
  }

  /** Why the workflow may not go on under the configuration that it asked for, or null. */
  lost(): Failure | null {
    return lost(this.#kernel, this.#request, this.#chosen ?? null)
  }
}
