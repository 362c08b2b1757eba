import type { PlayerId } from '../../lib/core/ids.js'
import type { Languages } from '../../lib/text/index.js'
import { Workbench, type WorkbenchOwner } from '../../lib/workbench/index.js'
import { closedBy } from './access.js'
import type { Runtime } from './runtime.js'

/** The workbenches of the players of a running System. */
export function openWorkbench(runtime: Runtime, languages: Languages): Workbench {
  const workbench = new Workbench({
    modules: () => runtime.registry.modules(),
    owner: (player) => ownerOf(runtime, languages, player),
    mayUse: (player, { id }) => closedBy(runtime, { player }, id) === null,
  })
  runtime.sessions.onEnd((player) => workbench.forget(player))
  return workbench
}

function ownerOf(runtime: Runtime, languages: Languages, player: PlayerId): WorkbenchOwner | null {
  const { sessions, access, bindings, preferences, registries } = runtime
  const session = sessions.get(player)
  const id = access.check(player, null) === null ? bindings.systemOf(player) : null
  const system = id === null ? undefined : runtime.content().registry(registries.definitions).get(id)
  if (session === undefined || system === undefined) return null
  const { name } = system.value
  const { own, level } = preferences.state(player)
  return {
    name: session.name,
    // a pack writes a language key or the words themselves
    system: languages.has(name, session.language) ? { key: name } : name,
    level,
    isUnplaced: own.surface === null,
  }
}
