/** What the host's own language files do to searches, running text and routing. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  buildLocalIndex,
  complexPhrasing,
  isAccepted,
  type LocalIndex,
} from '../../lib/agent/routing/index.js'
import { loadItemCatalogue, type ItemCatalogue, type ItemMention } from '../../lib/items/index.js'
import { foldText } from '../../lib/lexical/index.js'
import { itemNamesIn, type LanguageNames } from '../../lib/names/index.js'
import { OUT_OF_SCOPE_EN } from '../agent/routing/out-of-scope-en.js'
import { OUT_OF_SCOPE_ZH } from '../agent/routing/out-of-scope-zh.js'
import { SHIPPED_MODULES, shippedSynonyms } from '../agent/routing/shipped.js'
import { VANILLA_LANGUAGES, WITH_LANGUAGES } from '../support/shared.js'

async function vanillaNames(): Promise<LanguageNames> {
  const read = async (language: string) => {
    const text = await readFile(join(VANILLA_LANGUAGES ?? '', `${language}.json`), 'utf8')
    return [language, itemNamesIn(JSON.parse(text) as Record<string, unknown>).names] as const
  }
  return new Map(await Promise.all(['en_us', 'zh_cn'].map(read)))
}

const shippedIndex = async (): Promise<LocalIndex> =>
  buildLocalIndex(
    SHIPPED_MODULES.map(({ id, routing }) => ({
      id,
      examples: Object.values(routing.examples ?? {}).flat(),
    })),
    await shippedSynonyms(),
  )

/** The module that a masked sentence goes to, as the router decides it. */
function accepted(index: LocalIndex, masked: string): string | null {
  const match = complexPhrasing(masked) === null ? index.query(masked) : null
  return match !== null && isAccepted(match) ? match.id : null
}

void t.test('every Chinese name finds its item, all of those that share it', WITH_LANGUAGES, async (t) => {
  const catalogue = loadItemCatalogue('1.21.4')
  const names = await vanillaNames()
  await catalogue.setNames(names)
  const byName = new Map<string, string[]>()
  for (const { id } of catalogue.items) {
    const [name] = names.get('zh_cn')?.get(id) ?? []
    if (name === undefined) t.fail(`no name: ${id}`)
    else byName.set(name, [...(byName.get(name) ?? []), id])
  }
  for (const [name, ids] of byName) {
    // TNT is called so in English too
    const found = catalogue.search(name, 'zh_cn').filter(({ kind }) => kind === 'folded' || kind === 'name')
    const list = found.map(({ item }) => item.id).join()
    if (list !== ids.join()) t.fail(`${name}: ${list}`)
    const mention = catalogue.mask(`查看${name}吧`, 'zh_cn')
    const isShared = mention?.sharedName !== undefined
    if (mention?.item !== ids[0] || isShared !== ids.length > 1)
      t.fail(`${name} in running text: ${mention?.item}`)
  }
  t.equal(byName.get('音乐唱片')?.length, 19)
})

void t.test('English finds the same with and without them', WITH_LANGUAGES, async (t) => {
  const plain = loadItemCatalogue('1.21.4')
  const catalogue = loadItemCatalogue('1.21.4')
  await catalogue.setNames(await vanillaNames())
  const ids = (found: ReturnType<ItemCatalogue['search']>) =>
    found.map(({ item, kind }) => `${item.id} ${kind}`)
  const some = plain.items.filter((_, at) => at % 9 === 0)
  for (const { id, name } of some)
    for (const query of [
      id,
      name,
      name.slice(0, 5),
      `${name.slice(0, 3)}x${name.slice(3)}`,
      `${name} xyzzy`,
    ]) {
      if (ids(catalogue.search(query)).join() !== ids(plain.search(query)).join()) t.fail(`search ${query}`)
    }
  for (const { name } of some) {
    if (catalogue.nearest(`${name} xyzzy`, 5).join() !== plain.nearest(`${name} xyzzy`, 5).join())
      t.fail(`nearest ${name}`)
    const text = `how do i craft ${name}`
    if (JSON.stringify(catalogue.mask(text)) !== JSON.stringify(plain.mask(text))) t.fail(text)
  }
})

/** The first readings of a mention. */
const readings = (mention: ItemMention | null): ItemMention[] =>
  mention === null ? [] : [mention, ...readings(mention.otherwise ?? null)]

void t.test('Chinese names spoil no example and no out-of-scope sentence', WITH_LANGUAGES, async (t) => {
  const catalogue = loadItemCatalogue('1.21.4')
  await catalogue.setNames(await vanillaNames())
  const index = await shippedIndex()
  for (const { routing } of SHIPPED_MODULES)
    for (const example of routing.examples?.['zh_cn'] ?? [])
      t.equal(catalogue.mask(example, 'zh_cn'), null, example)
  for (const sentence of [...OUT_OF_SCOPE_EN, ...OUT_OF_SCOPE_ZH])
    for (const masked of [
      ...readings(catalogue.mask(sentence, 'zh_cn')).map((mention) => mention.masked),
      foldText(sentence),
    ])
      // an item's use is asked for here
      if (accepted(index, masked) !== null && !sentence.startsWith('活塞能干什么')) t.fail(sentence)
})

void t.test('plain wishes with Chinese names are routed', WITH_LANGUAGES, async (t) => {
  const catalogue = loadItemCatalogue('1.21.4')
  const names = await vanillaNames()
  await catalogue.setNames(names)
  const index = await shippedIndex()
  for (const { id } of catalogue.items) {
    const name = names.get('zh_cn')?.get(id)?.[0] ?? ''
    for (const [text, module] of [
      [`怎么合成${name}`, 'system:recipe_query'],
      [`${name}怎么做`, 'system:recipe_query'],
      [`${name}是什么`, 'system:item_query'],
    ] as const) {
      const fitting = readings(catalogue.mask(text, 'zh_cn')).find(
        ({ masked }) => accepted(index, masked) === module,
      )
      if (fitting === undefined || (fitting.item !== id && fitting.sharedName === undefined)) t.fail(text)
    }
  }
})
