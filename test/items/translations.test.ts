/** Item names in other languages than English. */
import t from 'tap'
import { identifier, type Identifier } from '../../lib/core/ids.js'
import {
  itemTools,
  loadItemCatalogue,
  type ItemCatalogue,
  type LanguageNames,
} from '../../lib/items/index.js'
import { ALICE } from '../support/tool-context.js'
import { VERSIONS } from '../support/versions.js'

const PIECES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  en_us: { piston: ['Piston', 'Pusher'], music_disc_11: ['Disc'], music_disc_13: ['Disc'] },
  zh_cn: {
    piston: ['活塞'],
    sticky_piston: ['粘性活塞'],
    iron_sword: ['铁剑'],
    netherite_sword: ['下界合金剑'],
    oak_planks: ['橡木木板'],
    crafting_table: ['工作台', '合成台'],
    tnt: ['TNT'],
    tnt_minecart: ['TNT矿车'],
    string: ['线'],
    book: ['书'],
    bookshelf: ['书架'],
    written_book: ['成书'],
    writable_book: ['书与笔'],
    red_bed: ['红色床'],
    magenta_bed: ['品红色床'],
    music_disc_11: ['音乐唱片'],
    music_disc_13: ['音乐唱片'],
  },
  ja_jp: { piston: ['ピストン'], sticky_piston: ['粘着ピストン'], iron_sword: ['鉄の剣'], bow: ['弓'] },
  ko_kr: { iron_sword: ['철 검'], stone_bricks: ['석재 벽돌'] },
  de_de: { iron_sword: ['Eisenschwert'], iron_ingot: ['Eisenbarren'], oak_door: ['Eichentür'] },
  fr_fr: { bread: ['Pain'] },
  sv_se: { ice: ['Is'], iron_sword: ['Järnsvärd'] },
}

const languageNames = (languages = PIECES): LanguageNames =>
  new Map(
    Object.entries(languages).map(([language, names]) => [
      language,
      new Map<Identifier, readonly string[]>(
        Object.entries(names).map(([path, own]) => [identifier(`minecraft:${path}`), own]),
      ),
    ]),
  )

async function named(version = '1.21.4', names = languageNames()): Promise<ItemCatalogue> {
  const catalogue = loadItemCatalogue(version)
  await catalogue.setNames(names)
  return catalogue
}

/** Query, language of the asker, matches in their order with how they fit. */
const SEARCHES: readonly [string, string, string][] = [
  ['活塞', 'zh_cn', 'piston:folded sticky_piston:words'],
  ['活塞', 'en_us', 'piston:folded sticky_piston:words'],
  ['ピストン', 'zh_cn', 'piston:folded sticky_piston:words'],
  ['木板', 'zh_cn', 'oak_planks:words'],
  ['铁 剑', 'zh_cn', 'iron_sword:folded'],
  ['剑 铁', 'zh_cn', 'iron_sword:words'],
  ['剑铁', 'zh_cn', ''],
  ['下合金剑', 'zh_cn', 'netherite_sword:close'],
  ['tnt', 'zh_cn', 'tnt:id tnt_minecart:words'],
  ['ＴＮＴ矿车', 'en_us', 'tnt_minecart:folded'],
  ['合成台', 'zh_cn', 'crafting_table:folded'],
  ['音乐唱片', 'zh_cn', 'music_disc_11:folded music_disc_13:folded'],
  ['철검', 'ko_kr', 'iron_sword:folded'],
  ['벽돌 석재', 'en_us', 'stone_bricks:words'],
  ['eisenschwert', 'en_us', 'iron_sword:folded'],
  ['Eichentur', 'en_us', 'oak_door:folded'],
  ['eisen', 'de_de', 'iron_ingot:prefix iron_sword:prefix'],
  ['Eisenschwrt', 'de_de', 'iron_sword:close'],
  ['pusher', 'zh_cn', 'piston:folded'],
  ['pain', 'fr_fr', 'bread:folded painting:prefix'],
  ['pain', 'en_us', 'painting:prefix'],
]

for (const version of VERSIONS)
  void t.test(`searches in other languages, ${version}`, async (t) => {
    const catalogue = await named(version)
    for (const [query, language, matches] of SEARCHES) {
      const found = catalogue.search(query, language)
      const text = found.map(({ item, kind }) => `${item.id.replace('minecraft:', '')}:${kind}`).join(' ')
      t.equal(text, matches, `${query} ${language}`)
    }
  })

/** Sentence, language of the asker, item, what the masked sentence is, whether the name is shared. */
const SENTENCES: readonly [string, string, string | null, string | null][] = [
  ['怎么合成活塞', 'zh_cn', 'piston', '怎么合成{item}'],
  ['怎么合成活塞', 'en_us', 'piston', '怎么合成{item}'],
  ['铁剑怎么做', 'en_us', 'iron_sword', '{item}怎么做'],
  ['ピストンの作り方', 'ja_jp', 'piston', '{item}の作り方'],
  ['粘着ピストンの作り方', 'en_us', 'sticky_piston', '{item}の作り方'],
  ['怎么合成粘性活塞？', 'zh_cn', 'sticky_piston', '怎么合成{item}?'],
  ['TNT矿车怎么合成', 'zh_cn', 'tnt_minecart', '{item}怎么合成'],
  ['철검은 뭐야', 'ko_kr', 'iron_sword', '{item}은 뭐야'],
  ['怎么合成书与笔', 'zh_cn', 'writable_book', '怎么合成{item}'],
  ['how do I make a pusher', 'en_us', 'piston', 'how do i make a {item}'],
  ['was ist ein Eisenschwert', 'de_de', 'iron_sword', 'was ist ein {item}'],
  ['was ist ein Eisenschwert', 'en_us', null, null],
  ['what is this', 'en_us', null, null],
  ['what is this', 'sv_se', 'ice', 'what {item} this'],
  ['what is a piston', 'sv_se', 'piston', 'what is a {item}'],
]

