/** What models are told of earlier rounds, and what players see of them: as the provider and a client read it. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import type { RecordedRequest } from '../../lib/testing/index.js'
import { isJsonObject, parseJson } from '../../lib/core/json.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { buttonsOf, consoleSays, joinReader, temporaryFolder } from '../support/system.js'

const turnsSchema = z.array(
  z.strictObject({
    asked: z.string(),
    answered: z.string().optional(),
    facts: z.array(z.string()).optional(),
  }),
)

/** The conversation in a request's body; undefined: none. */
function conversationIn(request: RecordedRequest | undefined) {
  const message = parseJson(request?.body.messages[1]?.content ?? '')
  if (!isJsonObject(message) || !isJsonObject(message['context'])) throw new Error('no user message')
  const { conversation } = message['context']
  return conversation === undefined ? undefined : turnsSchema.parse(conversation)
}
const lastTurns = ({ provider }: LiveSystem) => conversationIn(provider.requests.at(-1))
const answer = (text: string) => ({ type: 'answer', text })

void t.test('a conversation: known, shown, forgotten, nobody else’s', async (t) => {
  const live = await openLive(t)
  const { provider } = live
  const alice = await live.join('alice')
  const bob = await live.join('bob')
  provider.script(answer('Ravens.'))
  t.equal(await alice.ask('/system ask who is wise'), 'Ravens.')
  t.equal(lastTurns(live), undefined, 'absent when there is none')
  provider.script(answer('Because.'))
  t.equal(await alice.ask('/system ask why is that'), 'Because.')
  t.same(lastTurns(live), [{ asked: '/system ask who is wise', facts: ['Ravens.'] }])
  provider.script(answer('Bob.'))
  await bob.ask('/system ask who am i')
  t.equal(lastTurns(live), undefined, 'not alice’s')
  await t.test('a workflow that no model ran, and one whose card tells nothing', (t) =>
    others(t, live, alice),
  )
  await t.test('routing and the workflow it chose know the same', async (t) => {
    provider.script({ module: 'system:question', input: { text: 'and before' } }, answer('Crows.'))
    t.equal(await alice.ask('/system tell me of the ones that came before those'), 'Crows.')
    const bodies = provider.requests.slice(-2).map(conversationIn)
    t.equal(bodies[0]?.length, 3)
    t.same(bodies[0], bodies[1])
  })
  await t.test('history', (t) => history(t, live, alice))
  t.match(await alice.ask('/system forget'), /^I have forgotten our conversations/)
  t.match(await alice.ask('/system history'), /There is nothing yet/)
  provider.script(answer('Hello.'))
  t.equal(await alice.ask('/system ask hello there'), 'Hello.')
  t.equal(lastTurns(live), undefined, 'forgotten')
  await t.test('what runs when forget comes', (t) => forgetUnderWay(t, live, alice))
  t.match(await consoleSays(live, 'system forget'), [/only.*players|player/i])
  t.strictSame([await alice.rest(), live.stray], [[], []])
})

type Seat = Awaited<ReturnType<LiveSystem['join']>>

async function others(t: Test, live: LiveSystem, alice: Seat): Promise<void> {
  t.match(await alice.ask('/system me'), /^Your state/)
  const shown = await alice.ask('/system history')
  t.match(shown, /\/system me\nYour state/, 'cards by their titles')
  t.notMatch(shown, /Showed/, 'what models are told is not for players')
  t.match(await alice.ask('/system usage'), /usage/)
  live.provider.script(answer('Yes.'))
  await alice.ask('/system ask is it')
  const turns = lastTurns(live)
  t.same(turns?.at(-1), { asked: '/system me', facts: ["Showed the player's own state."] })
  t.notMatch(JSON.stringify(turns), /Health|0\.5|overworld/, 'what is private is not in it')
  live.runtime.memory.forget(alice.id, { all: false }).catch(() => {})
  await eventually(() => live.runtime.memory.rounds(alice.id).length === 0)
  for (const word of ['one', 'two', 'three']) {
    live.provider.script(answer(word))
    await alice.ask(`/system ask ${word}`)
  }
}

async function forgetUnderWay(t: Test, live: LiveSystem, alice: Seat): Promise<void> {
  const { provider, runtime } = live
  let go = (): void => {}
  const may = new Promise<void>((resolve) => (go = resolve))
  const asked = provider.requests.length
  provider.script(async () => {
    await may
    return answer('too late')
  })
  alice.say('/system ask a long one')
  await provider.request(asked + 1)
  t.match(await alice.ask('/system forget all'), /^I have forgotten our conversations, your pinned/)
  go()
  t.strictSame(await alice.rest(), [], 'no last word')
  t.match(runtime.engine.log.recent(alice.id).at(-1), { code: 'system:forgotten' })
  await runtime.store.settled()
  t.same(runtime.memory.rounds(alice.id), [])
}

async function history(t: Test, live: LiveSystem, alice: Seat): Promise<void> {
  live.provider.script(answer('§cred {{x}} %s /op alice'), answer('six'))
  await alice.ask('/system ask five')
  await alice.ask('/system ask six')
  const first = await alice.reader.ask('/system history')
  const text = JSON.stringify(first)
  t.match(text, /page 1 of 2|Your history/)
  t.ok(text.includes('/op alice'))
  const buttons = buttonsOf(first)
  t.same(
    buttons.map(({ label }) => label.replace(/[^A-Za-z]/g, '')),
    ['Older'],
    'nothing else can be pressed',
  )
  const second = await alice.reader.ask(buttons[0]?.command ?? '')
  t.match(JSON.stringify(second), /one/)
  t.same(
    buttonsOf(second).map(({ label }) => label.replace(/[^A-Za-z]/g, '')),
    ['Newer'],
  )
  t.match(await alice.ask('/system history 99'), /page 2 of 2/, 'the last page there is')
  live.provider.script(answer('seven'))
  await alice.ask('/system ask seven')
  t.same(
    lastTurns(live)
      ?.map(({ asked }) => asked)
      .at(-1),
    '/system ask six',
    'looking is no round',
  )
}

void t.test('after relog and restart', async (t) => {
  const folder = await temporaryFolder(t)
  const start = (t: Test) =>
    openLive(t, {
      squid: { worldFolder: join(folder, 'world') },
      settings: { configFolder: join(folder, 'config') },
    })
  await t.test('relog', async (t) => {
    const live = await start(t)
    const alice = await live.join('alice')
    live.provider.script(answer('Ravens.'))
    await alice.ask('/system ask who is wise')
    await alice.leave()
    const again = await live.join('alice')
    live.provider.script(answer('Because.'))
    await again.ask('/system ask why')
    t.same(
      lastTurns(live)?.map(({ asked }) => asked),
      ['/system ask who is wise'],
    )
    t.same(live.stray, [])
  })
  await t.test('restart, then revoke', async (t) => {
    const live = await start(t)
    const reader = await joinReader(t, live, 'alice')
    live.provider.script(answer('So.'))
    t.equal(await reader.askText('/system ask and now'), 'So.')
    t.same(
      lastTurns(live)?.map(({ asked }) => asked),
      ['/system ask who is wise', '/system ask why'],
    )
    await consoleSays(live, 'system revoke alice')
    await consoleSays(live, 'system grant default alice')
    for (let text = ''; !text.includes('now with you');) text = await reader.nextText()
    live.provider.script(answer('New.'))
    t.equal(await reader.askText('/system ask anything'), 'New.')
    t.equal(lastTurns(live), undefined, 'revoke takes it')
    t.same(live.stray, [])
  })
})
