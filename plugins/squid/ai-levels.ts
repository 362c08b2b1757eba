import { createHash } from 'node:crypto'
import { reaches, type AiLevel } from '../../lib/core/ai-level.js'
import { isUuid, type PlayerId } from '../../lib/core/ids.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import type { AiState } from '../../lib/preferences/index.js'
import type { Message } from '../../lib/text/index.js'
import type { CommandSurface } from './commands/index.js'
import type { Notices } from './notices.js'
import { idOf, type Players } from './players.js'
import type { Runtime } from './runtime.js'

/** What `/system ai` works on. */
export interface AiLevelParts {
  readonly runtime: Runtime
  readonly players: Players
  /** Ids of players who aren't here follow from their names. */
  readonly isOfflineMode: boolean
}

/** Prints (undefined), sets, or takes back (null) what an administrator allows a player, here or not. */
export async function aiOfPlayer(
  parts: AiLevelParts,
  name: string,
  level: AiLevel | null | undefined,
): Promise<Result<Message>> {
  const { preferences } = parts.runtime
  const found = await findPlayer(parts, name)
  if (!found.ok) return found
  const { id, shown } = found.value
  const state = level === undefined ? await preferences.read(id) : await preferences.allow(id, level)
  return state.ok ? ok(stateLine(parts.runtime, shown, state.value)) : state
}

/** Prints (undefined) or sets the level of those of whom nothing is said. */
export function aiDefault({ live, preferences }: Runtime, level: AiLevel | undefined): Result<Message> {
  if (level !== undefined) {
    live.change('system-agent', { aiDefault: level })
    preferences.refresh()
  }
  const isSet = live.config['system-agent'].aiDefault !== null
  const key = isSet ? 'system.admin.ai_default' : 'system.admin.ai_default_unset'
  return ok({ key, params: { level: preferences.worldDefault } })
}

/** Tells players of what others have taken from them, and their clients of the commands that are left. */
export function tellAiChanges(parts: {
  readonly runtime: Runtime
  readonly players: Players
  readonly commands: CommandSurface
  readonly notices: Pick<Notices, 'tell'>
}): void {
  parts.runtime.preferences.onChange(({ player: id, by, before, after, hasEnded }) => {
    const player = parts.players.find(id)
    if (player === undefined || before === after) return
    parts.commands.refresh(player)
    // a request that has ended by it says so itself, and who has switched something sees it on the card
    if (by === 'player' || hasEnded || reaches(after, before)) return
    const level = { key: `system.ai.level.${after}` }
    const message = { key: 'system.ai.lowered', params: { level } }
    parts.notices.tell(id, { id: 'ai level', priority: 'normal', message, tone: 'muted' })
  })
}

export interface FoundId {
  readonly id: PlayerId
  readonly shown: string
}

/** Whoever is here by that name, a player by its id, or in offline mode one who was here by that name. */
export async function findPlayer(parts: AiLevelParts, name: string): Promise<Result<FoundId>> {
  const player = parts.players.byName(name)
  const here = player === undefined ? null : idOf(player)
  if (here !== null) return ok({ id: here, shown: player?.username ?? name })
  const folded = name.toLowerCase()
  if (isUuid(folded)) return ok({ id: folded, shown: folded })
  if (!parts.isOfflineMode) return fail('system:unknown_player', { player: name })
  const id = offlineId(name)
  const kept = await parts.runtime.bindings.kept(id, name)
  if (!kept.ok) return kept
  return kept.value === null ? fail('system:unknown_player', { player: name }) : ok({ id, shown: name })
}

/** The id that an offline server gives a name: version 3, of its MD5. */
function offlineId(name: string): PlayerId {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x30
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const id = hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  if (!isUuid(id)) throw new TypeError(id)
  return id
}

function stateLine(runtime: Runtime, player: string, { admin, own, level }: AiState): Message {
  const word = (isOn: boolean): Message => ({ key: isOn ? 'system.settings.on' : 'system.settings.off' })
  return {
    key: admin === null ? 'system.admin.ai' : 'system.admin.ai_set',
    params: {
      player,
      level,
      allowed: admin ?? runtime.preferences.worldDefault,
      externalAi: word(own.externalAi),
      freeChat: word(own.freeChat),
      history: word(own.history),
    },
  }
}
