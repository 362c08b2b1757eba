import { createRequire } from 'node:module'
import t from 'tap'
import { guardFrames } from '../../../../plugins/squid/shield/frame-guard.js'
import type { SquidClient } from '../../../../plugins/squid/types.js'
import { SeededRandom } from '../../../support/packet-fuzz.js'
import { DEFAULT_VERSION } from '../../../support/squid.js'

const require = createRequire(import.meta.url)
interface Connection extends SquidClient {
  readonly splitter: NodeJS.ReadWriteStream & { recognizeLegacyPing: boolean }
}
const { Client } = require('minecraft-protocol') as {
  Client: new (isServer: boolean, version: string) => Connection
}

const SEED = 20_261_201

/** A frame as it goes over the wire: its length in seven-bit groups, then its bytes. */
function frame(payload: Buffer): Buffer {
  const length: number[] = []
  for (let left = payload.length; ; left >>>= 7) {
    length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left)
    if (left <= 0x7f) break
  }
  return Buffer.concat([Buffer.from(length), payload])
}

/** A connection in its game, and the frames that come out of its splitter. */
function connection(isGuarded: boolean) {
  const client = new Client(true, DEFAULT_VERSION)
  client.splitter.recognizeLegacyPing = false
  const bad: string[] = []
  const release = isGuarded ? guardFrames(client, (why) => bad.push(why)) : () => {}
  const frames: string[] = []
  const splitter = client.splitter as unknown as { push(frame: Buffer | null): boolean }
  const stock = splitter.push.bind(splitter)
  splitter.push = (bytes) => {
    if (bytes !== null) frames.push(bytes.toString('hex'))
    return stock(bytes)
  }
  // nobody reads: what was pushed must not stop the stream, nor be complained about at length
  client.splitter.unpipe()
  client.splitter.resume()
  return { splitter: client.splitter, bad, frames, release }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

void t.test('cuts the same frames as stock, however the bytes arrive', async (t) => {
  const random = new SeededRandom(SEED)
  for (let round = 0; round < 50; round += 1) {
    const sizes = Array.from({ length: 20 }, () => random.pick([1, 2, 5, 127, 128, 300, 20_000]))
    const payloads = sizes.map((size) => Buffer.alloc(size, size & 0xff))
    const wire = Buffer.concat(payloads.map(frame))
    const stock = connection(false)
    const guarded = connection(true)
    for (let at = 0; at < wire.length;) {
      const end = at + random.pick([1, 1, 2, 3, 64, 5_000, 70_000])
      for (const { splitter } of [stock, guarded]) splitter.write(wire.subarray(at, end))
      at = end
    }
    await settled()
    t.strictSame(
      guarded.frames,
      payloads.map((payload) => payload.toString('hex')),
    )
    t.strictSame(guarded.frames, stock.frames)
    t.strictSame(guarded.bad, [])
  }
})

void t.test('frames before a bad length are served, those after it are not', async (t) => {
  for (const length of [
    [0xfb, 0xff, 0xff, 0xff, 0x0f],
    [0x80, 0x80, 0x80, 0x01],
  ]) {
    const { splitter, bad, frames } = connection(true)
    splitter.write(Buffer.from([2, 7, 7, ...length, 1, 9]))
    splitter.write(Buffer.from([1, 9]))
    await settled()
    t.strictSame(frames, ['0707'])
    t.strictSame(bad, ['frame length out of range'])
  }
})

void t.test('a length in pieces is waited for; stock goes on with it when the guard is gone', async (t) => {
  const { splitter, bad, frames, release } = connection(true)
  const payload = Buffer.alloc(300, 5)
  const wire = frame(payload)
  splitter.write(wire.subarray(0, 1))
  splitter.write(wire.subarray(1, 10))
  release()
  splitter.write(wire.subarray(10))
  await settled()
  t.strictSame(frames, [payload.toString('hex')])
  t.strictSame(bad, [])
})
