/** The boss bar of a request that takes long: there while it runs, gone at each of its ends. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type AgentModule, type Registration } from '../../lib/agent/index.js'
import { ResponseReader } from '../../lib/channels/index.js'
import { identifier } from '../../lib/core/ids.js'
import { faults } from '../../lib/testing/index.js'
import { componentText } from '../../lib/text/index.js'
import { decodeComponent } from '../support/component.js'
import { eventually } from '../support/eventually.js'
import { openLive, type Seat } from '../support/live-system.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { nextEvent } from '../support/squid.js'
import { consoleSays } from '../support/system.js'

/** What the running workflow waits for; called with nothing it succeeds, with an error it fails. */
interface Gate {
  end: (error?: Error) => void
  began: () => void
}

const waiting = (gate: Gate) => (registration: Registration) => {
  registration.extension('test')
  registration.texts('en_us', { 'test.help': 'Wait', 'test.done': 'Done.' })
  const module: AgentModule<object> = {
    id: identifier('test:wait'),
    version: 1,
    action: z.strictObject({}),
    description: 'Waits.',
    help: { key: 'test.help' },
    tools: [],
    policy: FAST_POLICY,
    routing: { selection: 'NORMAL', command: { name: 'wait' } },
    async execute(context) {
      context.progress({ key: 'system.request.thinking' })
      await new Promise<void>((resolve, reject) => {
        gate.end = (error) => (error === undefined ? resolve() : reject(error))
        gate.began()
      })
      return { status: 'succeeded', message: { key: 'test.done' }, cards: [] }
    },
  }
  registration.module(module)
}

type Bar = Readonly<Record<string, unknown>>
const nextBar = ({ reader }: Seat, action: number): Promise<Bar> =>
  nextEvent<Bar>(reader.client, 'boss_bar', (bar) => bar['action'] === action)
const bars = ({ reader }: Seat): unknown[] =>
  reader.client.received.filter(({ name }) => name === 'boss_bar').map(({ data }) => data['action'])

void t.test('the bar goes with its request, however that ends', async (t) => {
  const clock = new ShiftedClock()
  const gate: Gate = { end: () => {}, began: () => {} }
  const live = await openLive(t, { clock, register: waiting(gate) })
  let alice = await live.join('alice')
  const bob = await live.join('bob')

  const say = (): void => alice.say('/system wait')
  const answers: string[] = []
  const parts = new ResponseReader()
  alice.reader.client.on('custom_payload', ({ data }: { data: Buffer }) => {
    const whole = parts.take(data)
    if (whole !== null) answers.push(Buffer.from(whole).toString('utf8'))
  })
  const program = (): void => {
    const request = { protocol: 1, id: randomUUID(), type: 'module', module: 'test:wait', input: {} }
    alice.reader.client.write('custom_payload', {
      channel: 'system:assistant_request_c2s',
      data: Buffer.from(JSON.stringify(request)),
    })
  }
  /** Lets a request run for two seconds; gives its bar. */
  const begin = async (ask = say): Promise<Bar> => {
    const began = new Promise<void>((resolve) => (gate.began = resolve))
    const shown = nextBar(alice, 0)
    ask()
    await began
    clock.advance(2_100)
    return shown
  }

  const first = await begin()
  t.match(first, { health: 0, color: 1 })
  const ends: readonly (readonly [what: string, end: () => unknown, outcome: RegExp | null])[] = [
    ['a result', () => gate.end(), /^Done\.$/],
    ['a failure', () => gate.end(new Error('broken')), /went wrong/],
    ['a cancel', () => alice.say('/system cancel'), /ancelled/],
    ['a revoke', () => consoleSays(live, 'system revoke alice'), /System/],
  ]
  for (const [index, [what, end, outcome]] of ends.entries()) {
    const { entityUUID, title } = index === 0 ? first : await begin(what === 'a revoke' ? program : say)
    t.equal(componentText(decodeComponent(title)), 'Thinking… (step 1 of 6)')
    const gone = nextBar(alice, 1)
    await end()
    t.equal((await gone)['entityUUID'], entityUUID, what)
    t.match(await alice.reader.nextText(), outcome)
    gate.end()
  }
  await eventually(() => answers.some((answer) => answer.includes('"code":"system:revoked"')))
  await consoleSays(live, 'system grant system:default alice')
  await alice.reader.nextText()

  await begin()
  await alice.leave()
  gate.end()
  alice = await live.join('alice')
  t.strictSame(bars(alice), [], 'who comes back has none')
  const { tickQueue } = live.runtime
  tickQueue.tick = () => {
    throw new Error('broken')
  }
  const { entityUUID } = await begin()
  t.not(entityUUID, first['entityUUID'], 'also while something else of the same tick is broken')
  Reflect.deleteProperty(tickQueue, 'tick')
  gate.end()
  t.equal(await alice.reader.nextText(), 'Done.')

  await begin()
  const gone = nextBar(alice, 1)
  live.serv.emit('close')
  await gone
  await live.system.closed
  t.strictSame(bars(bob), [], 'nobody sees that of another')
  t.strictSame(live.stray, [])
})

void t.test('rounds of a model are counted; what is quick has no bar', async (t) => {
  const clock = new ShiftedClock()
  const live = await openLive(t, { clock })
  const alice = await live.join('alice')
  live.provider.script({ type: 'answer', text: 'Forty-two.' })
  t.match(await alice.ask('/system ask what is it?'), /Forty-two/)
  t.strictSame(bars(alice), [])

  live.provider.script({ type: 'player.info', input: {} }, faults.slowHeaders())
  const shown = nextBar(alice, 0)
  const second = nextEvent(alice.reader.client, 'system_chat', () =>
    alice.reader.progress.some((text) => text.includes('step 2')),
  )
  alice.say('/system reason how do I feel?')
  await second
  clock.advance(2_100)
  const bar = await shown
  t.equal(componentText(decodeComponent(bar['title'])), 'Thinking further (step 2)… (2 of 3 rounds)')
  t.equal(bar['health'], Math.fround(1 / 3))
  const gone = nextBar(alice, 1)
  t.match(await alice.ask('/system cancel'), /ancelled/)
  await gone
  t.strictSame(live.stray, [])
})
