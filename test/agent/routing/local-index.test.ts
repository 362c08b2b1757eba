import t from 'tap'
import { LOCAL_THRESHOLDS, buildLocalIndex, isAccepted } from '../../../lib/agent/routing/index.js'

void t.test('confidence is the margin to the best other label', async (t) => {
  const index = buildLocalIndex([
    { id: 'a', examples: ['open my shop', 'show my shop'] },
    { id: 'b', examples: ['open my inbox'] },
  ])
  const own = index.query('show my shop')
  const shared = index.query('open my')
  t.match(own, { id: 'a', second: 'b', coverage: 1 })
  t.ok(own !== null && own.confidence > 0.5)
  t.ok(shared !== null && shared.confidence < 0.1)
})

void t.test('a tie has no confidence and falls by id, whatever the order of the profiles', async (t) => {
  const profiles = ['b', 'c', 'a'].map((id) => ({ id, examples: ['sign in'] }))
  for (const given of [profiles, [...profiles].reverse()]) {
    const match = buildLocalIndex(given).query('sign in')
    t.match(match, { id: 'a', second: 'b', confidence: 0 })
    t.equal(match !== null && isAccepted(match), false)
  }
})

void t.test('coverage weighs what the winning label knows', async (t) => {
  const index = buildLocalIndex([
    { id: 'a', examples: ['where am i'] },
    { id: 'b', examples: ['buy bread now'] },
  ])
  const known = index.query('where am i')?.coverage ?? 0
  const other = index.query('where am i bread')?.coverage ?? 0
  const unheard = index.query('where am i quux')?.coverage ?? 0
  t.equal(known, 1)
  t.ok(other < known && unheard < known)
})

void t.test('without words, or with a single one, nothing matches', async (t) => {
  const index = buildLocalIndex([
    { id: 'a', examples: ['的', 'life', '??? !!!', ''] },
    { id: 'none', examples: [] },
  ])
  for (const text of ['', ' ', '???', '😀', '的', 'life', 'unheard of', 'please'])
    t.equal(index.query(text), null, JSON.stringify(text))
  t.equal(buildLocalIndex([]).query('hello there'), null)
})

void t.test('articles and politeness change nothing', async (t) => {
  const index = buildLocalIndex([{ id: 'a', examples: ['what is a {item}'] }])
  for (const text of ['what is {item}', 'what is an {item} please', 'hey what is the {item}'])
    t.match(index.query(text), { id: 'a', coverage: 1 }, text)
})

void t.test('the nearest labels, however far, best first', async (t) => {
  const index = buildLocalIndex([
    { id: 'a', examples: ['open my inbox'] },
    { id: 'b', examples: ['open my shop', 'buy bread'] },
    { id: 'c', examples: ['where am i'] },
  ])
  t.strictSame(index.nearest('open the shop', 3), ['b', 'a'])
  t.strictSame(index.nearest('bread', 3), ['b'], 'one word is enough')
  t.strictSame(index.nearest('open my', 1).length, 1)
  t.strictSame(index.nearest('unheard of', 3), [])
})

void t.test('NaN passes no threshold', async (t) => {
  const match = { id: 'a', confidence: 1, coverage: 1, second: null }
  t.equal(isAccepted(match), true)
  t.equal(isAccepted({ ...match, confidence: Number.NaN }), false)
  t.equal(isAccepted({ ...match, coverage: Number.NaN }), false)
  t.equal(isAccepted({ ...match, coverage: LOCAL_THRESHOLDS.coverage }), true)
})
