import t from 'tap'
import type { SquidServer } from '../../../../plugins/squid/types.js'
import { VERSIONS, bootSquid, joinRaw } from '../../../support/squid.js'
import { bootShielded, heard, isServed, playerOf } from './support.js'

const addBroken = (serv: SquidServer): void => {
  serv.commands.add({
    base: 'boom',
    op: false,
    action: () => {
      throw new Error('a bug of a plugin')
    },
  })
  serv.commands.add({ base: 'nothing', op: false, action: () => Promise.reject(undefined) })
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock lets everybody kill everybody`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const mallory = await joinRaw(t, port, version, 'mallory')
    await joinRaw(t, port, version, 'bob')
    mallory.say('/kill bob')
    await isServed(mallory)
    t.equal(playerOf(serv, 'bob').health, 0)
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const { serv, port, log } = await bootShielded(t, version, {
      only: ['command-shield'],
      plugin: {
        server: addBroken,
        player: (player) => {
          if (player._client.username !== 'carol') return
          const fail = (): never => {
            throw new Error('a bug of a listener')
          }
          player.on('chat_cancel', fail)
          // the host awaits what a listener gives back
          const failLater: (...args: unknown[]) => unknown = () => Promise.resolve().then(fail)
          player.on('command', failLater)
        },
      },
    })
    const mallory = await joinRaw(t, port, version, 'mallory')
    const carol = await joinRaw(t, port, version, 'carol')
    for (const line of [
      '/boom',
      '/nothing',
      '/constructor',
      '/kill @z',
      '/effect @z x',
      '/__proto__ 1',
      '/',
      '/toString',
    ])
      mallory.say(line)
    await heard(mallory, 'That command failed')
    await heard(mallory, 'You do not have permission')
    await isServed(mallory)
    t.ok(log.lines.some((line) => line.includes('/boom failed') && line.includes('a bug of a plugin')))
    t.notOk(
      log.lines.some((line) => line.includes('__proto__')),
      'what a player typed is not in the log',
    )

    await t.test('listeners that fail', async (t) => {
      carol.say('hello')
      carol.say('/ping')
      await isServed(mallory)
      t.ok(log.lines.some((line) => line.includes('a listener of chat failed')))
      await new Promise((resolve) => setImmediate(resolve))
      t.ok(log.lines.some((line) => line.includes('a listener of command failed')))
    })

    await t.test('others may be struck by ops only', async (t) => {
      const health = (name: string): number => playerOf(serv, name).health
      for (const line of [
        '/kill carol',
        '/kill @a',
        '/kill @e',
        '/kill @s[r=9]',
        '/effect carol speed',
        '/effect mallory \ncarol speed',
      ])
        mallory.say(line)
      await isServed(mallory)
      t.equal(health('carol'), 20)
      t.equal((playerOf(serv, 'carol') as unknown as { effects: Record<string, unknown> }).effects['1'], null)
      mallory.say('/kill mallory')
      await isServed(mallory)
      t.equal(health('mallory'), 0, 'oneself is allowed')
      playerOf(serv, 'mallory').op = true
      mallory.say('/kill carol')
      await isServed(mallory)
      t.equal(health('carol'), 0, 'an op may')
    })

    await t.test('the console hears of failures too', async (t) => {
      await serv.handleCommand('boom')
      await serv.handleCommand('kill @z')
      await serv.handleCommand('no such command')
      t.pass('no error got out')
    })
  })
}

void t.test('close() takes the wrappers out', async (t) => {
  const { serv, shield } = await bootShielded(t, '1.21.4', { only: ['command-shield'] })
  t.equal(Object.getPrototypeOf(serv.commands.hash), null)
  t.ok(Object.hasOwn(serv.commands, 'use'))
  shield.close()
  t.equal(Object.getPrototypeOf(serv.commands.hash), Object.prototype)
  t.notOk(Object.hasOwn(serv.commands, 'use'))
})
