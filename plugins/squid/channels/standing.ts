import type { ChannelResponse } from '../../../lib/channels/index.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import { closedBy } from '../access.js'
import type { Runtime } from '../runtime.js'

/** Rounds on a page. */
const PAGE_ROUNDS = 20

type Of<T extends ChannelResponse['type']> = Extract<ChannelResponse, { type: T }>

/** Where everything stands for a player. */
export function stateOf(runtime: Runtime, player: PlayerId, id: string): Of<'state'> {
  const { bindings, preferences, registry, engine } = runtime
  const open = registry.modules().filter((module) => closedBy(runtime, { player }, module.id) === null)
  return {
    type: 'state',
    id,
    system: bindings.systemOf(player),
    level: preferences.level(player),
    running: engine.running(player),
    modules: open.map((module) => module.id),
  }
}

/** A page of earlier rounds, newest first; the last one where there are fewer. */
export function historyOf(
  { memory }: Pick<Runtime, 'memory'>,
  player: PlayerId,
  { id, page }: { readonly id: string; readonly page: number },
): Of<'history'> {
  const rounds = memory.rounds(player).toReversed()
  const pages = Math.max(1, Math.ceil(rounds.length / PAGE_ROUNDS))
  const at = Math.min(page, pages)
  const shown = rounds.slice((at - 1) * PAGE_ROUNDS, at * PAGE_ROUNDS)
  return {
    type: 'history',
    id,
    page: at,
    pages,
    rounds: shown.map(({ at: time, body }) => ({ at: time, asked: body.asked, answered: body.answered })),
  }
}
