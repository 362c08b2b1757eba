import type { LiveConfig } from '../../lib/config/index.js'
import { isLasting } from '../../lib/storage/index.js'
import type { Message } from '../../lib/text/index.js'
import type { Runtime } from './runtime.js'

/** Longest wait for the files of players. */
const PLAYERS_MS = 10_000

export interface SavingParts {
  readonly live: LiveConfig
  readonly runtime: Pick<Runtime, 'items' | 'sessions' | 'store' | 'databases' | 'usage'>
  /** Saves the files of all players: whether all was saved in time; null where the host does that itself. */
  savePlayers(timeoutMs: number): Promise<boolean | null>
}

/** How a save of everything ended, in a sentence for whoever asked. */
export interface Saved {
  readonly isDone: boolean
  readonly message: Message
}

/**
 * Makes durable all that is known when it is called. Items first: what an operation left open between a player's file
 * and the record is in neither before.
 */
export async function saveAll(parts: SavingParts): Promise<Saved> {
  const { live, runtime } = parts
  const { store, databases, usage } = runtime
  const items = await settleItems(runtime)
  const players = await parts.savePlayers(PLAYERS_MS)
  await Promise.all([store.settled(), databases.settled()])
  const [{ ok: isUsageSaved }, isConfigSaved] = await Promise.all([usage.saver.flush(), live.save()])
  const missing = [
    ...(items ? [] : ['items']),
    ...(players === false ? ['players'] : []),
    ...(isUsageSaved ? [] : ['usage']),
    ...(isConfigSaved ? [] : ['config']),
  ]
  const names = missing
    .map((name): Message => ({ key: `system.admin.save_${name}` }))
    .reduce<Message | null>((first, second) => (first === null ? second : both(first, second)), null)
  if (names !== null)
    return { isDone: false, message: { key: 'system.admin.save_failed', params: { names } } }
  const isWithout = players === null && runtime.items.lane.mode !== 'off'
  return { isDone: true, message: { key: `system.admin.${isWithout ? 'saved_without_players' : 'saved'}` } }
}

const both = (first: Message, second: Message): Message => ({
  key: 'system.admin.save_and',
  params: { first, second },
})

/** Of players whose data can't be used for good nothing is open; of others an operation may be, which failed half-way. */
async function settleItems({
  items: { lane },
  sessions,
  store,
}: Pick<Runtime, 'items' | 'sessions' | 'store'>): Promise<boolean> {
  if (lane.mode !== 'exactly-once') return true
  const unusable = new Set(
    store
      .problems()
      .filter(({ failure }) => isLasting(failure))
      .map(({ player }) => player),
  )
  const here = [...sessions.all()].filter(({ player }) => !unusable.has(player))
  const settled = await Promise.all(here.map(({ player }) => lane.settle(player)))
  return settled.every(({ ok }) => ok)
}
