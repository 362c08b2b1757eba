import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { loadItemCatalogue, type MatchKind } from '../../lib/items/index.js'
import { VERSIONS } from '../support/versions.js'

/** Query, best match, how it fits. */
const SEARCHES: readonly [string, string | null, MatchKind | null][] = [
  ['minecraft:piston', 'piston', 'id'],
  ['oak_planks', 'oak_planks', 'id'],
  ['Oak Planks', 'oak_planks', 'name'],
  ['OAK planks', 'oak_planks', 'folded'],
  ['  ōak   plánks ', 'oak_planks', 'folded'],
  ['Jack o’Lantern', 'jack_o_lantern', 'folded'],
  ['torches', 'torch', 'plural'],
  ['bookshelves', 'bookshelf', 'plural'],
  ['iron axes', 'iron_axe', 'plural'],
  ['planks oak', 'oak_planks', 'words'],
  ['pickaxe diamond', 'diamond_pickaxe', 'words'],
  ['diam pick', 'diamond_pickaxe', 'prefix'],
  ['netherite ing', 'netherite_ingot', 'prefix'],
  ['dimond pickax', 'diamond_pickaxe', 'close'],
  ['pitson', 'piston', 'close'],
  ['bokshelf', 'bookshelf', 'close'],
  ['xyzzy', null, null],
  ['zzq', null, null],
  ['活塞', null, null],
  ['???', null, null],
  ['', null, null],
  ['__proto__', null, null],
  ['constructor', null, null],
]

for (const version of VERSIONS) {
  void t.test(`search, ${version}`, async (t) => {
    const catalogue = loadItemCatalogue(version)
    for (const [query, path, kind] of SEARCHES) {
      const [best] = catalogue.search(query)
      t.equal(best?.item.id ?? null, path === null ? null : `minecraft:${path}`, query)
      t.equal(best?.kind ?? null, kind, query)
    }
  })

  void t.test(`the order of equal matches is by id, ${version}`, async (t) => {
    const catalogue = loadItemCatalogue(version)
    const planks = catalogue.search('planks').filter(({ kind }) => kind === 'words')
    const ids = planks.map(({ item }) => item.id)
    t.ok(ids.length >= 8)
    t.equal(ids[0], 'minecraft:acacia_planks')
    t.strictSame(
      catalogue.search('planks').map(({ item }) => item.id),
      loadItemCatalogue(version)
        .search('PLANKS')
        .map(({ item }) => item.id),
    )
  })

  void t.test(`facts, ${version}`, async (t) => {
    const catalogue = loadItemCatalogue(version)
    const facts = (path: string): unknown => catalogue.byId(identifier(`minecraft:${path}`))
    t.match(facts('diamond_pickaxe'), {
      name: 'Diamond Pickaxe',
      stackSize: 1,
      durability: 1561,
      repairedWith: ['minecraft:diamond'],
      block: false,
      craftable: true,
    })
    t.match(facts('bread'), { stackSize: 64, food: { points: 5, saturation: 6 }, block: false })
    t.match(facts('ender_pearl'), { stackSize: 16, craftable: false })
    t.match(facts('oak_planks'), { translationKey: 'block.minecraft.oak_planks', block: true })
    t.match(facts('wheat'), { translationKey: 'item.minecraft.wheat' })
    t.equal(facts('air'), undefined)
    t.equal(facts('unheard_of'), undefined)
  })

  void t.test(`recipes, ${version}`, async (t) => {
    const catalogue = loadItemCatalogue(version)
    const [piston, ...others] = catalogue.recipes(identifier('minecraft:piston'))
    t.strictSame(others, [], 'the kinds of planks are alternatives of one recipe')
    t.match(piston, {
      result: { id: 'minecraft:piston', count: 1 },
      kind: 'shaped',
      pattern: ['AAA', 'BCB', 'BDB'],
    })
    t.strictSame(
      piston?.ingredients.map(({ count }) => count),
      [3, 4, 1, 1],
    )
    t.strictSame(
      piston?.ingredients.slice(1).map(({ anyOf }) => anyOf),
      [['minecraft:cobblestone'], ['minecraft:iron_ingot'], ['minecraft:redstone']],
    )
    t.equal(piston?.ingredients[0]?.anyOf[0], 'minecraft:oak_planks', 'the commonest comes first')
    t.ok((piston?.ingredients[0]?.anyOf.length ?? 0) >= 8)
    t.match(catalogue.recipes(identifier('minecraft:gray_dye'))[0], { kind: 'shapeless', pattern: [] })
    t.match(catalogue.recipes(identifier('minecraft:cake'))[0]?.pattern, ['AAA', 'BCB', 'DDD'])
    t.strictSame(catalogue.recipes(identifier('minecraft:bedrock')), [])
    t.strictSame(catalogue.recipes(identifier('minecraft:glass')), [], 'a furnace makes it')
    t.strictSame(catalogue.recipes(identifier('other:piston')).length > 0, false)
    for (const item of catalogue.items) {
      const recipes = catalogue.recipes(item.id)
      if (recipes.length > 0 !== item.craftable) t.fail(`craftable: ${item.id}`)
      if (recipes.some(({ ingredients }) => ingredients.some(({ count }) => count < 1)))
        t.fail(`a letter without a place: ${item.id}`)
    }
  })
}

void t.test('nearest names share a word, a typing error allowed', async (t) => {
  const catalogue = loadItemCatalogue('1.21.4')
  t.equal(catalogue.nearest('diamond gun', 5)[0], 'minecraft:diamond')
  t.equal(catalogue.nearest('dimond pistol', 5)[0], 'minecraft:diamond')
  t.equal(catalogue.nearest('diamond gun', 3).length, 3)
  t.strictSame(catalogue.nearest('xyzzy', 5), [])
})

void t.test('a version is read once; an unknown one is refused', async (t) => {
  t.equal(loadItemCatalogue('1.21.4').items, loadItemCatalogue('1.21.4').items)
  t.throws(() => loadItemCatalogue('0.0.1'), TypeError)
})
