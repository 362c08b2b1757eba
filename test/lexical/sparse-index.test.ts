import fc from 'fast-check'
import t from 'tap'
import { SparseIndex, featuresOf, foldText, scanUnits } from '../../lib/lexical/index.js'

const featuresOfText = (text: string): string[] => featuresOf(scanUnits(foldText(text)))
const index = (texts: Readonly<Record<string, string>>): SparseIndex =>
  new SparseIndex(Object.entries(texts).map(([id, text]) => ({ id, features: featuresOfText(text) })))
const ids = (built: SparseIndex, query: string): string[] =>
  built.search(featuresOfText(query), 10).map((hit) => hit.id)

void t.test('a word that all documents have still finds them, also in a collection of one', async (t) => {
  t.strictSame(ids(index({ only: 'diamond' }), 'diamond'), ['only'])
  t.strictSame(ids(index({ c: 'the server', a: 'the server', b: 'the server' }), 'server'), ['a', 'b', 'c'])
})

void t.test('the rarer word decides, ties fall by id', async (t) => {
  const built = index({ b: 'server rules', a: 'server rules', z: 'server diamond' })
  t.strictSame(ids(built, 'server diamond'), ['z', 'a', 'b'])
  t.strictSame(ids(built, 'server rules'), ['a', 'b', 'z'])
})

void t.test('an equal text scores 1, words that no document has lower the score', async (t) => {
  const built = index({ a: 'where am i' })
  const [same] = built.search(featuresOfText('where am i'), 1)
  const [longer] = built.search(featuresOfText('where am i wrong'), 1)
  t.ok(same !== undefined && Math.abs(same.score - 1) < 1e-9)
  t.ok(longer !== undefined && longer.score < 0.95)
})

void t.test('documents and queries without words score 0, never NaN', async (t) => {
  const built = index({ empty: '', symbols: '???', words: 'hello world' })
  t.strictSame(ids(built, 'hello'), ['words'])
  for (const query of ['', '???', 'unheard'])
    t.strictSame([...built.scoreAll(featuresOfText(query))], [0, 0, 0], query)
  const none = new SparseIndex([])
  t.strictSame(none.search(['hello'], 5), [])
  t.ok(none.idfOf(-1) > 0)
})

void t.test('scores are finite and between 0 and 1, idf is positive, repeated queries agree', async () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 })
  fc.assert(
    fc.property(fc.array(words, { maxLength: 8 }), words, (documents, query) => {
      const built = new SparseIndex(documents.map((features, at) => ({ id: String(at), features })))
      const scores = [...built.scoreAll(query)]
      return (
        scores.every((score) => score >= 0 && score <= 1) &&
        [...built.scoreAll(query)].every((score, at) => score === scores[at]) &&
        query.every((word) => built.idfOf(built.termOf(word)) > 0)
      )
    }),
    { seed: 7 },
  )
})