void t.test('names stand in running text without blanks, the longest wins', async (t) => {
  const catalogue = await named()
  for (const [text, language, path, masked] of SENTENCES) {
    const mention = catalogue.mask(text, language)
    t.equal(mention?.item ?? null, path === null ? null : `minecraft:${path}`, text)
    t.equal(mention?.masked ?? null, masked, text)
    t.equal(catalogue.findInSentence(text, language), mention?.item ?? null)
  }
})

void t.test('a shared name, a short one and one that may begin earlier say so', async (t) => {
  const catalogue = await named()
  const disc = identifier('minecraft:music_disc_11')
  t.strictSame(catalogue.mask('音乐唱片是什么'), {
    item: disc,
    masked: '{item}是什么',
    sharedName: '音乐唱片',
  })
  t.match(catalogue.mask('在线人数'), { item: 'minecraft:string', unsure: true })
  t.match(catalogue.mask('what is this', 'sv_se'), { item: 'minecraft:ice', unsure: true })
  t.strictSame(catalogue.mask('怎么合成书架'), {
    item: 'minecraft:written_book',
    masked: '怎么合{item}架',
    otherwise: { item: 'minecraft:bookshelf', masked: '怎么合成{item}' },
  })
  t.match(catalogue.mask('物品红色床'), {
    item: 'minecraft:magenta_bed',
    otherwise: { item: 'minecraft:red_bed', masked: '物品{item}' },
  })
  t.match(loadItemCatalogue('1.21.4').mask('what is a music disc'), {
    item: disc,
    sharedName: 'music disc',
  })
})

void t.test('English answers as it does without names of other languages', async (t) => {
  const plain = loadItemCatalogue('1.21.4')
  const catalogue = await named()
  for (const query of ['piston', 'planks', 'music disc', 'diam pick', 'pitson', 'disc', 'diamond gun']) {
    t.strictSame(catalogue.search(query), plain.search(query), query)
    t.strictSame(catalogue.nearest(query, 5), plain.nearest(query, 5), query)
    t.strictSame(catalogue.mask(`what is a ${query}`), plain.mask(`what is a ${query}`), query)
  }
})

void t.test('nearest names share a pair of characters or a word', async (t) => {
  const catalogue = await named()
  t.strictSame(catalogue.nearest('超级活塞', 5, 'zh_cn'), ['minecraft:piston', 'minecraft:sticky_piston'])
  t.strictSame(catalogue.nearest('Pain xyz', 5), ['minecraft:bread'])
  t.strictSame(catalogue.nearest('无此物', 5, 'zh_cn'), [])
})

void t.test('a set of names takes the place of the one before, all at once', async (t) => {
  const catalogue = await named()
  const replaced = catalogue.setNames(languageNames({ zh_cn: { stone: ['活塞'] } }))
  t.equal(catalogue.search('活塞')[0]?.item.id, 'minecraft:piston', 'the names before answer meanwhile')
  await replaced
  t.strictSame(
    catalogue.search('活塞').map(({ item }) => item.id),
    ['minecraft:stone'],
  )
  t.strictSame(catalogue.search('ピストン'), [])
  // takes many slices more than the call after it
  const many = Array.from({ length: 200 }, (_, at) => [`aa_${at}`, { dirt: ['活塞'] }] as const)
  const overtaken = catalogue.setNames(languageNames(Object.fromEntries(many)))
  await Promise.all([overtaken, catalogue.setNames(languageNames({ zh_cn: { sand: ['活塞'] } }))])
  t.equal(catalogue.search('活塞')[0]?.item.id, 'minecraft:sand', 'the later call holds')
  await catalogue.setNames(new Map())
  t.strictSame(catalogue.search('活塞'), [])
})

void t.test('catalogues share no names; unknown items and names without letters are left out', async (t) => {
  const catalogue = await named(
    '1.21.4',
    languageNames({ zh_cn: { unheard_of: ['活塞'], stone: ['???', ''] } }),
  )
  t.strictSame([catalogue.search('活塞'), catalogue.search('???')], [[], []])
  await named()
  t.equal(catalogue.mask('怎么合成活塞'), null)
})

void t.test('tools take names of the asker', async (t) => {
  const tools = itemTools(await named())
  const call = { player: ALICE, language: 'zh_cn', signal: new AbortController().signal, configuration: null }
  t.match(await tools.item.handler({ query: '活塞' }, call), {
    matches: [{ id: 'minecraft:piston', name: 'Piston' }, { id: 'minecraft:sticky_piston' }],
    exact: 1,
  })
  t.match(await tools.item.handler({ query: '音乐唱片' }, call), { exact: 2 })
  t.match(await tools.recipe.handler({ query: '活塞' }, call), { item: { id: 'minecraft:piston' } })
  t.match(await tools.item.handler({ query: '超级活塞' }, call), {
    matches: [],
    nearest: [{ id: 'minecraft:piston' }, { id: 'minecraft:sticky_piston' }],
  })
})
