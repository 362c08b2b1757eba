import { FailureError, failure, type Failure } from '../../lib/core/failure.js'
import type { Identifier, PlayerId } from '../../lib/core/ids.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import { MAX_OVERRIDES, OVERRIDES, withOverride, type Override } from '../../lib/systems/index.js'
import type { Message } from '../../lib/text/index.js'
import type { FoundPlayer } from './administration.js'
import type { Runtime } from './runtime.js'

/** What an administrator says of one module for one player. Whoever calls has checked the right. */
export async function overrideModule(
  runtime: Runtime,
  { id, name }: FoundPlayer,
  { module, to }: { readonly module: Identifier; readonly to: Override | null },
): Promise<Result<Message>> {
  const { access, bindings, registries, store } = runtime
  const unbound = notBound(bindings, id, name)
  if (unbound !== null) return { ok: false, failure: unbound }
  const isKnown = runtime.content().registry(registries.configurations).get(module) !== undefined
  // what a pack has taken away can still be taken back
  if (!isKnown && to !== null) return fail('system:unknown_module', { module })
  const saved = await store.update(id, (tx) => {
    const overrides = withOverride(tx.get(OVERRIDES), module, to)
    if (overrides.allowed.length + overrides.denied.length > MAX_OVERRIDES)
      throw new FailureError(failure('system:storage_full'))
    tx.set(OVERRIDES, overrides)
  })
  if (!saved.ok) return saved
  const key = `system.admin.module_${to ?? 'default'}`
  const isIdle = to === 'allow' && !access.named(id).includes(module)
  return ok({ key: isIdle ? 'system.admin.module_unnamed' : key, params: { player: name, module } })
}

/** Why nothing can be said of a player's modules, for whoever administers; null: it can. */
function notBound(bindings: Runtime['bindings'], id: PlayerId, name: string): Failure | null {
  const system = bindings.boundTo(id)
  if (system === null) return failure('system:player_not_bound', { player: name })
  return bindings.systemOf(id) === null ? failure('system:unknown_system', { system }) : null
}

/** Which modules a player has, and which of its System are closed. */
export function modulesOf(runtime: Runtime, { id, name }: FoundPlayer): Result<Message> {
  const { access, bindings } = runtime
  const unbound = notBound(bindings, id, name)
  if (unbound !== null) return { ok: false, failure: unbound }
  const open = access.open(id).map((holder) => holder.id)
  const closed = access.named(id).filter((module) => !open.includes(module))
  const list = (ids: readonly Identifier[]): string => (ids.length === 0 ? '-' : ids.join(', '))
  const { allowed, denied } = runtime.store.online(id)?.get(OVERRIDES) ?? OVERRIDES.empty
  const params = { open: list(open), closed: list(closed), allowed: list(allowed), denied: list(denied) }
  return ok({ key: 'system.admin.modules', params: { player: name, ...params } })
}
