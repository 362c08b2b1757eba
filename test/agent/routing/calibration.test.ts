import t from 'tap'
import { buildLocalIndex, LOCAL_THRESHOLDS, type LocalIndex } from '../../../lib/agent/routing/index.js'
import { calibrate, holdOut, NEVER, type Held } from '../../../lib/agent/routing/calibration.js'
import { SHIPPED_MODULES, shippedSynonyms } from './shipped.js'

const held = (isRight: boolean, confidence: number, coverage = 1): Held => ({
  isRight,
  match: { id: 'a', confidence, coverage, second: null },
})
const many = (count: number, one: Held): Held[] => Array.from({ length: count }, () => one)

void t.test('the limit lies above what is wrong, as far as the target asks for it', async (t) => {
  const sentences = [...many(50, held(true, 0.6)), ...many(40, held(true, 0.4)), ...many(3, held(false, 0.4))]
  const at = (target: number): number => calibrate(sentences, target).confidence
  t.equal(at(0.9), LOCAL_THRESHOLDS.confidence, '90 of 93')
  t.equal(at(90 / 93), LOCAL_THRESHOLDS.confidence, 'just reached')
  t.equal(at(0.98), 0.6)
  t.equal(at(1), 0.6)
})

void t.test('coverage is raised where that keeps more', async (t) => {
  const sentences = [...many(20, held(true, 0.3, 1)), ...many(5, held(true, 0.9, 0.9)), held(false, 0.8, 0.9)]
  t.strictSame(calibrate(sentences, 1), { confidence: LOCAL_THRESHOLDS.confidence, coverage: 1 })
})

void t.test('never below the shipped limits, whatever the target', async (t) => {
  const weak = many(100, held(true, LOCAL_THRESHOLDS.confidence - 0.01))
  t.strictSame(calibrate(weak, 0.5), LOCAL_THRESHOLDS)
  const { confidence, coverage } = calibrate([...weak, ...many(9, held(true, 0.5, 0.86))], 0.5)
  t.ok(confidence >= LOCAL_THRESHOLDS.confidence && coverage >= LOCAL_THRESHOLDS.coverage)
})

void t.test('nothing passes where no limit is precise enough', async (t) => {
  t.strictSame(calibrate([held(false, 0.9), held(true, 0.5)], 0.98), NEVER)
  t.strictSame(
    calibrate([], 0.98),
    LOCAL_THRESHOLDS,
    'without a sentence nothing speaks against the shipped ones',
  )
})

void t.test('B84: NaN is no evidence and passes nothing', async (t) => {
  const sentences = [...many(10, held(true, 0.5)), held(false, Number.NaN), held(false, 0.9, Number.NaN)]
  t.strictSame(calibrate(sentences, 1), { confidence: LOCAL_THRESHOLDS.confidence, coverage: 1 })
  t.strictSame(calibrate([held(true, Number.NaN)], 0.5), LOCAL_THRESHOLDS)
})

const shipped = async (): Promise<LocalIndex> =>
  buildLocalIndex(
    SHIPPED_MODULES.map(({ id, routing }) => ({
      id,
      examples: Object.values(routing.examples ?? {}).flat(),
    })),
    await shippedSynonyms(),
  )

void t.test('the shipped examples reach the target, the same way each time', async (t) => {
  const [one, other] = [await shipped(), await shipped()]
  t.strictSame(holdOut(one), holdOut(other))
  const limits = calibrate(holdOut(one), 0.98)
  t.ok(limits.confidence < 0.5, `confidence ${limits.confidence}`)
  t.comment(JSON.stringify(limits))
})

void t.test('an example is asked of an index without it', async (t) => {
  const index = buildLocalIndex([
    { id: 'a', examples: ['open the gate', 'close the door'] },
    { id: 'b', examples: ['buy bread'] },
  ])
  t.match(index.query('open the gate'), { id: 'a', coverage: 1 })
  t.equal(index.query('open the gate', 0), null, 'nothing else knows its words')
  t.match(index.query('open the gate', 1), { id: 'a', coverage: 1 })
  const repeated = buildLocalIndex([
    { id: 'a', examples: ['open the gate', 'the open gate', 'open gate wide'] },
  ])
  const without = repeated.query('open the gate', 0)
  t.ok(without !== null && without.coverage === 1, 'others of the label know its words')
  t.throws(() => index.example(3), RangeError)
  const partly = buildLocalIndex([{ id: 'a', examples: ['open the gate', 'open the box'] }])
  t.match(partly.query('open the gate'), { coverage: 1 })
  t.ok((partly.query('open the gate', 0)?.coverage ?? 1) < 0.5, 'only one of its words')
})

void t.test('one sentence for two modules makes routing careful', async (t) => {
  const words = ['gate', 'door', 'lid', 'hatch', 'lock', 'box']
  const examples = words.flatMap((word) => [`open my ${word}`, `please open my ${word} now`])
  const clear = buildLocalIndex([
    { id: 'a', examples },
    { id: 'b', examples: ['buy bread', 'buy bread now'] },
  ])
  const stolen = buildLocalIndex([
    { id: 'a', examples },
    { id: 'b', examples: examples.map((example) => example.replace('my', 'our')) },
  ])
  const passing = (index: LocalIndex) =>
    holdOut(index).filter(({ match }) => match.confidence >= calibrate(holdOut(index), 0.98).confidence)
  t.ok(passing(clear).length > 0)
  t.ok(passing(stolen).every(({ isRight }) => isRight))
})
