/** What players are told unasked, on a real server: notices of plugins, and what the System says itself. */
import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type AgentModule, type Registration } from '../../lib/agent/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { Notice } from '../../lib/notifications/index.js'
import { componentText } from '../../lib/text/index.js'
import { decodeComponent } from '../support/component.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { clientSettings } from '../support/squid.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { buttonsOf, consoleSays } from '../support/system.js'

interface Gate {
  end: () => void
  began: () => void
}
const newGate = (): Gate => ({ end: () => {}, began: () => {} })

const extension = (gate: Gate) => (registration: Registration) => {
  registration.extension('test')
  registration.texts('en_us', {
    'test.help': 'Wait',
    'test.done': 'Done.',
    'test.say': 'Say {n}.',
    'test.short': 'Short {n}',
  })
  registration.texts('zh_cn', { 'test.say': '说 {n}。' })
  const module: AgentModule<object> = {
    id: identifier('test:wait'),
    version: 1,
    action: z.looseObject({}),
    description: 'Waits.',
    help: { key: 'test.help' },
    tools: [],
    policy: FAST_POLICY,
    routing: { selection: 'NORMAL', command: { name: 'wait' } },
    async execute() {
      await new Promise<void>((resolve) => {
        gate.end = resolve
        gate.began()
      })
      return { status: 'succeeded', message: { key: 'test.done' }, cards: [] }
    },
  }
  registration.module(module)
  registration.cardType({
    id: identifier('test:card'),
    schema: z.strictObject({ n: z.int() }),
    build: ({ n }: { n: number }) => ({
      title: { key: 'test.say', params: { n } },
      lines: [],
      buttons: [{ label: { key: 'test.help' }, action: { kind: 'server', module: module.id, params: {} } }],
    }),
  })
}

const say = (n: number, more: Partial<Notice> = {}): Notice => ({
  id: identifier(`test:say_${n}`),
  message: { key: 'test.say', params: { n } },
  ...more,
})
const packets = ({ reader }: Seat, kind: RegExp) =>
  reader.client.received.filter(({ name }) => kind.test(name))
const tell = ({ installation }: LiveSystem, { id }: Pick<Seat, 'id'>, notice: unknown): string => {
  const told = installation.notify(id, notice as Notice)
  return told.ok ? 'ok' : told.failure.code
}

