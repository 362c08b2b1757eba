/** A silent result: the card it came from in its new form, and nothing else. */
import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type AgentModule, type Registration } from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { REQUESTS } from '../../lib/storage/index.js'
import { componentText } from '../../lib/text/index.js'
import { openLive } from '../support/live-system.js'
import { buttonsOf } from '../support/system.js'

const LAMP = identifier('test:lamp')
const lampCard: CardType<{ isOn: boolean }> = {
  id: LAMP,
  schema: z.strictObject({ isOn: z.boolean() }),
  build: ({ isOn }) => ({
    title: null,
    lines: [{ kind: 'text', text: isOn ? 'The lamp is on' : 'The lamp is off' }],
    buttons: [
      { label: { key: 'system.item.yes' }, action: { kind: 'server', module: LAMP, params: { to: 'on' } } },
      { label: { key: 'system.item.no' }, action: { kind: 'server', module: LAMP, params: { to: 'quiet' } } },
    ],
  }),
  memoryFact: () => 'Showed a lamp.',
}

const runs: string[] = []
const lamp: AgentModule<{ to: string }> = {
  id: LAMP,
  version: 1,
  action: z.strictObject({ to: z.string() }),
  description: 'switches a lamp',
  help: { key: 'system.command.help.me' },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'lamp', argument: { name: 'query' } },
    fromCommand: (to) => ({ to }),
  },
  execute(context, { to }) {
    runs.push(to)
    const card = cardOf(lampCard, { isOn: to === 'on' })
    const base = { status: 'succeeded', message: { key: 'system.item.yes' } } as const
    if (to === 'off') return Promise.resolve({ ...base, message: null, cards: [{ mode: 'SHOW', card }] })
    const cards =
      to === 'on' && context.card !== null ? [{ mode: 'REPLACE', ref: context.card, card } as const] : []
    return Promise.resolve({ ...base, silent: true, cards: [...cards, { mode: 'SHOW', card }] })
  },
}

void t.test('no message, no new card, no round; the receipt is kept', async (t) => {
  const live = await openLive(t, {
    register(registration: Registration) {
      registration.cardType(lampCard)
      registration.module(lamp)
    },
  })
  const { runtime } = live
  const alice = await live.join('alice')
  const shown = await alice.reader.ask('/system lamp off')
  t.match(componentText(shown), /^The lamp is off/)
  alice.say('/system lamp quiet')
  t.strictSame(await alice.rest(), [], 'a command without a card')
  const replaced = await alice.reader.ask(buttonsOf(shown)[0]?.command ?? '')
  t.match(componentText(replaced), /^The lamp is on/, 'the card itself')
  t.notMatch(componentText(replaced), /off/)
  t.strictSame(await alice.rest(), [])
  t.match(
    await alice.ask(buttonsOf(shown)[1]?.command ?? ''),
    /outdated|older|newer|replaced|used/i,
    'older buttons are dead',
  )
  alice.say(buttonsOf(replaced)[1]?.command ?? '')
  t.strictSame(await alice.rest(), [])
  t.same(runs, ['off', 'quiet', 'on', 'quiet'])
  await runtime.store.settled()
  t.same(
    runtime.memory.rounds(alice.id).map(({ body }) => body),
    [{ asked: '/system lamp off', answered: '', facts: ['Showed a lamp.'], titles: ['Showed a lamp.'] }],
  )
  t.equal(runtime.store.online(alice.id)?.rows(REQUESTS).size, 2, 'a receipt for each press')
  t.strictSame(live.stray, [])
})
