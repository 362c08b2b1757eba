import { isIdentifier, type Identifier } from '../core/ids.js'
import { quoted } from './problems.js'

/** What a file is to us. */
export type Role =
  | { readonly kind: 'entry' | 'raw' | 'tag'; readonly folder: string; readonly id: Identifier }
  | { readonly kind: 'lang' | 'synonyms' | 'prompt'; readonly name: string }

/** A file below `data/` that has a role. */
export interface Placed {
  readonly role: Role
  /** Two files with the same key are one entry. */
  readonly key: string
  /** Of a folder that was renamed: the folder, and whether it has the name it had before 1.21. */
  readonly renamed: { readonly folder: string; readonly isOld: boolean } | null
}

/** Names until 1.20.6 by the names since 1.21; tags have them below `tags/` too. */
const OLD_NAMES = new Map([
  ['advancement', 'advancements'],
  ['recipe', 'recipes'],
  ['loot_table', 'loot_tables'],
  ['predicate', 'predicates'],
  ['item_modifier', 'item_modifiers'],
  ['function', 'functions'],
  ['structure', 'structures'],
])
const OLD_TAG_NAMES = new Map([
  ['item', 'items'],
  ['block', 'blocks'],
  ['entity_type', 'entity_types'],
  ['fluid', 'fluids'],
  ['game_event', 'game_events'],
  ['function', 'functions'],
])
const reverse = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...names].map(([now, old]) => [old, now]))
const NEW_NAMES = reverse(OLD_NAMES)
const NEW_TAG_NAMES = reverse(OLD_TAG_NAMES)

/** Registries of tags that consist of two folders. */
const DEEP_REGISTRIES = new Set(['worldgen', 'system'])
/** Folders that the name of a registry consists of, at most. */
const MOST_FOLDERS = 3
const LANGUAGE = /^[a-z0-9_]{1,32}$/
const JSON_ENDING = '.json'
const TEXT_ENDING = '.txt'

/** The path below `data/<namespace>/` as the other side of 1.21 spells it; null: as this one does. */
export function otherSpelling(path: string): string | null {
  const [first = '', second = '', ...rest] = path.split('/')
  if (first === 'tags') {
    const other = OLD_TAG_NAMES.get(second) ?? NEW_TAG_NAMES.get(second)
    return other === undefined ? null : [first, other, ...rest].join('/')
  }
  const other = OLD_NAMES.get(first) ?? NEW_NAMES.get(first)
  return other === undefined ? null : [other, second, ...rest].join('/')
}

/** Says of each file what it is, by the names of its folders, never by a part of its path. */
export class Layout {
  readonly #folders: ReadonlySet<string>
  readonly #raw: ReadonlySet<string>

  /** Folders below `data/<namespace>/` in their present names: those of entries, and those kept as text. */
  constructor(folders: readonly string[], raw: readonly string[]) {
    this.#folders = new Set(folders)
    this.#raw = new Set(raw)
  }

  /** Null: the file is nothing to us. A string says what is wrong with its name. */
  place(namespace: string, path: string): Placed | string | null {
    const parts = path.split('/')
    const [first = ''] = parts
    if (first === 'tags') return this.#tag(namespace, parts.slice(1))
    if (first === 'lang' && parts.length === 2) return textFile('lang', namespace, parts[1] ?? '')
    if (first === 'system' && parts[1] === 'synonyms' && parts.length === 3)
      return textFile('synonyms', namespace, parts[2] ?? '')
    if (first === 'system' && parts[1] === 'prompts') return promptFile(namespace, parts.slice(2).join('/'))
    return this.#entry(namespace, parts)
  }

  #entry(namespace: string, parts: readonly string[]): Placed | string | null {
    const [first = '', ...rest] = parts
    const name = NEW_NAMES.get(first) ?? first
    const folders = [name, ...rest]
    for (let length = Math.min(MOST_FOLDERS, folders.length - 1); length > 0; length -= 1) {
      const folder = folders.slice(0, length).join('/')
      const kind = this.#folders.has(folder) ? 'entry' : this.#raw.has(folder) ? 'raw' : null
      if (kind === null) continue
      const renamed = OLD_NAMES.has(name) ? { folder: name, isOld: name !== first } : null
      return named({ kind, folder, namespace, path: folders.slice(length).join('/'), renamed })
    }
    return null
  }

  #tag(namespace: string, parts: readonly string[]): Placed | string | null {
    const [first = '', ...rest] = parts
    const name = NEW_TAG_NAMES.get(first) ?? first
    const folders = [name, ...rest]
    let length = DEEP_REGISTRIES.has(name) ? 2 : 1
    for (let longer = MOST_FOLDERS; longer > length; longer -= 1)
      if (this.#folders.has(folders.slice(0, longer).join('/'))) length = longer
    if (folders.length <= length) return null
    const renamed = OLD_TAG_NAMES.has(name) ? { folder: `tags/${name}`, isOld: name !== first } : null
    return named({
      kind: 'tag',
      folder: folders.slice(0, length).join('/'),
      namespace,
      path: folders.slice(length).join('/'),
      renamed,
    })
  }
}

interface Named {
  readonly kind: 'entry' | 'raw' | 'tag'
  readonly folder: string
  readonly namespace: string
  readonly path: string
  readonly renamed: Placed['renamed']
}

function named({ kind, folder, namespace, path, renamed }: Named): Placed | string | null {
  if (!path.endsWith(JSON_ENDING)) return null
  const id = `${namespace}:${path.slice(0, -JSON_ENDING.length)}`
  if (!isIdentifier(id)) return notAnId(id)
  return { role: { kind, folder, id }, key: keyOf(kind, folder, id), renamed }
}

function textFile(kind: 'lang' | 'synonyms', namespace: string, file: string): Placed | string | null {
  if (!file.endsWith(JSON_ENDING)) return null
  const name = file.slice(0, -JSON_ENDING.length)
  if (!LANGUAGE.test(name)) return `is not named after a language such as en_us: ${quoted(name)}`
  return { role: { kind, name }, key: keyOf(kind, namespace, name), renamed: null }
}

function promptFile(namespace: string, file: string): Placed | string | null {
  if (!file.endsWith(TEXT_ENDING)) return null
  const path = file.slice(0, -TEXT_ENDING.length)
  const id = `${namespace}:${path}`
  if (!isIdentifier(id)) return notAnId(id)
  const name = namespace === 'system' ? path : id
  return { role: { kind: 'prompt', name }, key: keyOf('prompt', name), renamed: null }
}

const notAnId = (id: string): string =>
  `is not named by lower case letters, digits and _ . - / alone, or too long: ${quoted(id)}`

const NUL = '\0'
const keyOf = (...parts: readonly string[]): string => parts.join(NUL)
