/** Contents made of plain entries, decoded as those of packs are. */
import { identifier, type Identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { EMPTY_PACK_DATA } from '../../lib/packs/index.js'
import { decodeContent, type AnyRegistryType, type Content } from '../../lib/registry/index.js'

export interface PlainContent {
  /** Entries by folder and id. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  /** Tags by kind and id. */
  readonly tags?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

let contents = 0

/** Decodes the entries; each call gives another content. */
export function contentOf(types: readonly AnyRegistryType[], plain: PlainContent): Promise<Content> {
  contents += 1
  const byId = <V, W>(members: Readonly<Record<string, V>>, made: (value: V) => W): Map<Identifier, W> =>
    new Map(Object.entries(members).map(([id, value]) => [identifier(id), made(value)]))
  const outer = <V, W>(
    kinds: Readonly<Record<string, V>> | undefined,
    made: (value: V) => W,
  ): Map<string, W> => new Map(Object.entries(kinds ?? {}).map(([kind, value]) => [kind, made(value)]))
  const data = {
    ...EMPTY_PACK_DATA,
    packs: [{ name: 'test', kind: 'folder', format: 61, refused: null }] as const,
    entries: outer(plain.entries, (entries) =>
      byId(entries, (value) => ({ json: JSON.stringify(value), pack: 'test', file: 'data/test.json' })),
    ),
    tags: outer(plain.tags, (tags) => byId(tags, (ids) => ids.map(identifier))),
  }
  return decodeContent(types, data, { version: `content ${contents}`, yield: () => null })
}
