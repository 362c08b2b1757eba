import t from 'tap'
import { editDistance } from '../../lib/items/edit-distance.js'
import { loadItemCatalogue } from '../../lib/items/index.js'
import { otherNumber } from '../../lib/items/item-names.js'
import { VERSIONS } from '../support/versions.js'

const NUMBERS: readonly [string, string][] = [
  ['piston', 'pistons'],
  ['torch', 'torches'],
  ['box', 'boxes'],
  ['axe', 'axes'],
  ['hoe', 'hoes'],
  ['potato', 'potatoes'],
  ['compass', 'compasses'],
  ['cactus', 'cactuses'],
  ['berry', 'berries'],
  ['cookie', 'cookies'],
  ['ray', 'rays'],
  ['bookshelf', 'bookshelves'],
  ['leaf', 'leaves'],
  ['roof', 'roofs'],
]

void t.test('singulars and plurals lead to each other', async (t) => {
  for (const [singular, plural] of NUMBERS) {
    t.ok(otherNumber(singular).includes(plural), `${singular} → ${plural}`)
    t.ok(otherNumber(plural).includes(singular), `${plural} → ${singular}`)
  }
  t.strictSame(otherNumber('glass').includes('glas'), false)
})

const EDITS: readonly [string, string, number, number][] = [
  ['piston', 'piston', 2, 0],
  ['pistno', 'piston', 2, 1],
  ['psiton', 'piston', 2, 1],
  ['pistn', 'piston', 2, 1],
  ['pistonn', 'piston', 2, 1],
  ['pizzon', 'piston', 2, 2],
  ['pizza', 'piston', 2, 3],
  ['', 'ab', 2, 2],
  ['abc', '', 2, 3],
  ['x'.repeat(500), 'x'.repeat(500), 2, 3],
]

void t.test('edit distance counts swaps once and stops at its limit', async (t) => {
  for (const [a, b, limit, edits] of EDITS) {
    t.equal(editDistance(a, b, limit), edits, `${a.slice(0, 9)} ${b.slice(0, 9)}`)
    t.equal(editDistance(b, a, limit), edits, `${b.slice(0, 9)} ${a.slice(0, 9)}`)
  }
})

const SENTENCES: readonly [string, string | null, string | null][] = [
  ['怎么合成 piston', 'piston', '怎么合成 {item}'],
  ['怎么合成piston？', 'piston', '怎么合成{item}?'],
  ['怎么做ＰＩＳＴＯＮ', 'piston', '怎么做{item}'],
  ['How do I make Minecraft:Oak_Planks', 'oak_planks', 'how do i make {item}'],
  ['two torches please', 'torch', 'two {item} please'],
  ['a sticky piston, not a stick', 'sticky_piston', 'a {item}, not a stick'],
  ['a stick or a sticky piston', 'sticky_piston', 'a stick or a {item}'],
  ['iron axes', 'iron_axe', '{item}'],
  ['flint and steel', 'flint_and_steel', '{item}'],
  ["jack o'lantern", 'jack_o_lantern', '{item}'],
  ['redstone dust', 'redstone', '{item}'],
  ['experience bottle', 'experience_bottle', '{item}'],
  ["bottle o' enchanting", 'experience_bottle', '{item}'],
  ['pistonlike', null, null],
  ['iron, axe', null, null],
  ['tell me a joke about the moon', null, null],
  ['in the air', null, null],
  ['', null, null],
  ['😀', null, null],
]

for (const version of VERSIONS) {
  void t.test(`items are found in running text, ${version}`, async (t) => {
    const catalogue = loadItemCatalogue(version)
    for (const [text, path, masked] of SENTENCES) {
      const id = path === null ? null : `minecraft:${path}`
      t.equal(catalogue.findInSentence(text), id, text)
      t.strictSame(catalogue.mask(text), id === null ? null : { item: id, masked }, text)
    }
  })

  void t.test(`every item is found by its id and by its unique name, ${version}`, async (t) => {
    const catalogue = loadItemCatalogue(version)
    const names = new Map<string, number>()
    for (const { name } of catalogue.items) names.set(name, (names.get(name) ?? 0) + 1)
    const ids = new Set(catalogue.items.map(({ id }) => id.replace('minecraft:', '').replaceAll('_', ' ')))
    for (const { id, name } of catalogue.items) {
      if (catalogue.findInSentence(`what is ${id} for`) !== id) t.fail(`by id: ${id}`)
      if (catalogue.search(id)[0]?.item.id !== id) t.fail(`search by id: ${id}`)
      const isShared = names.get(name) !== 1 || ids.has(name.toLowerCase().replaceAll("'", ''))
      if (!isShared && catalogue.findInSentence(`how do i get ${name} now`) !== id) t.fail(`by name: ${name}`)
      if (names.get(name) === 1 && catalogue.search(name)[0]?.item.id !== id)
        t.fail(`search by name: ${name}`)
    }
  })
}
