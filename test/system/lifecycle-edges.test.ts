/** Ends that come from elsewhere: a second login, a full lane, code of an author's that throws. */
import { z } from 'zod'
import t from 'tap'
import { FAST_POLICY, shown, type AgentResult, type Registration } from '../../lib/agent/index.js'
import type { CardView } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { faults } from '../../lib/testing/index.js'
import { eventually } from '../support/eventually.js'
import { openLive } from '../support/live-system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'
import { lineOf } from './fault-rig.js'

void t.test('the same account at a second client', async (t) => {
  const live = await openLive(t)
  const { provider, runtime, stray } = live
  const first = await live.join('alice')
  provider.script(faults.slowHeaders(ANSWER), good(ANSWER))
  first.say('/system ask how deep?')
  const request = await provider.request(1)
  const second = await live.join('alice')
  await request.over
  t.ok(request.aborted, 'what the first asked is over')
  t.equal(await second.ask('/system ask how deep?'), TEXT, 'the second asks at once')
  await first.leave()
  t.match(await second.ask('/system me'), /Health/, 'and goes on when the first leaves')
  t.strictSame(await second.rest(), [])
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
  t.equal([...runtime.sessions.all()].length, 1)
  t.strictSame(stray, [])
})

void t.test('a full lane', async (t) => {
  const lanes = { interactive: { active: 1, waiting: 1 } }
  const live = await openLive(t, { config: { 'system-agent': { lanes } } })
  const { provider, runtime, stray } = live
  const [alice, bob, carol] = [await live.join('alice'), await live.join('bob'), await live.join('carol')]
  provider.script(faults.slowHeaders(ANSWER), good(ANSWER))
  bob.say('/system ask how deep?')
  await provider.request(1)
  const wait = async (): Promise<void> => {
    alice.say('/system ask how deep?')
    await eventually(() => runtime.engine.state().waiting === 1)
  }
  await wait()
  t.equal(await alice.ask('/system ask how deep?'), lineOf('system:request_active'), 'one at a time')
  t.equal(await carol.ask('/system ask how deep?'), lineOf('system:busy'), 'refused at once')
  t.match(await carol.ask('/system me'), /Health/, 'what asks no model needs no place')
  t.equal(await alice.ask('/system cancel'), lineOf('system:cancelled'))
  t.match(runtime.engine.state(), { active: 1, waiting: 0, refused: 1 })
  await wait()
  await alice.leave()
  await eventually(() => runtime.engine.state().waiting === 0)
  const again = await live.join('alice')
  again.say('/system ask how deep?')
  await eventually(() => runtime.engine.state().waiting === 1)
  provider.release()
  t.equal(await bob.reader.nextText(), TEXT)
  t.equal(await again.reader.nextText(), TEXT, 'who waited is served')
  t.equal(provider.requests.length, 2)
  t.strictSame([await again.rest(), await bob.rest(), await carol.rest()], [[], [], []])
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
  t.strictSame(stray, [])
})

const boom = (): never => {
  throw new Error('a mistake of its author')
}

const view = (over: object): CardView => ({ title: null, lines: [], buttons: [], ...over })

/** What cards of plain JavaScript may be: each fails in another step of drawing. */
const VIEWS: ReadonlyMap<string, () => CardView> = new Map([
  ['view-none', () => ({}) as CardView],
  ['view-line', () => view({ lines: [null] })],
  ['view-button', () => view({ buttons: [{ label: { key: 'x' }, action: null }] })],
  ['view-text', () => view({ lines: [{ kind: 'row', label: { key: 'x' }, value: { text: 5 } }] })],
])

function faulty(registration: Registration): void {
  const owner = identifier('test:faulty')
  const tool = {
    input: z.strictObject({}),
    output: z.strictObject({}),
    write: false,
    reasoning: 'For tests.',
  }
  registration.tool({ type: { ...tool, id: 'test:sync', kind: 'async' }, owner, handler: boom })
  registration.tool({ type: { ...tool, id: 'test:game', kind: 'game' }, owner, handler: boom })
  registration.tool({
    type: { ...tool, id: 'test:promise', kind: 'game' },
    owner,
    handler: async () => boom(),
  })
  const module = (name: string, over: { fromCommand?: () => unknown; execute?: () => AgentResult }): void =>
    registration.module({
      id: identifier(`test:${name}`),
      version: 1,
      action: z.strictObject({}),
      description: 'For tests.',
      help: { key: 'system.command.help.me' },
      tools: [],
      policy: FAST_POLICY,
      routing: { selection: 'NORMAL', command: { name }, fromCommand: () => ({}), ...over },
      execute: async () => (over.execute ?? boom)(),
    })
  module('decoder', { fromCommand: boom })
  module('later', { fromCommand: async () => boom() })
  module('workflow', { execute: boom })
  for (const [name, build] of VIEWS) {
    const card = { type: identifier(`test:${name}`), data: {} }
    registration.cardType({ id: card.type, schema: z.strictObject({}), build })
    module(name, { execute: () => shown(card) })
  }
  registration.module({
    id: identifier('test:card'),
    version: 1,
    action: z.strictObject({}),
    description: 'For tests.',
    help: { key: 'system.command.help.me' },
    tools: [],
    policy: FAST_POLICY,
    routing: { selection: 'NORMAL', command: { name: 'card' }, fromCommand: () => ({}) },
    execute: async () => shown({ type: identifier('test:nothing'), data: {} }),
  })
}

void t.test("an author's code that throws", async (t) => {
  const live = await openLive(t, { register: faulty })
  const { provider, runtime, stray } = live
  const alice = await live.join('alice')
  for (const command of ['decoder', 'later', 'workflow', ...VIEWS.keys()])
    t.equal(await alice.ask(`/system ${command}`), lineOf('system:internal'), command)
  t.match(await alice.ask('/system card'), /can't be shown/, 'a card of no type')
  for (const tool of ['test:sync', 'test:game', 'test:promise']) {
    // the loop goes on; the request is then cancelled, when what was thrown is long past
    provider.script(good({ type: tool, input: {} }), faults.slowHeaders(ANSWER))
    const number = provider.requests.length + 2
    alice.say('/system reason how deep?')
    const request = await provider.request(number)
    t.match(request.body.messages.at(-1)?.content, /"failure":\{"code":"system:tool_failed"/, tool)
    t.notMatch(request.body.messages.at(-1)?.content, /mistake/, 'the model learns no cause')
    t.equal(await alice.ask('/system cancel'), lineOf('system:cancelled'))
  }
  t.strictSame(await alice.rest(), [])
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
  await eventually(() => runtime.meter.state().running === 0)
  t.strictSame(stray, [])
})
