import { unzipSync } from 'node:zlib'
import type { SquidClient } from '../types.js'
import { internalsOf, type ByteStage, type ClientInternals } from './internals.js'

/** Vanilla's limit of a frame: its length has at most three bytes. */
const MAX_FRAME_BYTES = 0x1f_ffff
const MAX_LENGTH_BYTES = 3
/** No serverbound packet of vanilla is larger when unpacked. */
const MAX_PACKET_BYTES = 0x20_0000
/** An old client's server list ping: 0xfe, and at most a host name. */
const MAX_LEGACY_PING_BYTES = 1_024
const LEGACY_PING = 0xfe
/** zlib's Z_SYNC_FLUSH, as minecraft-protocol unpacks. */
const SYNC_FLUSH = 2

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
  const refuses = (): boolean => isBad && isActive
  guardSplitter(inside, refuses, (why) => isActive && bad(why))
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

function guardSplitter(inside: ClientInternals, refuses: () => boolean, bad: (why: string) => void): void {
  const { splitter } = inside
  const stock = splitter._transform
  const scan = new FrameScan()
  let legacyBytes = 0
  splitter._transform = function (chunk, encoding, done) {
    if (refuses()) return done()
    if (splitter.recognizeLegacyPing && (legacyBytes > 0 || (scan.isFresh && chunk[0] === LEGACY_PING))) {
      legacyBytes += chunk.length
      if (legacyBytes > MAX_LEGACY_PING_BYTES) bad('legacy ping too long')
    } else if (!scan.accept(chunk)) bad('frame length out of range')
    return refuses() ? done() : Reflect.apply(stock, splitter, [chunk, encoding, done])
  }
}

/** Walks over frame lengths without copying; knows where in a frame the stream stands. */
class FrameScan {
  #payloadLeft = 0
  #length = 0
  #lengthBytes = 0
  isFresh = true

  /** False once a length is negative or has more than three bytes. */
  accept(chunk: Buffer): boolean {
    this.isFresh &&= chunk.length === 0
    let at = 0
    while (at < chunk.length) {
      if (this.#payloadLeft > 0) {
        const step = Math.min(this.#payloadLeft, chunk.length - at)
        this.#payloadLeft -= step
        at += step
        continue
      }
      const byte = chunk[at] ?? 0
      at += 1
      this.#length |= (byte & 0x7f) << (7 * this.#lengthBytes)
      this.#lengthBytes += 1
      if (byte >= 0x80) {
        if (this.#lengthBytes >= MAX_LENGTH_BYTES) return false
        continue
      }
      if (this.#length > MAX_FRAME_BYTES) return false
      this.#payloadLeft = this.#length
      this.#length = 0
      this.#lengthBytes = 0
    }
    return true
  }
}

function guardDecompressor(stage: ByteStage, isActive: () => boolean, bad: (why: string) => void): void {
  const stock = stage._transform
  stage._transform = function (chunk, encoding, done) {
    if (!isActive()) return Reflect.apply(stock, stage, [chunk, encoding, done])
    const claimed = readLength(chunk)
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

function readLength(chunk: Buffer): { value: number; size: number } | undefined {
  let value = 0
  for (let size = 0; size < 4; size += 1) {
    const byte = chunk[size]
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
