/** What packs say in words: judged, bounded and cut into parts by the thread that reads it. */
import t from 'tap'
import { PACK_LIMITS } from '../../lib/packs/index.js'
import { PackTexts } from '../../lib/packs/texts.js'
import { problems, readOne, sentences, synonyms } from '../support/packs.js'

const numbered = (n: number, entry: (at: number) => [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: n }, (_, at) => entry(at)))
const lang = (n: number, name = 'k'): Record<string, unknown> => numbered(n, (at) => [`${name}.${at}`, 'x'])

void t.test('what can not be used is left out, with one problem a file', async (t) => {
  const data = await readOne(t, {
    'data/a/lang/en_us.json': `{"my.key": "x",\n"bad key": "x", "long": "${'x'.repeat(5_000)}", "n": 1}`,
    'data/a/lang/de_de.json': '[]',
    [`data/a/lang/fr_fr.json`]: { ['~'.repeat(100_000)]: '' },
    'data/a/system/synonyms/en_us.json': { make: ['craft'], '': ['x'], go: 'walk', run: [7], stop: [] },
    'data/a/system/synonyms/de_de.json': { a: 'b' },
    'data/system/system/prompts/react.txt': 'You are ours.',
    'data/system/system/prompts/route.txt': ' ',
    'data/my/system/prompts/prompt.txt': 'x'.repeat(PACK_LIMITS.promptBytes + 1),
  })
  t.strictSame(sentences(data, 'en_us'), [['my.key', 'x']])
  t.strictSame([...data.texts.lang.keys()], ['en_us'])
  t.strictSame([...data.texts.synonyms.keys()], ['en_us'])
  t.strictSame(synonyms(data, 'en_us'), { make: ['craft'] })
  t.strictSame([...data.texts.prompts], [['react', 'You are ours.']])
  t.strictSame(
    problems(data)
      .map((line) => line.replace('pack data/', ''))
      .filter((line) => !line.includes('fr_fr'))
      .sort(),
    [
      'a/lang/de_de.json:1:1 is not an object',
      'a/lang/en_us.json#/bad key:2:12 is no key of a text, left out: bad key, long, n',
      'a/system/synonyms/de_de.json#/a:1:6 is no list of 1 to 64 phrases of at most 64 characters, left out: a',
      'a/system/synonyms/en_us.json#/:1:22 is no list of 1 to 64 phrases of at most 64 characters, left out: , go, run and 1 more',
      'my/system/prompts/prompt.txt is empty or longer than 16384 bytes',
      'system/system/prompts/route.txt is empty or longer than 16384 bytes',
    ],
  )
  t.ok(data.problems.every(({ pointer }) => pointer.length <= PACK_LIMITS.pathUnits))
})

void t.test(
  'a prompt with unknown or missing placeholders is not used; of prompts that nobody declared nothing is known',
  async (t) => {
    const texts = new PackTexts({
      'my:greeting': { required: ['who'], optional: ['game'] },
      react: { required: [], optional: ['game'] },
    })
    const add = (name: string, text: string) =>
      texts.addPrompt(name, { pack: 'p', file: 'f' }, text)?.reason ?? null
    t.equal(add('my:greeting', 'Hello'), 'lacks the placeholder {{who}}')
    t.equal(add('my:greeting', 'Hello {{who}}, {{what}}'), 'has an unknown placeholder {{what}}')
    t.equal(add('react', 'In {{game}} {{who}}'), 'has an unknown placeholder {{who}}')
    t.equal(add('react', 'In {{game}}'), null)
    t.equal(add('constructor', '{{x}}'), null)
    const { prompts, brokenPrompts } = texts.texts()
    t.same([...prompts.keys()], ['react', 'constructor'])
    t.same(brokenPrompts, ['my:greeting', 'my:greeting', 'react'])
  },
)

void t.test('sentences of all packs and of one language are bounded, with one problem', async (t) => {
  const files = numbered(10, (at) => [`data/a/lang/l${at}_xx.json`, lang(17_000)])
  const data = await readOne(t, { ...files, 'data/b/lang/l0_xx.json': { 'k.0': 'changed', 'k.new': 'x' } })
  const sizes = [...data.texts.lang.keys()].map((language) => sentences(data, language).length)
  t.strictSame(sizes, Array(8).fill(PACK_LIMITS.languageSentences), 'languages without any are not there')
  t.same(sentences(data, 'l0_xx')[0], ['k.0', 'changed'], 'what is there can be overridden')
  t.ok([...data.texts.lang.values()].flat().every((part) => part.length < 10_000))
  t.match(problems(data), [
    /^pack data\/a\/lang\/l0_xx.json the packs hold more than .*; 38,929 are left out$/,
  ])
})

void t.test('characters and languages of sentences, and prompts, are bounded', async (t) => {
  const texts = new PackTexts()
  const file = { pack: 'pack', file: 'file' }
  const long = numbered(300, (at) => [`k.${at}`, 'x'.repeat(4_096)])
  for (let language = 0; language < 300; language += 1)
    t.equal(texts.addSentences(`a${language}`, file, language < 10 ? (long as never) : { k: 'x' }), null)
  for (let at = 0; at < 300; at += 1) t.equal(texts.addPrompt(`p${at}`, file, 'You are.'), null)
  const { lang, prompts } = texts.texts()
  const units = [...lang.values()].flat().reduce((sum, part) => sum + part.length, 0)
  t.ok(units < PACK_LIMITS.textUnits * 1.01)
  t.ok(lang.size <= PACK_LIMITS.languages)
  t.equal(prompts.size, PACK_LIMITS.prompts)
  const told: string[] = []
  texts.report({ list: [], more: 0, add: ({ reason }) => void told.push(reason) })
  t.match(told, [/sentences/, /256 prompts; 44 are left out/])
})

void t.test('synonyms are bounded: of a phrase, of a table, of all', async (t) => {
  const one = await readOne(
    t,
    numbered(3_000, (at) => [
      `data/n${at}/system/synonyms/en_us.json`,
      { a: Array.from({ length: 60 }, (_, n) => `w${at} ${n}`) },
    ]),
  )
  t.same(synonyms(one, 'en_us')?.['a']?.length, 64)
  t.match(problems(one), [/synonyms.*; 2,999 are left out$/])
  const many = await readOne(
    t,
    numbered(60, (at) => [
      `data/a/system/synonyms/l${at}.json`,
      numbered(200, (n) => [`p${at} ${n}`, ['a', 'b', 'c', 'd']]),
    ]),
  )
  const tables = [...many.texts.synonyms.keys()].map((language) =>
    Object.values(synonyms(many, language) ?? {}),
  )
  t.ok(tables.length <= PACK_LIMITS.synonymTables)
  t.equal(tables.flat().length, PACK_LIMITS.phrases)
  t.ok(tables.flat(2).length <= PACK_LIMITS.variants)
  t.match(problems(many), [/phrases of synonyms.*; 3,808 are left out$/])
})

void t.test('an entry is handed over as a text that JSON.parse takes', async (t) => {
  const folder = 'data/a/system/system'
  const data = await readOne(t, {
    [`${folder}/plain.json`]: '\uFEFF{"__proto__": 1, "a": 1, "a": 2}',
    [`${folder}/lenient.json`]: "// a comment\n{a: 'x',}",
  })
  const texts = [...(data.entries.get('system/system')?.values() ?? [])].map(({ json }) => json)
  t.strictSame(texts.sort(), ['{"__proto__": 1, "a": 1, "a": 2}', '{"a":"x"}'])
})
