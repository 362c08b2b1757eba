import t from 'tap'
import { z } from 'zod'
import { CardFact, cardOf, CardTypes, type CardType, type CardUpdate } from '../../lib/cards/index.js'
import { codePoints } from '../../lib/core/code-points.js'
import { identifier } from '../../lib/core/ids.js'

const typeOf = (path: string, memoryFact?: (data: string) => string): CardType<string> => ({
  id: identifier(`test:${path}`),
  schema: z.string(),
  build: () => ({ title: null, lines: [], buttons: [] }),
  ...(memoryFact === undefined ? {} : { memoryFact }),
})
const fact = typeOf('fact', (data) => data)
const mute = typeOf('mute')
const broken = typeOf('broken', () => {
  throw new Error('of an author')
})
const number = typeOf('number', (() => 7) as unknown as () => string)
const late = typeOf('late', (() => Promise.resolve('later')) as unknown as () => string)
const types = new CardTypes()
for (const type of [fact, mute, broken, number, late]) types.register(type)
const shown = (type: CardType<string>, data: string): CardUpdate => ({
  mode: 'SHOW',
  card: cardOf(type, data),
})
const ref = { id: 'a', revision: 1 }

void t.test('facts of new cards, counted and cut in one place', async (t) => {
  t.same(CardFact.of(types, []), [])
  t.same(
    CardFact.of(types, [
      shown(mute, 'x'),
      shown(broken, 'x'),
      shown(number, 'x'),
      shown(late, 'x'),
      shown(fact, ' '),
      { mode: 'SHOW', card: { type: identifier('gone:card'), data: 1 } },
      { mode: 'SHOW', card: { type: fact.id, data: 1 } },
      { mode: 'REPLACE', ref, card: cardOf(fact, 'a page') },
      { mode: 'REMOVE', ref },
      shown(fact, 'one'),
    ]),
    ['one'],
    'whatever else there is tells nothing',
  )
  const many = ['a', 'b', 'c', 'd', 'e'].map((word) => shown(fact, word))
  t.same(CardFact.of(types, many), ['a', 'b', 'c', 'd'])
  for (const [length, kept] of [
    [CardFact.limit, CardFact.limit],
    [CardFact.limit + 1, CardFact.limit],
  ] as const) {
    const [text = ''] = CardFact.of(types, [shown(fact, '😀'.repeat(length))])
    t.equal(codePoints(text), kept)
  }
})
