import t from 'tap'
import { featuresOf, foldText, scanUnits } from '../../lib/lexical/index.js'

const FOLDS: readonly [string, string][] = [
  ['Diamond PICKAXE', 'diamond pickaxe'],
  ['ＰＩＳＴＯＮ', 'piston'],
  ['Crème Brûlée', 'creme brulee'],
  ['Straße', 'strasse'],
  ['İstanbul', 'istanbul'],
  ['ﬁre', 'fire'],
  ['ガラス', 'ガラス'],
  ['ｶﾞﾗｽ', 'ガラス'],
  ['한국어', '한국어'],
  ['钻石镐', '钻石镐'],
  ['', ''],
]

void t.test('folding removes case, diacritics and compatibility forms, and is stable', async (t) => {
  for (const [text, folded] of FOLDS) {
    t.equal(foldText(text), folded, text)
    t.equal(foldText(foldText(text)), folded, `twice: ${text}`)
  }
})

const UNITS: readonly [string, readonly string[]][] = [
  ["what's in my hand?", ['whats', 'in', 'my', 'hand']],
  ['what’s up', ['whats', 'up']],
  ["'quoted' text", ['quoted', 'text']],
  ['oak_log minecraft:oak-planks', ['oak', 'log', 'minecraft', 'oak', 'planks']],
  ['怎么合成piston', ['怎', '么', '合', '成', 'piston']],
  ['怎么合成 {item}？', ['怎', '么', '合', '成', '{item}']],
  ['{items} { item }', ['items', 'item']],
  ['64stacks', ['64stacks']],
  ['𠀀𠀁', ['𠀀', '𠀁']],
  ['привет мир', ['привет', 'мир']],
  ['???', []],
  ['😀', []],
  ['   \n\t', []],
  ['', []],
  ['\ud800', []],
]

void t.test('units are words, CJK characters and the item mark', async (t) => {
  for (const [text, units] of UNITS)
    t.strictSame(
      scanUnits(foldText(text)).map((unit) => unit.text),
      units,
      JSON.stringify(text),
    )
})

void t.test('offsets point at the folded text', async (t) => {
  const folded = foldText("I don't want 钻石 PLEASE")
  for (const unit of scanUnits(folded))
    t.equal(folded.slice(unit.start, unit.end).replace("'", ''), unit.text)
})

const PAIRS: readonly [string, readonly string[]][] = [
  ['where am i', ['where', 'am', 'where am', 'i', 'am i']],
  ['我在哪', ['我', '在', '我 在', '哪', '在 哪']],
  ['stop, where', ['stop', 'where']],
  ['合成{item}', ['合', '成', '合 成', '{item}', '成 {item}']],
]

void t.test('features are units and pairs that only blanks separate', async (t) => {
  for (const [text, features] of PAIRS) t.strictSame(featuresOf(scanUnits(foldText(text))), features, text)
})
