import { readFile } from 'node:fs/promises'
import t from 'tap'
import {
  compileSynonyms,
  foldText,
  scanUnits,
  synonymsSchema,
  type Synonyms,
} from '../../lib/lexical/index.js'

const replaced = (tables: readonly Synonyms[], text: string): string =>
  compileSynonyms(tables)
    .apply(scanUnits(foldText(text)))
    .map((unit) => unit.text)
    .join(' ')

const TABLE: Synonyms = {
  make: ['craft', 'build'],
  'what is': ["what's"],
  'game mode': ['gamemode'],
  recipe: ['crafting recipe'],
  合成表: ['配方', '合成配方'],
  craft: ['make'],
}

const CASES: readonly [string, string][] = [
  ['craft and Build', 'make and make'],
  ["WHAT'S this", 'what is this'],
  ['gamemode', 'game mode'],
  ['crafting recipe', 'recipe'],
  ['crafting, recipe', 'crafting recipe'],
  ['crafting', 'crafting'],
  ['{item}的合成配方', '{item} 的 合 成 表'],
  ['配方', '合 成 表'],
  ['make', 'craft'],
  ['', ''],
]

void t.test('variants become their canonical phrase, once, the longest first', async (t) => {
  for (const [text, expected] of CASES) t.equal(replaced([TABLE], text), expected, text)
})

void t.test('the first table that names a variant holds; empty variants do nothing', async (t) => {
  t.equal(replaced([{ first: ['x'] }, { second: ['x'] }], 'x'), 'first')
  t.equal(replaced([{ a: ['!!'], '?': ['b'] }], 'b c'), 'b c')
  t.equal(replaced([], 'b c'), 'b c')
})

void t.test('a key of Object.prototype is an ordinary word', async (t) => {
  t.equal(replaced([{ thing: ['constructor'] }], 'constructor toString'), 'thing tostring')
})

for (const language of ['en_us', 'zh_cn']) {
  void t.test(`the shipped ${language} synonyms parse and no variant has two meanings`, async (t) => {
    const file = new URL(
      `../../../datapacks/default/data/system/system/synonyms/${language}.json`,
      import.meta.url,
    )
    const table = synonymsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
    const variants = Object.values(table).flat()
    t.equal(new Set(variants).size, variants.length)
  })
}
