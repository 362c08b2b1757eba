import { identifier, type Identifier } from '../core/ids.js'

/** Names of items, each with all it is called in one language. */
export type ItemNames = ReadonlyMap<Identifier, readonly string[]>
/** The same by language, such as `zh_cn`. */
export type LanguageNames = ReadonlyMap<string, ItemNames>

/** UTF-16 units; the longest vanilla name has less than half of it. */
const MAX_LENGTH = 128
/** Items that a file may name; vanilla has 1,400, blocks that are no items included 1,800. */
const MAX_ITEMS = 8_192
/** Names that an item may have in one language. */
const MAX_NAMES = 16

/** Keys with more after the item are no names: descriptions, patterns of banners, effects of potions. */
const KEY = /^(item|block|system\.alias)\.([a-z0-9_-]+)\.([a-z0-9_-]+)$/

/**
 * The item names in the sentences of one language file: the client's name (`item.minecraft.x`, without it
 * `block.minecraft.x`), and further ones in `system.alias.<namespace>.x`, parted by `|`. `unused` counts names that are
 * no text, empty or too long, and those above the limits.
 */
export function itemNamesIn(sentences: Readonly<Record<string, unknown>>): {
  readonly names: ItemNames
  readonly unused: number
} {
  const found: Record<string, Map<Identifier, string>> = {
    item: new Map(),
    block: new Map(),
    'system.alias': new Map(),
  }
  let unused = 0
  for (const [key, value] of Object.entries(sentences)) {
    const [, kind = '', namespace, path] = KEY.exec(key) ?? []
    const held = found[kind]
    if (held === undefined) continue
    if (typeof value === 'string' && held.size < MAX_ITEMS)
      held.set(identifier(`${namespace}:${path}`), value)
    else unused += 1
  }
  const names = new Map<Identifier, string[]>()
  const add = (id: Identifier, text: string): void => {
    const name = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
    const known = names.get(id) ?? []
    if (name === '' || name.length > MAX_LENGTH || known.length >= MAX_NAMES) unused += 1
    else if (!known.includes(name)) names.set(id, [...known, name])
  }
  for (const [id, name] of found['item'] ?? []) add(id, name)
  for (const [id, name] of found['block'] ?? []) if (!names.has(id)) add(id, name)
  for (const [id, listed] of found['system.alias'] ?? []) for (const name of listed.split('|')) add(id, name)
  return { names, unused }
}

/** All names of both, those of the first before those of the second. */
export function mergeNames(first: LanguageNames, second: LanguageNames): LanguageNames {
  const merged = new Map(first)
  for (const [language, names] of second) {
    const known = new Map(merged.get(language))
    for (const [id, own] of names) known.set(id, [...new Set([...(known.get(id) ?? []), ...own])])
    merged.set(language, known)
  }
  return merged
}
