import { once } from 'node:events'
import t from 'tap'
import { safeWrite } from '../../../../plugins/squid/shield/index.js'
import type { SquidClient } from '../../../../plugins/squid/types.js'
import { VERSIONS, bootSquid, joinRaw, nextEvent, type RawClient } from '../../../support/squid.js'
import { bootShielded, chatText, connectionOf, hangUp, isServed, playerOf } from './support.js'

const BAD = ['boss_bar', { entityUUID: 'nonsense', action: 0 }] as const

interface Cipher {
  setEncryption(secret: Buffer): void
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock goes silent after a packet that can't be serialised`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    await joinRaw(t, port, version, 'alice')
    const connection = connectionOf(serv, 'alice')
    const failed = once(connection, 'error')
    connection.write(...BAD)
    await failed
    t.notOk(connection.serializer?.writable)
    await hangUp(connection)
  })

  void t.test(`${version}: the repair drops it, says so once and keeps the connection`, async (t) => {
    const { serv, port, log, errors, shield } = await bootShielded(t, version, { only: ['safe-write'] })
    const alice = await joinRaw(t, port, version, 'alice')
    const connection = connectionOf(serv, 'alice')
    connection.write(...BAD)
    connection.write(...BAD)
    connection.write('no_such_packet', {})
    t.equal(safeWrite(connection, ...BAD), 'failed')
    t.equal(safeWrite(connection, 'no_such_packet', {}), 'failed')
    await isServed(alice)
    t.strictSame(errors, [])
    t.strictSame(alice.clientErrors, [])
    t.equal(log.lines.filter((line) => line.includes('play.boss_bar')).length, 1)
    t.equal(log.lines.filter((line) => line.includes('play.no_such_packet')).length, 1)
    t.equal(shield.status().get('safe-write'), 'on')
  })

  void t.test(`${version}: order, compression and encryption`, async (t) => {
    const { serv, port } = await bootShielded(t, version, { only: ['safe-write'] })
    const alice = await joinRaw(t, port, version, 'alice')
    const connection = connectionOf(serv, 'alice')
    await isServed(alice)
    const secret = Buffer.alloc(16, 7)
    ;(connection as unknown as Cipher).setEncryption(secret)
    ;(alice as unknown as Cipher).setEncryption(secret)
    // every third is above the threshold of compression
    const texts = Array.from({ length: 60 }, (_, n) => `<${n}>${n % 3 === 0 ? 'x'.repeat(400) : ''}`)
    const heard = collect(alice, texts.length)
    for (const [n, text] of texts.entries()) {
      if (n % 2 === 0) playerOf(serv, 'alice').chat(text)
      else
        say(
          connection,
          serv.supportFeature('signedChat'),
          wire(text, serv.supportFeature('chatPacketsUseNbtComponents')),
        )
    }
    t.strictSame(
      (await heard).map((line) => /<(\d+)>/.exec(line)?.[1]),
      texts.map((_, n) => String(n)),
    )
  })

  void t.test(`${version}: writing after the end does nothing`, async (t) => {
    const { serv, port, errors } = await bootShielded(t, version, { only: ['safe-write'] })
    const alice = await joinRaw(t, port, version, 'alice')
    const bob = await joinRaw(t, port, version, 'bob')
    const gone = connectionOf(serv, 'alice')
    const left = nextEvent(playerOf(serv, 'alice'), 'disconnected')
    alice.end()
    await left
    gone.write('open_book', { hand: 0 })
    t.equal(safeWrite(gone, 'open_book', { hand: 0 }), 'closed')
    const late = connectionOf(serv, 'bob')
    const destroyed = (serv as unknown as { destroy(): Promise<void> }).destroy().catch(() => {})
    t.doesNotThrow(() => late.write('open_book', { hand: 0 }))
    await destroyed
    bob.end()
    serv.stopTickInterval()
    t.strictSame(errors, [])
  })
}

void t.test('stock throws at late writers after destroy()', async (t) => {
  const { serv, port } = await bootSquid(t, '1.21.4')
  await joinRaw(t, port, '1.21.4', 'alice')
  const late = connectionOf(serv, 'alice')
  await (serv as unknown as { destroy(): Promise<void> }).destroy().catch(() => {})
  t.throws(() => late.write('open_book', { hand: 0 }), /closed connection/)
  Reflect.deleteProperty(late, 'write')
})

void t.test('1.21.4: a step of many blocks', async (t) => {
  const flags = { onGround: true, hasHorizontalCollision: false }
  const step = { x: 30, y: 90, z: 3, flags }
  await t.test('silences bystanders of a stock server', async (t) => {
    const { serv, port } = await bootSquid(t, '1.21.4')
    await joinRaw(t, port, '1.21.4', 'bob')
    const mallory = await joinRaw(t, port, '1.21.4', 'mallory')
    await isServed(mallory)
    const failed = once(connectionOf(serv, 'bob'), 'error')
    mallory.write('position', step)
    await failed
    t.notOk(connectionOf(serv, 'bob').serializer?.writable)
    await hangUp(connectionOf(serv, 'bob'))
  })
  await t.test('is seen by those of a repaired one', async (t) => {
    const { port } = await bootShielded(t, '1.21.4', { only: ['safe-write'] })
    const bob = await joinRaw(t, port, '1.21.4', 'bob')
    const mallory = await joinRaw(t, port, '1.21.4', 'mallory')
    await isServed(mallory)
    const seen = nextEvent<{ x: number }>(bob, 'entity_teleport')
    mallory.write('position', step)
    t.match(await seen, { x: 30, y: 90, z: 3 })
    await isServed(bob)
    t.strictSame(bob.clientErrors, [])
  })
})

const wire = (text: string, isNbt: boolean): unknown =>
  isNbt ? { type: 'compound', value: { text: { type: 'string', value: text } } } : JSON.stringify({ text })

function say(client: SquidClient, isSigned: boolean, content: unknown): void {
  const outcome = isSigned
    ? safeWrite(client, 'system_chat', { content, isActionBar: false })
    : safeWrite(client, 'chat', {
        message: content,
        position: 1,
        sender: '00000000-0000-0000-0000-000000000000',
      })
  if (outcome !== 'sent') throw new Error(`not sent: ${outcome}`)
}

/** The next chat lines of ours, as they come. */
async function collect(client: RawClient, count: number): Promise<string[]> {
  const lines: string[] = []
  await nextEvent<Record<string, unknown>>(client, 'packet', (data) => {
    const text = chatText(data)
    if (/<\d+>/.test(text)) lines.push(text)
    return lines.length === count
  })
  return lines
}
