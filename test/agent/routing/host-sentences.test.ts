import t from 'tap'
import {
  HOST_EXAMPLES,
  HOST_LANGUAGES,
  HOST_PHRASES,
  logHostProblems,
  readHostSentences,
} from '../../../lib/agent/routing/host-sentences.js'
import { parseJson } from '../../../lib/core/json.js'
import { RecordingLogger } from '../../support/kernel.js'

const routing = { selection: 'NORMAL', examples: { en_us: ['open the gate'] } } as const
const ROUTABLE = new Map([['test:gate', { routing }]])
const read = (examples: unknown, synonyms: unknown = {}) =>
  readHostSentences(
    { examples: examples as Record<string, unknown>, synonyms: synonyms as Record<string, unknown> },
    ROUTABLE,
    (id) => id === 'test:gate' || id === 'test:pay',
  )

void t.test('right entries are used, wrong ones named and skipped', async (t) => {
  const { examples, problems } = read({
    'test:gate': {
      en_us: ['raise the gate', 7, '', 'x'.repeat(501), 'do not open the gate', 'let me in'],
      zh_cn: ['把门打开'],
      de_de: 'auf',
    },
    'test:pay': { en_us: ['pay'] },
    'test:unheard_of': { en_us: ['a secret sentence'] },
  })
  t.strictSame(examples, new Map([['test:gate', ['raise the gate', 'let me in', '把门打开']]]))
  t.strictSame(problems, [
    'examples.test:gate.en_us[1]: must be a sentence',
    'examples.test:gate.en_us[2]: must be a sentence',
    'examples.test:gate.en_us[3]: longer than 500 characters',
    'examples.test:gate.en_us[4]: a sentence of its kind (negation) is never routed locally',
    'examples.test:gate.de_de: must be a list',
    'examples.test:pay: may not be routed locally',
    'examples.test:unheard_of: is no module here',
  ])
})

void t.test('B13: ids and languages that are names of every object are only words', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const entries = names.map((name) => `${JSON.stringify(name)}:{"en_us":["open sesame"]}`).join()
  const { examples, problems } = read(parseJson(`{${entries}}`))
  t.equal(examples.size, 0)
  t.strictSame(
    problems,
    names.map((name) => `examples.${name}: is no module here`),
  )
  const inside = read(parseJson('{"test:gate":{"__proto__":["raise the gate"],"constructor":["let me in"]}}'))
  t.strictSame(inside.examples.get('test:gate'), ['raise the gate', 'let me in'])
  const { synonyms } = read(
    {},
    parseJson('{"__proto__":{"gate":["port"]},"en_us":{"constructor":["builder"]}}'),
  )
  t.equal(JSON.stringify(synonyms), '[{"gate":["port"]},{"constructor":["builder"]}]')
})

void t.test('synonyms: a wrong phrase costs only itself', async (t) => {
  const { synonyms, problems } = read(
    {},
    {
      en_us: { gate: ['port', 'hatch'], door: 'lid', '': ['x'], lid: [], box: [1], a: ['b'.repeat(65)] },
      xx: 3,
    },
  )
  t.strictSame(synonyms, [{ gate: ['port', 'hatch'] }])
  t.equal(problems.length, 6)
  t.match(problems[0], 'synonyms.en_us[1]: must be a phrase')
})

void t.test('what is too much is left out', async (t) => {
  const lists = Array.from({ length: HOST_EXAMPLES + 1 }, (_, at) => `open gate ${at}`)
  const { examples, problems } = read({ 'test:gate': { en_us: lists } })
  t.equal(examples.get('test:gate')?.length, 999, 'a module has a thousand, its own among them')
  t.equal(problems.length, lists.length - 999)
  const table = Object.fromEntries(lists.slice(0, HOST_PHRASES + 1).map((phrase) => [phrase, ['x']]))
  const languages = Object.fromEntries(lists.slice(0, HOST_LANGUAGES + 1).map((name) => [name, {}]))
  t.equal(read({}, { en_us: table }).problems.length, 1)
  t.match(read({}, languages).problems, [/too many languages$/])
  const logger = new RecordingLogger()
  logHostProblems({ examples, synonyms: [], problems }, logger)
  t.equal(logger.lines.length, 21)
  t.match(logger.messages().at(-1), /^system-semantic\.json: 982 more entries are skipped$/)
})

void t.test('a name of a file stays one short line of the log', async (t) => {
  const { problems } = read({ [`a\nb${'c'.repeat(500)}`]: {} })
  t.notMatch(problems[0], /\n/)
  t.ok((problems[0]?.length ?? 0) < 120)
})
