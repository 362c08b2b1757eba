import type { SquidClient } from '../types.js'
import { internalsOf, serverInternals } from './internals.js'
import type { InstallRepair, RepairContext } from './repair.js'

/** `closed`: the connection is over, nothing was written. `failed`: the packet can't be serialised and was dropped. */
export type WriteOutcome = 'sent' | 'closed' | 'failed'

/**
 * Serialises first, then writes the bytes: a packet that can't be serialised leaves the connection as it was, where
 * `client.write` of minecraft-protocol leaves it silent for ever. Keeps the order with all other writes.
 */
export function safeWrite(client: SquidClient, name: string, params: unknown): WriteOutcome {
  return attempt(client, name, params).outcome
}

function attempt(
  client: SquidClient,
  name: string,
  params: unknown,
): { outcome: WriteOutcome; error?: unknown } {
  if (client.ended === true || client.serializer?.writable !== true) return { outcome: 'closed' }
  let bytes: Buffer
  try {
    bytes = client.serializer.createPacketBuffer({ name, params })
  } catch (error) {
    return { outcome: 'failed', error }
  }
  client.writeRaw(bytes)
  return { outcome: 'sent' }
}

type Write = (name: string, params: unknown) => void

/** The host's own writes go through `safeWrite`; one log line per minute tells of each kind of packet that failed. */
export const installSafeWrite: InstallRepair = (context) => {
  const releases = new WeakMap<SquidClient, () => void>()
  let isProbed = false
  let isActive = true
  context.tap.onClient((client) => {
    if (!isProbed) {
      isProbed = true
      isActive = !survivesBadPacket(client)
      if (!isActive) context.upstream('safe-write')
    }
    if (isActive)
      releases.set(
        client,
        wrapWrite(context, client, () => isActive),
      )
  })
  return () => {
    isActive = false
    for (const client of Object.values(context.serv._server.clients)) releases.get(client)?.()
  }
}

/** An accessor, since `destroy()` of flying-squid puts a function in place that throws at late writers. */
function wrapWrite({ serv, log }: RepairContext, client: SquidClient, isActive: () => boolean): () => void {
  const before = Object.getOwnPropertyDescriptor(client, 'write')
  const inside = internalsOf(client)
  const stock = inside.write
  const ours: Write = (name, params) => {
    if (!isActive()) return Reflect.apply(stock, client, [name, params])
    const { outcome, error } = attempt(client, name, params)
    if (outcome !== 'failed') return undefined
    const kind = `${client.state}.${name}`
    return log.write(
      `write ${kind}`,
      `safe-write: a ${kind} packet can't be serialised and was dropped`,
      error,
    )
  }
  let current = ours
  Object.defineProperty(client, 'write', {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (value: Write) => {
      if (serverInternals(serv).isClosed !== true) current = value
    },
  })
  return () => {
    Reflect.deleteProperty(client, 'write')
    if (current !== ours) inside.write = current
    else if (before !== undefined) Object.defineProperty(client, 'write', before)
  }
}

/** Whether a bad packet leaves a connection writable, tried on an unconnected one of the same class. */
function survivesBadPacket(client: SquidClient): boolean {
  const { version } = internalsOf(client)
  const Client = client.constructor as new (isServer: boolean, version: string) => SquidClient
  try {
    const probe = new Client(true, version)
    probe.on('error', () => {})
    probe.write('shield_probe', {})
    return probe.serializer?.writable === true
  } catch {
    return false
  }
}
