import { isUuid } from '../../../lib/core/ids.js'
import type { Message } from '../../../lib/text/index.js'
import { textEra, textSender } from '../text/index.js'
import type { SquidPlayer } from '../types.js'
import { limitEntities } from './entity-limit.js'
import { playerInternals } from './internals.js'
import { limitLogins } from './login-limits.js'
import type { InstallRepair, RepairContext } from './repair.js'
import { safeWrite } from './safe-write.js'

/** What vanilla lets somebody say in one line. */
const MAX_SAID = 256
/** Commands of the host that tell others what follows them. */
const TELLING = /^(?:me|say) /

/** What players may do, and how often: see `RateLimits` for what is counted. */
export const installLimits: InstallRepair = (context) => {
  const { tap, limits } = context
  const undo = [limitLogins(context), limitEntities(context), limitPayloads(context), limitSpeech(context)]
  tap.onPlayer((player) => {
    const id = player._client.uuid.toLowerCase()
    player.once('disconnected', () => isUuid(id) && limits.forget(id))
  })
  return () => {
    for (const run of undo) run()
  }
}

/** Bytes of plugin channels, before the game too. */
function limitPayloads({ tap, limits }: RepairContext): () => void {
  let isActive = true
  tap.filter('custom_payload', ({ client, data }) => {
    const id = client.uuid?.toLowerCase()
    if (!isActive || !isUuid(id)) return 'pass'
    return limits.take(id, 'payload', sizeOf(data['channel']) + sizeOf(data['data'])) === 'ok'
      ? 'pass'
      : 'swallow'
  })
  return () => {
    isActive = false
  }
}

/** At least one; what is neither text nor bytes came as a list of texts. */
function sizeOf(data: unknown): number {
  if (typeof data === 'string' || data instanceof Uint8Array) return data.length + 1
  return Array.isArray(data) ? data.reduce((sum: number, part) => sum + sizeOf(part), 1) : 1
}

/** What others would get to read of one player, once all who listen have had their say: commands of plugins may be longer. */
function limitSpeech(context: RepairContext): () => void {
  const { serv, tap, limits, text } = context
  const tell = textSender(textEra(serv), safeWrite)
  let isActive = true
  const refuse = (player: SquidPlayer): void => {
    const id = player._client.uuid.toLowerCase()
    if (isUuid(id) && limits.take(id, 'length') !== 'notice') return
    const message: Message = { key: 'system.shield.text_too_long', params: { limit: MAX_SAID } }
    tell.system(player._client, { text: text(player, message) })
  }
  tap.onPlayer((player) => {
    const inside = playerInternals(player)
    const { behavior } = inside
    inside.behavior = (name, data, ...rest) => {
      const isRefused = isActive && isTooLong(name, data)
      return Reflect.apply(
        behavior,
        player,
        isRefused ? [name, data, () => refuse(player)] : [name, data, ...rest],
      )
    }
  })
  return () => {
    isActive = false
  }
}

function isTooLong(behavior: string, data: unknown): boolean {
  const { message, command } = (data ?? {}) as { message?: unknown; command?: unknown }
  if (behavior === 'chat') return typeof message === 'string' && message.length > MAX_SAID
  return (
    behavior === 'command' &&
    typeof command === 'string' &&
    command.length > MAX_SAID &&
    TELLING.test(command)
  )
}
