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
export function itemNamesIn(sentences: Readonly<Record<string, unknown>>): FoundNames {
  const steps = itemNameSteps(sentences)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** What a language file names. */
interface FoundNames {
  readonly names: ItemNames
  readonly unused: number
}

/** Sentences, names or items between two steps of the work. */
const STEP = 256

/** The same in small steps, for a thread that has other things to do. */
export function* itemNameSteps(sentences: Readonly<Record<string, unknown>>): Generator<void, FoundNames> {
  const found: Record<string, Map<Identifier, string>> = {
    item: new Map(),
    block: new Map(),
    'system.alias': new Map(),
  }
  let unused = 0
  let count = 0
  for (const [key, value] of Object.entries(sentences)) {
    if (++count % STEP === 0) yield
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
  for (const kind of ['item', 'block', 'system.alias'])
    for (const [id, given] of found[kind] ?? []) {
      if (kind === 'block' && names.has(id)) continue
      for (const name of kind === 'system.alias' ? given.split('|') : [given]) {
        if (++count % STEP === 0) yield
        add(id, name)
      }
    }
  return { names, unused }
}

/** All names of both, those of the first before those of the second; in small steps. */
export function* mergeNames(first: LanguageNames, second: LanguageNames): Generator<void, LanguageNames> {
  const merged = new Map(first)
  for (const [language, names] of second) {
    yield
    const before = merged.get(language)
    if (before === undefined) {
      merged.set(language, names)
      continue
    }
    const known = new Map(before)
    merged.set(language, known)
    let count = 0
    for (const [id, own] of names) {
      known.set(id, [...new Set([...(known.get(id) ?? []), ...own])])
      if (++count % STEP === 0) yield
    }
  }
  return merged
}
