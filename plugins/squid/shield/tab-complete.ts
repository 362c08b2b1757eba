import { isUuid } from '../../../lib/core/ids.js'
import { toNbt } from '../text/index.js'
import type { SquidPlayer } from '../types.js'
import type { PacketIn } from './client-tap.js'
import { completeForHost } from './completion.js'
import type { Completion, InstallRepair, RepairContext } from './repair.js'
import { safeWrite } from './safe-write.js'

/** Longer text is no request of a person. */
const MAX_TEXT = 2_048

/** Stock's answer lacks three of its four fields from 1.13 on and ends the connection's output; ours replaces it. */
export const installTabComplete: InstallRepair = (context) => {
  let isActive = true
  context.tap.onPlayer((player) => {
    if (!isActive || !player._client.listeners('tab_complete').some(isRepaired)) return
    isActive = false
    context.upstream('tab-complete')
  })
  context.tap.filter('tab_complete', (packet) => {
    if (!isActive || packet.player === undefined) return 'pass'
    answer(context, packet, packet.player)
    return 'swallow'
  })
  return () => {
    isActive = false
  }
}

/** An answer without the number of its question can't be right, and stock's listener doesn't mention it. */
const isRepaired = (listener: unknown): boolean => String(listener).includes('transactionId')

function answer(context: RepairContext, { client, data }: PacketIn, player: SquidPlayer): void {
  const { text, transactionId } = data
  if (typeof text !== 'string' || text.length > MAX_TEXT || !Number.isInteger(transactionId)) return
  const id = client.uuid.toLowerCase()
  if (isUuid(id) && context.limits.take(id, 'completion') !== 'ok') return
  const found = completion(context, player, text)
  const encode = context.serv.supportFeature('chatPacketsUseNbtComponents') ? toNbt : JSON.stringify
  safeWrite(client, 'tab_complete', {
    transactionId,
    start: found.start,
    length: found.length,
    matches: found.matches.map(({ match, tooltip }) => ({
      match,
      tooltip: tooltip === undefined ? undefined : encode({ text: tooltip }),
    })),
  })
}

function completion({ complete, serv, log }: RepairContext, player: SquidPlayer, text: string): Completion {
  try {
    return complete(player, text) ?? completeForHost(serv, player, text)
  } catch (error) {
    log.write('completion', 'tab-complete: a completion failed', error)
    return { start: text.length, length: 0, matches: [] }
  }
}
