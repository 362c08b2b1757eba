import type { TimeSlice } from '../core/time-slice.js'
import type { FoundPack } from './find-packs.js'
import { openFolderPack } from './folder-pack.js'
import { otherSpelling, type Layout, type Placed, type Role } from './layout.js'
import { PACK_LIMITS } from './limits.js'
import type { ReadPack } from './pack-data.js'
import { readPackMeta, type FilterBlock, type MetaFault, type PackMeta } from './pack-meta.js'
import type { OpenedPack, PackSource } from './pack-source.js'
import type { Pattern, StepBudget } from './pattern.js'
import { count, quoted, type Fault, type Problems } from './problems.js'
import { decodeText } from './text.js'
import { openZipPack } from './zip-pack.js'

const META = 'pack.mcmeta'
/** The first format whose game looks into the folders of 1.21's names alone (24w21a). */
const SINGULAR_FORMAT = 45

/** Below `data/<namespace>/`. */
const AMONG_OURS = /^(?:tags\/)?system\//
const STRAY = 'is not read: no folder of this name is, or its ending is another one'

/** A file that is to be read. */
export interface Source {
  /** Index into `open`. */
  readonly pack: number
  readonly file: string
  readonly namespace: string
  /** Below `data/<namespace>/`. */
  readonly path: string
}

/** What one entry is made of: the file of the last pack, or one of each pack where packs are merged. */
export interface Slot {
  readonly role: Role
  readonly sources: Source[]
}

/** A pack that is read. Whoever gathers closes its source. */
export interface OpenPack {
  readonly name: string
  readonly source: PackSource
}

/** What packs hold together, before any of it but pack.mcmeta is read. */
export interface Gathered {
  readonly packs: ReadPack[]
  readonly open: OpenPack[]
  readonly slots: Map<string, Slot>
}

interface GatherOptions {
  readonly layout: Layout
  /** Format of the game. */
  readonly game: number
  readonly namesStrays: boolean
  readonly problems: Problems
  readonly slice: TimeSlice
}

const isMerged = (role: Role): boolean => role.kind === 'tag' || role.kind === 'lang'

/** Opens the packs in order and finds which files count. */
export class Gathering implements Gathered {
  readonly packs: ReadPack[] = []
  readonly open: OpenPack[] = []
  readonly slots = new Map<string, Slot>()
  readonly #options: GatherOptions
  readonly #budget: StepBudget = { left: PACK_LIMITS.patternSteps }
  #files = 0

  constructor(options: GatherOptions) {
    this.#options = options
  }

  async add(found: FoundPack): Promise<void> {
    const { slice } = this.#options
    if (found.refused !== null) return this.#refuse(found, found.refused)
    const opened = await openPack(found, slice)
    if (!opened.ok) return this.#refuse(found, opened.reason)
    const { source } = opened
    this.#files += source.files.length
    const isTooMuch = this.#files > PACK_LIMITS.allFiles
    const meta: PackMeta | Refusal = isTooMuch
      ? { reason: `the packs have more than ${count(PACK_LIMITS.allFiles)} files together` }
      : await this.#meta(found, source)
    if ('reason' in meta) {
      await source.close()
      return this.#refuse(found, meta.reason, meta.fault)
    }
    await this.#take({ name: found.name, source }, meta)
    this.packs.push({ name: found.name, kind: found.kind, format: meta.format, refused: null })
  }

  #refuse({ name, kind }: FoundPack, reason: string, fault?: MetaFault): void {
    this.packs.push({ name, kind, format: null, refused: reason })
    this.#options.problems.add({ pack: name, ...problemOf(fault ?? { reason }) })
  }

  async #meta({ name }: FoundPack, source: PackSource): Promise<PackMeta | Refusal> {
    const { problems, game } = this.#options
    if (!source.files.includes(META)) return { reason: noMeta(source) }
    const read = decodeText(await source.read(META, PACK_LIMITS.metaBytes))
    if (!read.ok) return { reason: `its ${META} ${read.reason}` }
    const meta = readPackMeta(read.text, game)
    if ('reason' in meta) return { reason: `its ${META} ${meta.reason}`, fault: meta }
    for (const fault of meta.faults) problems.add({ pack: name, ...problemOf(fault) })
    if (!meta.isFit) {
      const reason = `declares format ${meta.format} and not the game's ${game}; the pack is read nevertheless`
      problems.add({ pack: name, file: META, pointer: '/pack', reason, warning: true })
    }
    return meta
  }

  async #take(pack: OpenPack, meta: PackMeta): Promise<void> {
    const { problems, slice } = this.#options
    for (const { file, reason } of pack.source.leftOut) problems.add({ pack: pack.name, file, reason })
    const index = this.open.push(pack) - 1
    await this.#hide(pack, meta.filter)
    const placed = await this.#place(pack, filesOnTop(pack.source.files, meta.overlays))
    const { kept, lost } = withoutOtherSide(placed, this.#options.game)
    for (const [file, reason] of lost) problems.add({ pack: pack.name, file, reason, warning: true })
    for (const [source, { role, key }] of kept) {
      const slot = this.slots.get(key)
      if (slot !== undefined && isMerged(role)) slot.sources.push({ ...source, pack: index })
      else this.slots.set(key, { role, sources: [{ ...source, pack: index }] })
      if (slice.isOver()) await slice.next()
    }
  }

  async #place(
    { name }: OpenPack,
    files: ReadonlyMap<string, string>,
  ): Promise<[Omit<Source, 'pack'>, Placed][]> {
    const { layout, namesStrays, problems, slice } = this.#options
    const placed: [Omit<Source, 'pack'>, Placed][] = []
    for (const [key, file] of files) {
      const end = key.indexOf('/')
      const [namespace, path] = [key.slice(0, end), key.slice(end + 1)]
      const found = layout.place(namespace, path)
      if (typeof found === 'string') problems.add({ pack: name, file: quoted(file), reason: found })
      else if (found !== null) placed.push([{ file, namespace, path }, found])
      else if (namesStrays && AMONG_OURS.test(path))
        problems.add({ pack: name, file: quoted(file), reason: STRAY, warning: true })
      if (slice.isOver()) await slice.next()
    }
    return placed
  }

  /** Takes files of lower packs out. */
  async #hide({ name }: OpenPack, filter: readonly FilterBlock[]): Promise<void> {
    const { problems, slice } = this.#options
    if (filter.length === 0) return
    for (const [key, slot] of this.slots) {
      const kept: Source[] = []
      for (const source of slot.sources) {
        const isHidden = this.#isHidden(source, filter)
        if (isHidden === null) {
          const reason = 'its patterns cost too much; what they had not hidden yet stays'
          return problems.add({ pack: name, file: META, pointer: '/filter/block', reason })
        }
        if (!isHidden) kept.push(source)
        if (slice.isOver()) await slice.next()
      }
      if (kept.length === 0) this.slots.delete(key)
      else if (kept.length < slot.sources.length) this.slots.set(key, { role: slot.role, sources: kept })
    }
  }

  /** Null: the steps are spent. */
  #isHidden({ namespace, path }: Source, filter: readonly FilterBlock[]): boolean | null {
    const other = otherSpelling(path)
    for (const block of filter) {
      const inNamespace = this.#isFound(block.namespace, namespace)
      const isHidden = inNamespace === true ? this.#isFound(block.path, path) : inNamespace
      const isHere = isHidden === false && inNamespace && other !== null
      const found = isHere ? this.#isFound(block.path, other) : isHidden
      if (found !== false) return found
    }
    return false
  }

  #isFound(pattern: Pattern | null, text: string): boolean | null {
    return pattern === null ? true : pattern(text, this.#budget)
  }
}

