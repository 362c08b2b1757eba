import type { Identifier } from '../core/ids.js'
import { TimeSlice } from '../core/time-slice.js'
import { findPacks, type PackPlaces } from './find-packs.js'
import { Gathering, openPack, type Gathered } from './gather.js'
import { Layout } from './layout.js'
import { locate, type Place } from './lenient-json.js'
import { PACK_LIMITS } from './limits.js'
import type { PackData, RawEntries } from './pack-data.js'
import { Problems } from './problems.js'
import { FileReading, type TagFile } from './read-files.js'
import { TagResolver, type TagProblem } from './resolve-tags.js'
import type { PromptRule } from '../text/index.js'
import { decodeText } from './text.js'

/** What is wanted of packs. */
export interface PackWishes {
  /** Folders below `data/<namespace>/` whose entries are handed out as values, such as `system/system`. */
  readonly folders: readonly string[]
  /** Folders whose entries are kept as text, by their present names: `advancement`, `recipe`. */
  readonly raw: readonly string[]
  /** Format of the game's version. */
  readonly packFormat: number
  /** What texts in the place of prompts must and may fill in, by the prompts' names. */
  readonly prompts?: Readonly<Record<string, PromptRule>> | undefined
  /** Warns of files among those of the System that are nothing to it, as in a folder that is misspelled. */
  readonly namesStrays?: boolean
}

/**
 * Reads all packs: built-in ones, the world's by name, those of the settings; later ones override. Never rejects for
 * what packs hold: a bad pack is refused, a bad file left out, each with one problem, and the rest is read. Bounded by
 * PACK_LIMITS. Gives way to other work of the thread at least every 5 ms but for single files near 1 MiB.
 */
export async function readPacks(places: PackPlaces, wishes: PackWishes): Promise<PackData> {
  const problems = new Problems()
  const slice = new TimeSlice()
  const layout = new Layout(wishes.folders, wishes.raw)
  const gathering = new Gathering({
    layout,
    game: wishes.packFormat,
    namesStrays: wishes.namesStrays === true,
    problems,
    slice,
  })
  try {
    for (const found of await findPacks(places, problems)) await gathering.add(found)
    const reading = new FileReading({ problems, slice, prompts: wishes.prompts ?? {} })
    await reading.run(gathering)
    const tags = await resolveAll(reading, { gathering, wishes, problems, slice })
    const raw = new Map<string, RawEntries>()
    for (const [folder, texts] of reading.raw) raw.set(folder, texts.entries())
    return {
      packs: gathering.packs,
      entries: reading.entries,
      raw,
      tags,
      texts: reading.texts.texts(),
      problems: problems.list,
      moreProblems: problems.more,
    }
  } finally {
    for (const { source } of gathering.open) await source.close()
  }
}

interface Rest {
  readonly gathering: Gathered
  readonly wishes: PackWishes
  readonly problems: Problems
  readonly slice: TimeSlice
}

async function resolveAll(
  reading: FileReading,
  { gathering, wishes, problems, slice }: Rest,
): Promise<Map<string, ReadonlyMap<Identifier, readonly Identifier[]>>> {
  const found: TagProblem<TagFile>[] = []
  const namespaces = new Set<string>()
  const ids = new Map<string, Set<Identifier>>(wishes.folders.map((folder) => [folder, new Set()]))
  for (const { role, sources } of gathering.slots.values()) {
    if (role.kind === 'entry') ids.get(role.folder)?.add(role.id)
    for (const { namespace } of sources) namespaces.add(namespace)
  }
  const resolver = new TagResolver<TagFile>({
    known: (registry) => {
      const known = ids.get(registry)
      return known === undefined ? null : (id) => known.has(id)
    },
    hasNamespace: (namespace) => namespace !== 'minecraft' && namespaces.has(namespace),
    report: (problem) => found.push(problem),
    slice,
  })
  const tags = new Map<string, ReadonlyMap<Identifier, readonly Identifier[]>>()
  // ours first: what others cost must not empty them
  const isOurs = (registry: string): number => (ids.has(registry) ? 0 : 1)
  const registries = [...reading.tags].sort(([a], [b]) => isOurs(a) - isOurs(b) || (a < b ? -1 : 1))
  let last: TagFile | undefined
  for (const [registry, drafts] of registries) {
    tags.set(registry, await resolver.resolve(registry, drafts))
    for (const { files } of drafts.values()) last = files[0] ?? last
  }
  if (last !== undefined) resolver.finish(last)
  for (const { file, ...problem } of found) {
    const isKept = problems.list.length < PACK_LIMITS.problems
    const place = isKept ? await placeIn(file, problem.pointer) : null
    problems.add({ pack: file.pack.name, file: file.file, ...problem, ...place })
    if (slice.isOver()) await slice.next()
  }
  return tags
}

/** Reads the file again: texts are not kept for the few that turn out to have a problem. */
async function placeIn({ pack, file }: TagFile, pointer: string): Promise<Place | null> {
  if (pointer === '') return null
  const read = decodeText(await pack.source.read(file, PACK_LIMITS.fileBytes))
  return read.ok ? locate(read.text, pointer) : null
}

/** A value in a file of a pack, by the pack's name. */
export interface PackPointer {
  readonly pack: string
  readonly file: string
  readonly pointer: string
}

/** Where values stand, in the order of the pointers; null: that can't be said any more. */
export async function locateInPacks(
  places: PackPlaces,
  pointers: readonly PackPointer[],
): Promise<(Place | null)[]> {
  const found = new Map((await findPacks(places, new Problems())).map((pack) => [pack.name, pack]))
  const located: (Place | null)[] = pointers.map(() => null)
  const slice = new TimeSlice()
  for (const name of new Set(pointers.map(({ pack }) => pack))) {
    const pack = found.get(name)
    if (pack === undefined || pack.refused !== null) continue
    const opened = await openPack(pack, slice)
    if (!opened.ok) continue
    const files = new Set(opened.source.files)
    for (const [at, { pack, file, pointer }] of pointers.entries()) {
      if (pack !== name || !files.has(file)) continue
      const read = decodeText(await opened.source.read(file, PACK_LIMITS.fileBytes))
      located[at] = read.ok ? locate(read.text, pointer) : null
      if (slice.isOver()) await slice.next()
    }
    await opened.source.close()
  }
  return located
}
