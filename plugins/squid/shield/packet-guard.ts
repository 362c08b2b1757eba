import { toNbt } from '../text/index.js'
import type { SquidClient } from '../types.js'
import type { PacketFilter } from './client-tap.js'
import { guardFrames } from './frame-guard.js'
import { internalsOf } from './internals.js'
import { guardNbt } from './nbt-guard.js'
import { ACTION_RULES, EARLY_RULES, SPEECH_RULES } from './packet-rules.js'
import type { InstallRepair, RepairContext } from './repair.js'

/** Vanilla's rule for names; a longer one makes every vanilla client that hears of it leave. */
const PLAYER_NAME = /^[!-~]{1,16}$/
/** A vanilla translation key, so that the reason is shown in the player's language. */
const GENERIC_REASON = 'multiplayer.disconnect.generic'

/**
 * Hostile packets are swallowed or corrected before the host's listeners see them, hostile bytes end their
 * connection, and a listener that fails nevertheless ends nothing.
 */
export const installPacketGuard: InstallRepair = (context) => {
  const { tap, serv } = context
  const releases = new WeakMap<SquidClient, () => void>()
  tap.isolate()
  addRules(context)
  tap.onClient((client) => {
    const frames = guardFrames(client, (why) => context.log.write(`frame ${why}`, `packet-guard: ${why}`))
    const nbt = guardNbt(client)
    const quiet = quieten(client)
    const end = readableEnd(client, serv.supportFeature('chatPacketsUseNbtComponents'))
    releases.set(client, () => {
      frames()
      nbt()
      quiet()
      end()
    })
  })
  return () => {
    for (const client of Object.values(serv._server.clients)) releases.get(client)?.()
  }
}

function addRules({ tap, log }: RepairContext): void {
  const told = (name: string, filter: PacketFilter): void =>
    tap.filter(name, (packet) => {
      const verdict = filter(packet)
      if (verdict === 'swallow')
        log.write(`swallow ${name}`, `packet-guard: swallowed ${name} of ${packet.client.uuid}`)
      return verdict
    })
  for (const [name, rule] of EARLY_RULES) told(name, rule)
  for (const [name, rule] of SPEECH_RULES) {
    // the name is set when the host has let the player in
    tap.filter(name, ({ player }) =>
      player?.username === undefined || player.disconnected === true ? 'swallow' : 'pass',
    )
    told(name, rule)
  }
  for (const [name, rule] of ACTION_RULES) {
    tap.filter(name, ({ player, isSpawned }) =>
      isSpawned && player?.disconnected !== true ? 'pass' : 'swallow',
    )
    told(name, rule)
  }
  told('message_acknowledgement', ({ client }) =>
    internalsOf(client)._lastSeenMessages === undefined ? 'swallow' : 'pass',
  )
  told('login_start', ({ client, data }) => {
    if (typeof data['username'] === 'string' && PLAYER_NAME.test(data['username'])) return 'pass'
    client.end(GENERIC_REASON)
    return 'swallow'
  })
}

/** minecraft-protocol prints every malformed packet whole; a hostile client would fill the host's log. */
function quieten(client: SquidClient): () => void {
  const inside = internalsOf(client)
  const before = inside.hideErrors
  inside.hideErrors = true
  inside.deserializer.noErrorLogging = true
  return () => {
    inside.hideErrors = before
  }
}

/** A parse error ends its connection with the Error as the reason, which doesn't serialise from 1.20.3 on. */
function readableEnd(client: SquidClient, isNbt: boolean): () => void {
  const inside = internalsOf(client)
  const stock = inside.end
  const ours = (reason?: unknown, full?: unknown): void => {
    if (typeof reason === 'string' && reason !== GENERIC_REASON)
      return Reflect.apply(stock, client, [reason, full])
    const encode = isNbt && client.state === 'play' ? toNbt : JSON.stringify
    return Reflect.apply(stock, client, [GENERIC_REASON, full ?? encode({ translate: GENERIC_REASON })])
  }
  inside.end = ours
  return () => {
    if (inside.end === ours) inside.end = stock
  }
}