/** Why a pack isn't used; the fault that it has in pack.mcmeta. */
interface Refusal {
  readonly reason: string
  readonly fault?: MetaFault
}

/** Of pack.mcmeta where it is a fault there, else of the whole pack. */
function problemOf(fault: MetaFault | { readonly reason: string }): Omit<Fault, 'pack'> {
  if (!('pointer' in fault)) return { file: '', reason: fault.reason }
  const { place, ...rest } = fault
  return { file: META, ...rest, ...place }
}

/** Opens what was found, by its kind. */
export const openPack = ({ kind, path }: FoundPack, slice: TimeSlice): Promise<OpenedPack> =>
  kind === 'zip' ? openZipPack(path, slice) : openFolderPack(path, slice)

/** The likeliest reason: the folder was packed, not what is in it. */
function noMeta({ files }: PackSource): string {
  const inside = files.find((file) => file.endsWith(`/${META}`) && file.split('/').length === 2)
  if (inside === undefined) return `has no ${META}`
  return `has no ${META} at its top; one lies in "${quoted(inside.slice(0, inside.indexOf('/')))}"`
}

/** Files by their path below `data/`: those of the pack, under those of its overlays, the last one on top. */
function filesOnTop(files: readonly string[], overlays: readonly string[]): Map<string, string> {
  const layers = [new Map<string, string>(), ...overlays.map(() => new Map<string, string>())]
  const layerOf = new Map(overlays.map((overlay, at) => [overlay, at + 1]))
  for (const file of files) {
    const [first = '', second = ''] = file.split('/', 2)
    if (first === 'data') layers[0]?.set(file.slice('data/'.length), file)
    const layer = layerOf.get(first)
    if (layer !== undefined && second === 'data')
      layers[layer]?.set(file.slice(first.length + '/data/'.length), file)
  }
  return new Map(layers.flatMap((layer) => [...layer]))
}

interface Sides<T> {
  readonly kept: [T, Placed][]
  /** A file of each folder that has what the other spelling's folder lacks, and how many there are. */
  readonly lost: [file: string, reason: string][]
}

/**
 * A pack made for both sides of 1.21 has its files twice: those of the other side are left out then, as the game would.
 * A pack that was made for the other side alone is read as it is.
 */
function withoutOtherSide<T extends { readonly file: string }>(
  placed: readonly [T, Placed][],
  game: number,
): Sides<T> {
  const isOther = ({ renamed }: Placed): boolean => renamed?.isOld === game >= SINGULAR_FORMAT
  const keys = new Set<string>()
  const both = new Set<string | undefined>()
  for (const [, file] of placed)
    if (file.renamed !== null && !isOther(file)) {
      both.add(file.renamed.folder)
      keys.add(file.key)
    }
  const lost = new Map<string, { readonly file: string; count: number }>()
  const kept = placed.filter(([{ file }, { key, renamed }]) => {
    if (renamed === null || renamed.isOld !== game >= SINGULAR_FORMAT || !both.has(renamed.folder))
      return true
    const known = lost.get(renamed.folder)
    if (known !== undefined) known.count += keys.has(key) ? 0 : 1
    else if (!keys.has(key)) lost.set(renamed.folder, { file, count: 1 })
    return false
  })
  const reasons = [...lost.values()].map(({ file, count: n }): [string, string] => [
    file,
    `lies in a folder for another version of the game, beside the one for this (${count(n)} such files); left out`,
  ])
  return { kept, lost: reasons }
}
