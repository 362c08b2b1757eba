import { once } from 'node:events'
import t from 'tap'
import { completeForHost } from '../../../../plugins/squid/shield/completion.js'
import {
  DEFAULT_VERSION,
  VERSIONS,
  bootSquid,
  joinRaw,
  nextEvent,
  type RawClient,
} from '../../../support/squid.js'
import { bootShielded, connectionOf, hangUp, isServed, playerOf } from './support.js'

interface Answer {
  readonly transactionId: number
  readonly start: number
  readonly length: number
  readonly matches: readonly { readonly match: string; readonly tooltip?: unknown }[]
}

async function ask(client: RawClient, text: string, transactionId = 7): Promise<Answer> {
  const answer = nextEvent<Answer>(client, 'tab_complete')
  client.write('tab_complete', { transactionId, text })
  return answer
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock's answer never serialises`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const failed = once(connectionOf(serv, 'alice'), 'error')
    alice.write('tab_complete', { transactionId: 7, text: '/pi' })
    await failed
    t.notOk(connectionOf(serv, 'alice').serializer?.writable)
    await hangUp(connectionOf(serv, 'alice'))
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const { port, serv, shield } = await bootShielded(t, version, {
      only: ['tab-complete', 'limits'],
      shield: {
        complete: (player, text) =>
          text.startsWith('/system')
            ? {
                start: 8,
                length: text.length - 8,
                matches: [{ match: `for ${player.username}`, tooltip: 'a "hint"' }],
              }
            : null,
      },
    })
    const alice = await joinRaw(t, port, version, 'alice')
    const own = await ask(alice, '/system pl', 91)
    t.match(own, { transactionId: 91, start: 8, length: 2, matches: [{ match: 'for alice' }] })
    t.match(JSON.stringify(own.matches[0]?.tooltip), /hint/)
    const names = await ask(alice, '/pi')
    t.match(names, { start: 1, length: 2, matches: [{ match: 'ping' }] })
    t.strictSame((await ask(alice, '/giv')).matches, [], 'no word of commands of ops')
    t.strictSame((await ask(alice, '/give alice dia')).matches, [])
    playerOf(serv, 'alice').op = true
    t.match(await ask(alice, '/giv'), { start: 1, length: 3, matches: [{ match: 'give' }] })
    const items = await ask(alice, '/give alice diamond_sw')
    t.strictSame([items.start, items.length, items.matches[0]?.match], [12, 10, 'diamond_sword'])
    t.strictSame(
      (await ask(alice, '/give al')).matches.map(({ match }) => match),
      ['alice'],
    )
    // 'hostile' bounds: nothing comes for too long a text, and the connection lives
    alice.write('tab_complete', { transactionId: 8, text: `/${'x'.repeat(5_000)}` })
    await isServed(alice)
    t.equal(shield.status().get('tab-complete'), 'on')
    t.strictSame(alice.clientErrors, [])
  })
}

void t.test('a flood of questions is answered twenty times', async (t) => {
  const { port } = await bootShielded(t, DEFAULT_VERSION, {
    // time stands still
    shield: { clock: { now: () => 0, monotonic: () => 0, after: () => () => {}, every: () => () => {} } },
  })
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  let answers = 0
  alice.on('tab_complete', () => {
    answers += 1
  })
  for (let n = 0; n < 100; n += 1) alice.write('tab_complete', { transactionId: n, text: '/p' })
  await isServed(alice)
  t.equal(answers, 20)
})

void t.test("the host's own completion", async (t) => {
  const { serv, port } = await bootShielded(t, DEFAULT_VERSION)
  await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  await joinRaw(t, port, DEFAULT_VERSION, 'Bob')
  serv.commands.add({ base: 'console', onlyConsole: true, action: () => '' })
  serv.commands.add({ base: 'odd', tab: ['no_such_type', 'constructor', 'player'], action: () => '' })
  const player = playerOf(serv, 'alice')
  const words = (text: string): string[] =>
    completeForHost(serv, player, text).matches.map(({ match }) => match)
  const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ['/console', []],
    ['/console ', []],
    ['/PIN', ['ping']],
    ['/?', ['?']],
    ['/ping ', ['Bob', 'alice']],
    ['/ping b', ['Bob']],
    ['hello a', ['alice']],
    ['/odd ', []],
    ['/odd x ', []],
    ['/odd x y A', ['alice']],
    ['/odd x y z ', []],
    ['/constructor ', []],
    ['/stop ', []],
    ['/nope a', []],
    ['/help gi', []],
    ['/help pi', ['ping']],
  ]
  for (const [text, expected] of cases) t.strictSame(words(text), expected, JSON.stringify(text))
  t.ok(words('/').includes('odd'))
  t.notOk(words('/').includes('stop'))
})

void t.test('an upstream that answers the question by its number keeps its own listener', async (t) => {
  const { port, shield } = await bootShielded(t, DEFAULT_VERSION, {
    only: ['tab-complete'],
    plugin: {
      player: ({ _client: client }) => {
        client.removeAllListeners('tab_complete')
        client.on('tab_complete', ({ transactionId }: { transactionId: number }) =>
          client.write('tab_complete', {
            transactionId,
            start: 0,
            length: 0,
            matches: [{ match: 'upstream' }],
          }),
        )
      },
    },
  })
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  t.equal(shield.status().get('tab-complete'), 'upstream')
  t.ok(alice)
})
