import type { Identifier, PlayerId } from '../../core/ids.js'
import { fail, ok, type Result } from '../../core/result.js'
import type { Kernel } from '../kernel.js'
import type { RegisteredModule } from '../module.js'
import type { Session } from '../sessions.js'

/** What is to run for a player, undecoded. */
interface Asked {
  readonly player: PlayerId
  readonly module: Identifier
  readonly input: unknown
}

/** What may run. */
export interface Admitted {
  readonly session: Session
  readonly module: RegisteredModule
  readonly action: unknown
}

/**
 * The player's stay, the module that is open to it, and its action: `system:disconnected`, `unknown_module` (also one that
 * isn't `suited`), why the module is closed, `not_understood` (the input), `internal` (the module's schema threw).
 */
export function admitted(
  kernel: Kernel,
  { player, module: id, input }: Asked,
  suited: (module: RegisteredModule) => boolean = () => true,
): Result<Admitted> {
  const session = kernel.sessions.get(player)
  if (session === undefined) return fail('system:disconnected')
  const module = kernel.registry.findModule(id)
  if (module === undefined || !suited(module)) return fail('system:unknown_module', { module: String(id) })
  const denied = kernel.access(player, module.id)
  if (denied !== null) return { ok: false, failure: denied }
  try {
    const action = module.decode(input)
    return action.ok ? ok({ session, module, action: action.value }) : action
  } catch (cause) {
    kernel.logger.error(`module ${module.id} could not decode an input`, cause)
    return fail('system:internal', {}, cause)
  }
}
