import t from 'tap'
import { ManualClock } from '../../../../lib/testing/index.js'
import { VERSIONS, bootSquid, joinRaw, type RawClient } from '../../../support/squid.js'
import { bootShielded, chatText, connectionOf, isServed } from './support.js'

const LONG = 'x'.repeat(257)
const FITS = 'y'.repeat(256)

const lines = ({ received }: RawClient, part: string): number =>
  received.filter(({ name, data }) => /chat/.test(name) && chatText(data).includes(part)).length

for (const version of VERSIONS) {
  void t.test(`${version}: stock passes on whatever is said`, async (t) => {
    const { port } = await bootSquid(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const bob = await joinRaw(t, port, version, 'bob')
    alice.say(LONG)
    alice.say(`/me ${LONG}`)
    await isServed(alice)
    await isServed(bob)
    t.equal(lines(bob, LONG), 2)
  })

  void t.test(`${version}: what others are told has a limit`, async (t) => {
    const clock = new ManualClock()
    const { port, log, errors } = await bootShielded(t, version, { only: ['limits'], shield: { clock } })
    const alice = await joinRaw(t, port, version, 'alice')
    const bob = await joinRaw(t, port, version, 'bob')
    const both = async (): Promise<void> => {
      await isServed(alice)
      await isServed(bob)
    }
    for (let n = 0; n < 50; n += 1) alice.say(n % 2 === 0 ? LONG : `/me ${LONG}`)
    alice.say(FITS)
    await both()
    t.equal(lines(bob, LONG), 0)
    t.equal(lines(bob, FITS), 1)
    t.equal(lines(alice, 'at most 256 characters'), 1, 'told once')
    clock.advance(5_000)
    alice.say(LONG)
    await both()
    t.equal(lines(alice, 'at most 256 characters'), 2)
    t.match(log.lines, [/^limits: .* over the limit for length/])
    t.equal(log.lines.length, 1)
    t.strictSame([errors, alice.clientErrors, bob.clientErrors], [[], [], []])
  })

  void t.test(`${version}: payloads of plugin channels`, async (t) => {
    const clock = new ManualClock()
    const { serv, port, log } = await bootShielded(t, version, { only: ['limits'], shield: { clock } })
    const alice = await joinRaw(t, port, version, 'alice')
    const sizes: number[] = []
    connectionOf(serv, 'alice').on(
      'custom_payload',
      ({ channel, data }: { channel: string; data: Buffer }) => {
        if (channel === 'a:b') sizes.push(data.length)
      },
    )
    const send = (bytes: number): void =>
      alice.write('custom_payload', { channel: 'a:b', data: Buffer.alloc(bytes) })
    clock.advance(60_000)
    for (const bytes of [70_000, 30_000, 30_000, 30_000, 1_000, 70_000]) send(bytes)
    await isServed(alice)
    t.strictSame(sizes, [30_000, 30_000, 1_000])
    clock.advance(1_000)
    for (let n = 0; n < 200; n += 1) send(32_000)
    await isServed(alice)
    t.strictSame(sizes.slice(3), [32_000, 32_000])
    t.match(log.lines, [/^limits: .* over the limit for payload/])
    t.equal(log.lines.length, 1)
  })
}
