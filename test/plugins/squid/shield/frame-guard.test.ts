import { createRequire } from 'node:module'
import { deflateSync } from 'node:zlib'
import t from 'tap'
import { VERSIONS, joinRaw, nextEvent } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'

for (const version of VERSIONS) {
  void t.test(`${version}: frames that are none end their connection only`, async (t) => {
    const { port, log, serv } = await bootShielded(t, version)
    const bystander = await joinRaw(t, port, version, 'bob')
    const bomb = deflateSync(Buffer.alloc(3_000_000))
    const frames: readonly (readonly [what: string, bytes: Buffer])[] = [
      ['a negative length', Buffer.from([0xfb, 0xff, 0xff, 0xff, 0x0f])],
      ['a length of four bytes', Buffer.from([0x80, 0x80, 0x80, 0x01])],
      ['no unpacked length', frame(Buffer.from([0x80]))],
      ['an unpacked length beyond the limit', frame(Buffer.concat([varint(3_000_000), bomb]))],
      ['more than was announced', frame(Buffer.concat([varint(1_000), bomb]))],
      ['less than was announced', frame(Buffer.concat([varint(1_000), deflateSync(Buffer.alloc(10))]))],
      ['not compressed at all', frame(Buffer.concat([varint(1_000), Buffer.from('nonsense')]))],
    ]
    for (const [what, bytes] of frames) {
      const mallory = await joinRaw(t, port, version, 'mallory')
      const left = nextEvent(playerOf(serv, 'mallory'), 'disconnected')
      ;(mallory as unknown as { socket: { write(bytes: Buffer): void } }).socket.write(bytes)
      await left
      await isServed(bystander)
      t.pass(what)
    }
    t.ok(log.lines.length > 0)
  })

  void t.test(`${version}: a list of millions of nothing`, async (t) => {
    const { port, serv, log } = await bootShielded(t, version)
    const mallory = await joinRaw(t, port, version, 'mallory')
    const left = nextEvent(playerOf(serv, 'mallory'), 'disconnected')
    ;(mallory as unknown as { writeRaw(packet: Buffer): void }).writeRaw(listOfNothing(version))
    await left
    t.notOk(
      log.lines.some((line) => line.includes('kick_disconnect')),
      log.lines.join(),
    )
  })
}

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

const frame = (content: Buffer): Buffer => Buffer.concat([varint(content.length), content])

/** A creative slot whose item carries two lists of sixteen million end tags, in 30 bytes. */
function listOfNothing(version: string): Buffer {
  const data = createRequire(import.meta.url)('minecraft-data')(version) as {
    supportFeature(name: string): boolean
    protocol: {
      play: { toServer: { types: { packet: [string, { type: [string, { mappings: object }] }[]] } } }
    }
  }
  const { mappings } = data.protocol.play.toServer.types.packet[1][0]?.type[1] ?? { mappings: {} }
  const id = Number(Object.entries(mappings).find(([, name]) => name === 'set_creative_slot')?.[0])
  const list = Buffer.from([9, 0, 1, 97, 0, 0, 0xff, 0xff, 0xff])
  const isNamed = !data.supportFeature('chatPacketsUseNbtComponents') && version < '1.20.2'
  const root = Buffer.concat([Buffer.from([10]), Buffer.alloc(isNamed ? 2 : 0), list, list, Buffer.from([0])])
  const item = data.supportFeature('itemsWithComponents') ? [1, 1, 1, 0, 0] : [1, 1, 1]
  return Buffer.concat([Buffer.from([id, 0, 20, ...item]), root])
}
