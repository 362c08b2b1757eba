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
  return attempt(client, { name, params }).outcome
}

/** The same for a packet that minecraft-protocol serialises wrongly: `mend` puts its bytes right, or throws. */
export function safeWriteMended(
  client: SquidClient,
  packet: Packet,
  mend: (bytes: Buffer) => void,
): WriteOutcome {
  return attempt(client, packet, mend).outcome
}

interface Packet {
  readonly name: string
  readonly params: unknown
}

function attempt(
  client: SquidClient,
  { name, params }: Packet,
  mend?: (bytes: Buffer) => void,
): { outcome: WriteOutcome; error?: unknown } {
  if (client.ended === true || client.serializer?.writable !== true) return { outcome: 'closed' }
  let bytes: Buffer
  try {
    bytes = client.serializer.createPacketBuffer({ name, params })
    mend?.(bytes)
  } catch (error) {
    return { outcome: 'failed', error }
  }
  // a name that the state doesn't know becomes the packet 0 without fields, which from 1.19.4 on opens a bundle
  if (bytes.length === 1 && bytes[0] === 0 && name !== 'bundle_delimiter')
    return { outcome: 'failed', error: new Error('no such packet') }
  client.writeRaw(bytes)
  return { outcome: 'sent' }
}

/**
 * Packets that the host writes in an outdated form, in today's. From 1.21.2 on an entity's teleport carries a velocity and
 * angles in degrees: with stock, anybody's step of more than seven blocks silences all who see it.
 */
const MODERN_FORMS: ReadonlyMap<string, (params: unknown) => unknown> = new Map([
  [
    'entity_teleport',
    (params) => {
      const old = params as { readonly yaw?: number; readonly pitch?: number }
      const angles = { yaw: degrees(old.yaw), pitch: degrees(old.pitch) }
      return { ...old, ...angles, dx: 0, dy: 0, dz: 0, flags: { _value: 0 } }
    },
  ],
])

/** From 1/256 turns, as the host keeps angles. */
const degrees = (turns: number | undefined): number => ((turns ?? 0) * 360) / 256

type Write = (name: string, params: unknown) => void

/** The host's own writes go through `safeWrite`; one log line per minute tells of each kind of packet that failed. */
export const installSafeWrite: InstallRepair = (context) => {
  const releases = new WeakMap<SquidClient, () => void>()
  let isProbed = false
  let isActive = true
  const release = (): void => {
    isActive = false
    for (const client of Object.values(context.serv._server.clients)) releases.get(client)?.()
  }
  context.tap.onClient((client) => {
    if (!isActive) return
    releases.set(
      client,
      wrapWrite(context, client, () => isActive),
    )
    if (isProbed) return
    isProbed = true
    probeUpstream(client, () => {
      context.upstream('safe-write')
      release()
    })
  })
  return release
}

/** An accessor, since `destroy()` of flying-squid puts a function in place that throws at late writers. */
function wrapWrite({ serv, log }: RepairContext, client: SquidClient, isActive: () => boolean): () => void {
  const before = Object.getOwnPropertyDescriptor(client, 'write')
  const inside = internalsOf(client)
  const stock = inside.write
  const ours: Write = (name, params) => {
    if (!isActive()) return Reflect.apply(stock, client, [name, params])
    const { outcome, error } = attempt(client, { name, params })
    if (outcome !== 'failed') return undefined
    const modern = MODERN_FORMS.get(name)?.(params)
    if (modern !== undefined && safeWrite(client, name, modern) === 'sent') return undefined
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

/** Writes a bad packet on an unconnected client of the same class; a stream tells of its end only in a later turn. */
function probeUpstream(client: SquidClient, onSurvived: () => void): void {
  const { version } = internalsOf(client)
  const Client = client.constructor as new (isServer: boolean, version: string) => SquidClient
  try {
    const probe = new Client(true, version)
    probe.on('error', () => {})
    internalsOf(probe).state = 'play'
    probe.write('boss_bar', {})
    setImmediate(() => {
      if (probe.serializer?.writable === true) onSurvived()
    })
  } catch {
    // an upstream that we don't know enough to ask keeps our repair
  }
}