void t.test("a notice is one message in the reader's language, with all that it says", async (t) => {
  const clock = new ShiftedClock()
  const gate = newGate()
  const live = await openLive(t, { clock, register: extension(gate) })
  const alice = await live.join('alice')
  const sound = identifier('minecraft:block.note_block.bell')
  const short = { key: 'test.short', params: { n: 1 } }
  const toast = {
    title: short,
    icon: identifier('minecraft:diamond'),
  } as const
  t.equal(tell(live, alice, say(1, { actionBar: short, title: short, priority: 'high', toast, sound })), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 1.')
  await eventually(() => packets(alice, /^sound_effect$/).length === 1)
  t.same(alice.reader.progress, ['Short 1'])
  const [title] = packets(alice, /^set_title_text$/)
  t.equal(componentText(decodeComponent(title?.data['text'])), 'Short 1')
  const [added] = packets(alice, /^advancements$/)
  const mapping = added?.data['advancementMapping'] as { value: { displayData?: { title: unknown } } }[]
  t.equal(componentText(decodeComponent(mapping[1]?.value.displayData?.title)), 'Short 1')

  clock.advance(2_000)
  const { message: _message, ...rest } = say(2)
  const began = new Promise<void>((resolve) => (gate.began = resolve))
  t.equal(tell(live, alice, { ...rest, card: { type: 'test:card', data: { n: 2 } } }), 'ok')
  const card = await alice.reader.next()
  t.equal(componentText(card), 'Say 2.\n[Wait]')
  alice.say(buttonsOf(card)[0]?.command ?? '')
  await began
  gate.end()
  t.equal(await alice.reader.nextText(), 'Done.', 'its buttons work')
  t.strictSame([await alice.rest(), live.stray], [[], []])
})

void t.test('in its turn: at a calm rate, behind the running request, gone with the stay', async (t) => {
  const clock = new ShiftedClock()
  const gate = newGate()
  const live = await openLive(t, { clock, register: extension(gate) })
  let alice = await live.join('alice')
  for (const n of [1, 2, 3]) t.equal(tell(live, alice, say(n)), 'ok')
  t.equal(tell(live, alice, say(2, { message: { key: 'test.say', params: { n: 22 } } })), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 1.')
  t.strictSame(await alice.rest(), [], 'one at a time')
  clock.advance(2_000)
  t.equal(await alice.reader.nextText(), 'Say 22.', 'the newer one')

  const began = new Promise<void>((resolve) => (gate.began = resolve))
  alice.say('/system wait')
  await began
  clock.advance(10_000)
  t.equal(tell(live, alice, say(4, { priority: 'high' })), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 4.', 'what is important waits for nothing')
  clock.advance(10_000)
  t.strictSame(await alice.reader.rest(), [])
  gate.end()
  t.equal(await alice.reader.nextText(), 'Done.', 'one message for the request')
  t.equal(await alice.reader.nextText(), 'Say 3.')

  t.equal(tell(live, alice, say(5)), 'ok')
  await alice.leave()
  t.equal(tell(live, alice, say(6)), 'system:disconnected')
  clock.advance(60_000)
  alice = await live.join('alice')
  t.strictSame(await alice.rest(), [], 'nothing of an earlier stay')
  for (const n of [7, 8]) t.equal(tell(live, alice, say(n)), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 7.')
  await consoleSays(live, 'system revoke alice')
  t.match(await alice.reader.nextText(), /System/)
  t.equal(tell(live, alice, say(9)), 'system:not_bound')
  clock.advance(60_000)
  t.strictSame(await alice.rest(), [], 'nor of a System that was taken')
  t.strictSame(live.stray, [])
})

void t.test('what is wrong, too much, or for nobody is refused and tells nothing', async (t) => {
  const clock = new ShiftedClock()
  const live = await openLive(t, { clock, register: extension(newGate()) })
  const alice = await live.join('alice')
  const bad: readonly unknown[] = [
    undefined,
    { id: 'test:a' },
    say(1, { id: identifier('system:breaker') }),
    { id: 'test:a', card: { type: 'test:unknown', data: {} } },
    { ...say(1), colour: 'red' },
  ]
  for (const notice of bad) t.equal(tell(live, alice, notice), 'system:not_understood')
  const told = Array.from({ length: 100 }, (_, n) => tell(live, alice, say(n)))
  t.equal(told.filter((code) => code === 'ok').length, 10)
  t.equal(told.at(-1), 'system:rate_limited')
  t.equal(await alice.reader.nextText(), 'Say 0.')
  for (let n = 1; n < 10; n += 1) {
    clock.advance(2_000)
    t.equal(await alice.reader.nextText(), `Say ${n}.`)
  }
  clock.advance(2_000)
  t.equal(
    tell(live, alice, {
      id: 'test:broken',
      message: { key: 'test.say', params: { n: { text: 'x', color: Symbol('red') } } },
    }),
    'ok',
  )
  clock.advance(2_000)
  t.equal(tell(live, alice, say(11)), 'ok')
  await live.stop()
  t.equal(tell(live, alice, say(12)), 'system:stopping')
  t.strictSame(live.stray, [])
})

void t.test('a player who wants no sounds, or chat lines alone, has no more', async (t) => {
  const clock = new ShiftedClock()
  const live = await openLive(t, { clock, register: extension(newGate()) })
  const alice = await live.join('alice')
  const more = {
    sound: identifier('minecraft:block.note_block.bell'),
    toast: { title: { key: 'test.short', params: { n: 1 } }, icon: identifier('minecraft:diamond') },
  }
  const beside = (): number[] =>
    [/^sound_effect$/, /^advancements$/].map((kind) => packets(alice, kind).length)
  await alice.ask('/system settings sounds off')
  t.equal(tell(live, alice, say(1, more)), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 1.')
  await alice.rest()
  t.strictSame(beside(), [0, 3])
  clock.advance(3_000)
  await alice.ask('/system settings sounds on')
  await alice.ask('/system settings notifications off')
  t.equal(tell(live, alice, say(2, { ...more, priority: 'low' })), 'ok')
  t.strictSame(await alice.rest(), [])
  t.equal(tell(live, alice, say(3, more)), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 3.')
  clock.advance(3_000)
  await alice.ask('/system settings notifications on')
  t.strictSame(await alice.rest(), [], 'nor later')
  t.strictSame(beside(), [0, 3])
  t.equal(tell(live, alice, say(4, { ...more, priority: 'low' })), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 4.')
  await alice.rest()
  t.strictSame([beside(), live.stray], [[1, 6], []])
})

void t.test("two players, two languages, nobody reads what is another's", async (t) => {
  const live = await openLive(t, { register: extension(newGate()) })
  const alice = await live.join('alice')
  const bob = await live.join('bob')
  t.equal(tell(live, alice, say(1)), 'ok')
  bob.reader.client.write('settings', clientSettings('zh_cn'))
  await eventually(() => live.runtime.sessions.get(bob.id)?.language === 'zh_cn')
  t.equal(tell(live, bob, say(2)), 'ok')
  t.equal(await alice.reader.nextText(), 'Say 1.')
  t.equal(await bob.reader.nextText(), '说 2。')
  t.strictSame([await alice.reader.rest(), await bob.reader.rest()], [[], []])
})
