import type { Content } from '../../../lib/registry/index.js'

/** How much a content holds. */
export interface ContentCounts {
  readonly read: number
  readonly refused: number
  readonly entries: number
  readonly skipped: number
  /** By registry, kind of raw entry, and `tags`. */
  readonly registries: Readonly<Record<string, number>>
}

const OWN = 'system:'

/** Registries of ours go by their path, those of extensions by their id. */
export function countsOf(content: Content): ContentCounts {
  const refused = content.packs.filter((pack) => pack.refused !== null).length
  const counts = new Map<string, number>()
  for (const [{ id }, registry] of content.registries())
    counts.set(id.startsWith(OWN) ? id.slice(OWN.length) : id, registry.size)
  for (const [kind, { ids }] of content.raw) counts.set(kind, ids.length)
  const entries = [...counts.values()].reduce((sum, count) => sum + count, 0)
  counts.set(
    'tags',
    content.tagKinds().reduce((sum, kind) => sum + content.tags(kind).size, 0),
  )
  return {
    read: content.packs.length - refused,
    refused,
    entries,
    skipped: content.skipped,
    registries: Object.fromEntries(counts),
  }
}
