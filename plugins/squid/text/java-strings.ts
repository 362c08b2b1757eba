import type { EventEmitter } from 'node:events'
import type { SquidClient } from '../types.js'
import { modifiedUtf8Bytes } from './nbt.js'

/**
 * Strings in NBT for clients that run on Java. They read modified UTF-8, in which a character outside the BMP (an
 * emoji) is two encoded surrogates; minecraft-protocol 1.68 writes plain UTF-8, for which
 * java.io.DataInputStream.readUTF throws and the client disconnects. Clients built on minecraft-protocol read plain
 * UTF-8 and would show replacement characters instead, so each connection gets the form it reads.
 */

type SizeOfString = (value: string) => number
type WriteString = (value: string, buffer: Buffer, offset: number) => number

/** The functions that protodef has compiled for one version, state and direction, shared by its connections. */
interface CompiledProtocol {
  readonly sizeOfCtx: { shortString?: SizeOfString }
  readonly writeCtx: { shortString?: WriteString }
}

const BRAND_CHANNEL = /^(?:minecraft:)?brand$/
const OUTSIDE_BMP = /[\u{10000}-\u{10ffff}]/u
/** Protocols whose string functions are ours already. */
const patched = new WeakSet<CompiledProtocol>()
/** Whether the packet being serialized goes to a Java client; serialization is synchronous. */
let toJava = false

/** Java's form of a string. */
export function modifiedUtf8(text: string): Buffer {
  // encoding each surrogate as if it were a character of its own gives its three bytes
  const bytes: number[] = []
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit !== 0 && unit < 0x80) bytes.push(unit)
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f))
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f))
  }
  return Buffer.from(bytes)
}

/** To be called once for each connection as it opens, whatever the version; it needs no end. */
export function useJavaStrings(client: SquidClient): void {
  let java = false
  // 1. unmodified and modded clients name their brand while they are configured (1.20.2 and later, which is before
  //    components became NBT in 1.20.3); minecraft-protocol and mineflayer do not, or only in the game
  client.on('custom_payload', (payload: { channel?: unknown }, meta?: { state?: unknown }) => {
    if (meta?.state !== 'configuration') return
    if (typeof payload.channel === 'string' && BRAND_CHANNEL.test(payload.channel)) java = true
  })
  // 2. each state has a serializer of its own
  ;(client as EventEmitter).on('state', (state: unknown) => {
    if (java && state === 'play') serializeForJava(client)
  })
}

function serializeForJava(client: SquidClient): void {
  const serializer: (NonNullable<SquidClient['serializer']> & { proto?: CompiledProtocol }) | undefined =
    client.serializer
  if (serializer?.proto === undefined || !patch(serializer.proto)) return
  const original = serializer.createPacketBuffer.bind(serializer)
  serializer.createPacketBuffer = (packet) => {
    toJava = true
    try {
      return original(packet)
    } finally {
      toJava = false
    }
  }
}

/** False when the compiled protocol has another shape than expected: then everything stays as it was. */
function patch(protocol: CompiledProtocol): boolean {
  if (patched.has(protocol)) return true
  const sizeOf = protocol.sizeOfCtx.shortString
  const write = protocol.writeCtx.shortString
  if (typeof sizeOf !== 'function' || typeof write !== 'function') return false
  const isSpecial = (value: string): boolean => toJava && OUTSIDE_BMP.test(value)
  // the length prefix is two bytes
  protocol.sizeOfCtx.shortString = (value) =>
    isSpecial(value) ? 2 + modifiedUtf8Bytes(value) : sizeOf(value)
  protocol.writeCtx.shortString = (value, buffer, offset) => {
    if (!isSpecial(value)) return write(value, buffer, offset)
    const bytes = modifiedUtf8(value)
    // throws above 65,535, as the original does: the packet is refused, not cut
    buffer.writeUInt16BE(bytes.length, offset)
    return offset + 2 + bytes.copy(buffer, offset + 2)
  }
  patched.add(protocol)
  return true
}
