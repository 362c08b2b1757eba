/** The trained router: what it learns, when it is silent, and that it is the same each time. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { FeatureScanner } from '../../lib/lexical/linear/features.js'
import { trainRouting, type LabeledText, type LinearRouting } from '../../lib/lexical/linear/index.js'
import { LinearModel } from '../../lib/lexical/linear/model.js'
import { trainLinear, type Pieces } from '../../lib/lexical/linear/training.js'
import { marginFor, NO_MARGIN } from '../../lib/lexical/linear/validation.js'

function whole<T>(pieces: Pieces<T>): T {
  for (;;) {
    const piece = pieces.next()
    if (piece.done === true) return piece.value
  }
}

const THINGS = ['piston', 'hopper', 'bookshelf', 'cake', 'anvil', 'beacon', 'torch', 'rail', 'bed', 'chest']
const WISHES: Readonly<Record<string, readonly string[]>> = {
  recipe: ['how do i craft a {}', 'recipe for {}', 'what do i need to make a {}', '怎么做{}', '{}的合成表'],
  facts: ['what is a {}', 'tell me about the {}', 'what does a {} do', '{}是什么', '介绍一下{}'],
  place: [
    'where am i next to this {}',
    'my position at the {}',
    'what biome has this {}',
    '我在哪里{}',
    '{}旁边的坐标',
  ],
}
const FOREIGN = ['hello there', 'who built this {}', 'i love my {}', '你好', '谁拿了我的{}', 'sell my {}']
const fill = (patterns: readonly string[], label: string | null): LabeledText[] =>
  patterns.flatMap((pattern) => THINGS.map((thing) => ({ text: pattern.replace('{}', thing), label })))
const TEXTS: readonly LabeledText[] = [
  ...Object.entries(WISHES).flatMap(([label, patterns]) => fill(patterns, label)),
  ...fill(FOREIGN, null),
]

const routing = (): LinearRouting => whole(trainRouting(TEXTS, 0.8))

void t.test('what is asked for, with typos, in both languages and mixed', (t) => {
  const trained = routing()
  const asked: readonly [string, string | null][] = [
    ['how do I craft a lectern?', 'recipe'],
    ['recipie for a shield', 'recipe'],
    ['怎么做书架', 'recipe'],
    ['what is a conduit', 'facts'],
    ['tell me abuot the observer', 'facts'],
    ['拉杆是什么', 'facts'],
    ['我在哪里', 'place'],
    ['RECIPE FOR 附魔台', 'recipe'],
    ['who built this house', null],
    ['hello', null],
  ]
  for (const [text, label] of asked) t.equal(trained.route(text).label, label, text)
  t.ok(trained.route('how do i craft a hopper').isAccepted)
  t.notOk(trained.route('who built this castle').isAccepted)
  t.end()
})

void t.test('B80, B84: nothing known is nothing asked; no number is none', (t) => {
  const trained = routing()
  for (const text of [
    '',
    ' ',
    '???',
    '😀',
    '的',
    'zzzz qqqq',
    '\0',
    'constructor',
    '__proto__',
    '{item}',
    'x'.repeat(1_000),
  ]) {
    const { label, confidence, known, isAccepted } = trained.route(text)
    t.notOk(isAccepted, JSON.stringify(text))
    t.ok(confidence >= 0 && confidence <= 1 && known >= 0 && known <= 1, JSON.stringify(text))
    t.ok(label === null || label in WISHES)
  }
  const odd = whole(
    trainRouting(
      [
        { text: '', label: 'empty' },
        { text: 'a', label: 'constructor' },
      ],
      0.98,
    ),
  )
  t.notOk(odd.route('a').isAccepted, 'too little evidence')
  t.notOk(odd.route('').isAccepted)
  t.throws(() => whole(trainRouting([{ text: 'a', label: null }], 0.98)), /no example has a label/)
  t.end()
})

void t.test('B82: one label alone, and a word that all have', (t) => {
  const one = whole(trainLinear({ examples: [{ text: 'server', label: 0 }], labels: 1 }))
  t.match(one.match('server'), { label: 0, second: -1, known: 1 })
  const equal = whole(
    trainLinear({
      examples: [
        { text: 'server', label: 0 },
        { text: 'server', label: 1 },
      ],
      labels: 2,
    }),
  )
  const { label, second, margin } = equal.match('server')
  t.strictSame(new Set([label, second]), new Set([0, 1]))
  t.ok(margin < 0.2)
  t.strictSame(new Set(equal.ranking('something else')), new Set([0, 1]))
  t.end()
})

void t.test('the same examples give the same weights, however they are cut into pieces', (t) => {
  const print = ({ weights, vocabulary }: LinearModel): string => {
    const hash = createHash('sha256')
    for (const { buffer, byteOffset, byteLength } of [
      weights.offsets,
      weights.labels,
      weights.values,
      weights.biases,
      vocabulary.hashes,
      vocabulary.idf,
    ])
      hash.update(new Uint8Array(buffer, byteOffset, byteLength))
    return hash.digest('hex')
  }
  const training = {
    examples: TEXTS.map(({ text, label }) => ({
      text,
      label: label === null ? 3 : Object.keys(WISHES).indexOf(label),
    })),
    labels: 4,
  }
  const first = whole(trainLinear(training))
  const [one, other] = [trainLinear(training), trainLinear(training)]
  const done: LinearModel[] = []
  while (done.length < 2)
    for (const pieces of [one, other]) {
      const piece = pieces.next()
      if (piece.done === true && piece.value instanceof LinearModel) done.push(piece.value)
    }
  t.strictSame(done.map(print), [print(first), print(first)])
  t.ok(first.byteLength < 1_000_000)
  t.end()
})

void t.test('features: words by their stems, neighbours with the edges, parts of words', (t) => {
  const scanner = new FeatureScanner()
  const of = (text: string): number[] => [...scanner.scan(text)]
  const shared = (a: string, b: string): number => {
    const others = new Set(of(b))
    return of(a).filter((hash) => others.has(hash)).length
  }
  t.strictSame(of('Crafting  a CAKE!'), of('crafting a cake'))
  t.ok(shared('crafted', 'crafting') > shared('crafted', 'crate'))
  t.ok(shared('daimond', 'diamond') > 0, 'a typo shares parts')
  t.not(of('a b').join(), of('b a').join(), 'order counts')
  t.strictSame(of('???'), [])
  t.strictSame(
    of('a'),
    of('a').toSorted((a, b) => a - b),
    'ascending',
  )
  t.equal(of('長い'.repeat(2_000)).length, 8_001, 'a text longer than the buffer')
  t.end()
})

void t.test('the margin: as low as the wanted precision allows, never for too little', (t) => {
  const judged = (margins: readonly (readonly [number, boolean])[]) =>
    margins.map(([margin, isRight]) => ({ margin, isRight, counts: 1 }))
  const right = Array.from({ length: 100 }, (_, at): [number, boolean] => [0.5 + at / 1_000, true])
  t.equal(marginFor(judged([...right, [0.4, false], [0.3, true]]), 0.98), 0.3, 'two wrong of 103')
  t.equal(marginFor(judged([...right, [0.4, false], [0.4, false]]), 0.98), 0.5)
  t.equal(marginFor(judged([...right, [0.9, false]]), 0.999), NO_MARGIN)
  t.equal(marginFor(judged([[0.9, true]]), 0.98), NO_MARGIN, 'one alone proves nothing')
  t.equal(marginFor([], 0.98), NO_MARGIN)
  t.equal(marginFor(judged([...right, [0.55, false]]), 0.995), NO_MARGIN, 'equal ones pass together')
  t.end()
})

void t.test('the report: each label with what became of its examples, and what is confused', (t) => {
  const twins = [...TEXTS, ...fill(['tell me about the {}', 'what is a {}'], 'twin')]
  const { report } = whole(trainRouting(twins, 0.8))
  t.strictSame(
    report.labels.map(({ label }) => label),
    ['facts', 'place', 'recipe', 'twin'],
  )
  const recipe = report.labels.find(({ label }) => label === 'recipe')
  t.equal(recipe?.examples, 50)
  t.ok((recipe?.right ?? 0) > 0)
  const pairs = report.confusions.map(({ label, takenFor }) => `${label} ${takenFor}`)
  t.ok(pairs.includes('facts twin') || pairs.includes('twin facts'), 'the two that nobody can tell apart')
  t.end()
})
