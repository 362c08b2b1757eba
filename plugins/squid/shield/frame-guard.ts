import { unzipSync } from 'node:zlib'
import type { SquidClient } from '../types.js'
import { internalsOf, type ByteStage, type ClientInternals } from './internals.js'

/** Vanilla's limit of a frame: its length has at most three bytes. */
const FRAME_LENGTH_BYTES = 3
/** As many as the largest packet's length takes. */
const PACKET_LENGTH_BYTES = 4
/** No serverbound packet of vanilla is larger when unpacked. */
const MAX_PACKET_BYTES = 0x20_0000
/** An old client's server list ping: 0xfe, and at most a host name. */
const MAX_LEGACY_PING_BYTES = 1_024
const LEGACY_PING = 0xfe
/** zlib's Z_SYNC_FLUSH, as minecraft-protocol unpacks. */
const SYNC_FLUSH = 2

/** What a stage knows of its connection. */
interface Guard {
  isActive(): boolean
  isBad(): boolean
  /** Ends the connection. */
  bad(why: string): void
}

/**
 * Ends a connection whose bytes can't be frames, before minecraft-protocol cuts and unpacks them: there a negative length
 * loops for ever, an empty compressed frame throws past every handler, and sizes have no limit.
 */
export function guardFrames(client: SquidClient, onBad: (why: string) => void): () => void {
  const inside = internalsOf(client)
  let isBad = false
  let isActive = true
  const bad = (why: string): void => {
    if (isBad) return
    isBad = true
    onBad(why)
    client.socket?.destroy()
  }
  guardSplitter(inside, { isActive: () => isActive, isBad: () => isBad, bad })
  const unpack = (): void => {
    if (inside.decompressor !== null) guardDecompressor(inside.decompressor, () => isActive, bad)
  }
  if (inside.decompressor === null) {
    const stock = inside.setCompressionThreshold
    inside.setCompressionThreshold = function (threshold) {
      const isFirst = inside.decompressor === null
      Reflect.apply(stock, client, [threshold])
      if (isFirst) unpack()
    }
  } else unpack()
  return () => {
    isActive = false
  }
}

/**
 * Cuts frames itself: minecraft-protocol ends its loop with an exception, stack trace included, once a chunk, about
 * a twentieth of the CPU time of a server whose players walk. What is left of a frame stays in its buffer.
 */
function guardSplitter(inside: ClientInternals, guard: Guard): void {
  const { splitter } = inside
  const stock = splitter._transform
  let isFresh = true
  let legacyBytes = 0
  splitter._transform = function (chunk, encoding, done) {
    if (!guard.isActive()) return Reflect.apply(stock, splitter, [chunk, encoding, done])
    if (guard.isBad()) return done()
    if (splitter.recognizeLegacyPing && (legacyBytes > 0 || (isFresh && chunk[0] === LEGACY_PING))) {
      isFresh = false
      legacyBytes += chunk.length
      if (legacyBytes <= MAX_LEGACY_PING_BYTES) return Reflect.apply(stock, splitter, [chunk, encoding, done])
      guard.bad('legacy ping too long')
      return done()
    }
    isFresh &&= chunk.length === 0
    if (!cutFrames(splitter, chunk)) guard.bad('frame length out of range')
    done()
  }
}

/** Passes on all whole frames; false once a length is negative or has more than three bytes. */
function cutFrames(splitter: ClientInternals['splitter'], chunk: Buffer): boolean {
  const bytes = splitter.buffer.length === 0 ? chunk : Buffer.concat([splitter.buffer, chunk])
  let at = 0
  for (;;) {
    const length = readLength(bytes, at, FRAME_LENGTH_BYTES)
    if (length === undefined) {
      if (bytes.length - at >= FRAME_LENGTH_BYTES) return false
      break
    }
    const from = at + length.size
    if (bytes.length < from + length.value) break
    at = from + length.value
    splitter.push(bytes.subarray(from, at))
  }
  splitter.buffer = bytes.subarray(at)
  return true
}

function guardDecompressor(stage: ByteStage, isActive: () => boolean, bad: (why: string) => void): void {
  const stock = stage._transform
  stage._transform = function (chunk, encoding, done) {
    if (!isActive()) return Reflect.apply(stock, stage, [chunk, encoding, done])
    const claimed = readLength(chunk, 0, PACKET_LENGTH_BYTES)
    if (claimed === undefined || claimed.value > MAX_PACKET_BYTES) bad('unpacked length out of range')
    else if (claimed.value === 0) stage.push(chunk.subarray(claimed.size))
    else {
      const packet = unpackTo(chunk.subarray(claimed.size), claimed.value)
      if (packet === undefined) bad('badly compressed frame')
      else stage.push(packet)
    }
    done()
  }
}

/** A length of up to so many bytes; undefined when it doesn't end within them or within the buffer. */
function readLength(
  bytes: Buffer,
  at: number,
  maxBytes: number,
): { value: number; size: number } | undefined {
  let value = 0
  for (let size = 0; size < maxBytes; size += 1) {
    const byte = bytes[at + size]
    if (byte === undefined) return undefined
    value |= (byte & 0x7f) << (7 * size)
    if (byte < 0x80) return { value, size: size + 1 }
  }
  return undefined
}

function unpackTo(packed: Buffer, length: number): Buffer | undefined {
  try {
    const packet = unzipSync(packed, { finishFlush: SYNC_FLUSH, maxOutputLength: length })
    return packet.length === length ? packet : undefined
  } catch {
    return undefined
  }
}
