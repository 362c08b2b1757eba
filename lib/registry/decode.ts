import type { Identifier } from '../core/ids.js'
import { frozen } from '../core/frozen.js'
import type { PackData, PackEntry } from '../packs/index.js'
import { Content } from './content.js'
import { DataRegistry } from './data-registry.js'
import type { Decoded, DecodedType, DecodeOptions, Decoding } from './decoding.js'
import { Problems } from './problems.js'
import { faultOf, pointerOf } from './reasons.js'
import { checkReferences } from './references.js'
import type { AnyRegistryType } from './registry-type.js'
import { inRegistryOrder } from './registry-order.js'
import { decodeTexts } from './texts.js'

/**
 * Decodes what packs hold. An entry that doesn't decode, or that names a missing one, is skipped with one problem that
 * says why; never rejects for what packs hold.
 */
export async function decodeContent(
  types: readonly AnyRegistryType[],
  data: PackData,
  options: DecodeOptions,
): Promise<Content> {
  const problems = new Problems()
  const ranks = new Map(data.packs.map(({ name }, rank) => [name, rank]))
  const decoded: DecodedType[] = []
  let skipped = unreadEntries(types, data)
  for (const type of types) {
    const entries = await decodeType(type, { data, ranks, problems, options })
    skipped += (data.entries.get(type.folder)?.size ?? 0) - entries.size
    decoded.push({ type, entries })
  }
  skipped += await checkReferences(decoded, { data, problems, options })
  const texts = await decodeTexts(data.texts, options)
  const tags = await keepTags(decoded, data, options)
  const registries = new Map(
    decoded.map(({ type, entries }) => [
      type,
      new DataRegistry(
        [...entries.values()].map(({ holder }) => holder),
        tags.get(type.folder),
      ),
    ]),
  )
  const places = (await options.locate?.(problems.list)) ?? []
  return new Content({
    version: options.version,
    registries,
    tags,
    ...texts,
    raw: data.raw,
    packs: data.packs,
    problems: [
      ...data.problems,
      ...problems.list.map((problem, at) => ({
        ...problem,
        line: places[at]?.line ?? null,
        column: places[at]?.column ?? null,
      })),
    ],
    moreProblems: data.moreProblems + problems.more,
    skipped,
  })
}

const BELOW_NAMESPACE = /(?:^|\/)data\/[^/]+\/(.*)$/

/** Files of entries that were left out before there was anything to decode. Folders of older packs are plural. */
function unreadEntries(types: readonly AnyRegistryType[], data: PackData): number {
  const folders = [
    ...types.map(({ folder }) => `${folder}/`),
    ...[...data.raw.keys()].flatMap((folder) => [`${folder}/`, `${folder}s/`]),
  ]
  const files = data.problems
    .filter(({ warning, file }) => {
      const below = BELOW_NAMESPACE.exec(file)?.[1] ?? ''
      return warning !== true && folders.some((folder) => below.startsWith(folder))
    })
    .map(({ pack, file }) => JSON.stringify([pack, file]))
  return new Set(files).size
}

async function decodeType(
  type: AnyRegistryType,
  { data, ranks, problems, options }: Decoding & { readonly ranks: ReadonlyMap<string, number> },
): Promise<Map<Identifier, Decoded>> {
  const given = data.entries.get(type.folder) ?? new Map<Identifier, PackEntry>()
  const entries = new Map<Identifier, Decoded>()
  for (const [id, source] of await inRegistryOrder(given, ranks, options.yield)) {
    const value = decodeEntry(type, id, { source, problems, options })
    if (value !== null) entries.set(id, { holder: Object.freeze({ id, value: value.value }), source })
    await options.yield()
  }
  return entries
}

/** The frozen value; null, with a problem, when the entry is to be skipped. */
function decodeEntry(
  type: AnyRegistryType,
  id: Identifier,
  { source, problems, options }: Omit<Decoding, 'data'> & { readonly source: PackEntry },
): { readonly value: unknown } | null {
  const { pack, file } = source
  try {
    const parsed = type.schema.safeParse(JSON.parse(source.json))
    if (parsed.success) return { value: frozen(parsed.data) }
    const { path, reason } = faultOf(parsed.error.issues)
    problems.add({ pack, file, pointer: pointerOf(path), reason })
  } catch (thrown) {
    options.onThrown?.(type, id, thrown)
    problems.add({ pack, file, pointer: '', reason: `could not be decoded as ${type.id}` })
  }
  return null
}

/** Tags of registries keep the entries there are: one that was left out has its own problem. */
async function keepTags(
  decoded: readonly DecodedType[],
  data: PackData,
  options: DecodeOptions,
): Promise<Map<string, ReadonlyMap<Identifier, readonly Identifier[]>>> {
  const tags = new Map(data.tags)
  for (const { type, entries } of decoded) {
    const kept = new Map<Identifier, readonly Identifier[]>()
    for (const [tag, ids] of data.tags.get(type.folder) ?? []) {
      const present = ids.filter((id) => entries.has(id))
      kept.set(tag, Object.freeze(present))
      await options.yield()
    }
    tags.set(type.folder, kept)
  }
  return tags
}
