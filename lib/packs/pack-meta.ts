import { z } from 'zod'
import { isJsonObject } from '../core/json.js'
import { locate, readJson, type Place } from './lenient-json.js'
import { PACK_LIMITS } from './limits.js'
import { parsePattern, type Pattern } from './pattern.js'
import { quoted } from './problems.js'

/** A major and a minor number; packs before format 82 have no minor one. */
type Version = readonly [major: number, minor: number]
/** Formats that something is made for, both ends included. */
interface FormatRange {
  readonly min: Version
  readonly max: Version
}

/** Files of lower packs that are hidden; null: any. */
export interface FilterBlock {
  readonly namespace: Pattern | null
  readonly path: Pattern | null
}

/** What pack.mcmeta says to us. */
export interface PackMeta {
  readonly format: number
  /** Whether it is made for the game's format. */
  readonly isFit: boolean
  /** Folders that lie over the pack's own files in a game of this format, the last one on top. */
  readonly overlays: readonly string[]
  readonly filter: readonly FilterBlock[]
  /** Parts that aren't used. */
  readonly faults: readonly MetaFault[]
}

export interface MetaFault {
  readonly pointer: string
  readonly reason: string
  readonly place: Place | null
  readonly warning?: true
}

/** From this format on `min_format` and `max_format` count, before it `supported_formats` and `formats`. */
const MIN_MAX_FORMAT = 82
/** Faults of one pack.mcmeta that get a line and a column. */
const LOCATED = 16

const int = z.int().min(0).max(1_000_000)
const versionSchema = z.union([
  int.transform((major): [number, number | null] => [major, null]),
  z.tuple([int]).transform(([major]): [number, number | null] => [major, null]),
  z.tuple([int, int]),
])
const rangeSchema = z.union([
  int.transform((only) => ({ min: only, max: only })),
  z.tuple([int, int]).transform(([min, max]) => ({ min, max })),
  z
    .object({ min_inclusive: int, max_inclusive: int })
    .transform(({ min_inclusive: min, max_inclusive: max }) => ({ min, max })),
])
const packSchema = z.object({
  pack_format: int.optional(),
  supported_formats: rangeSchema.optional(),
  min_format: versionSchema.optional(),
  max_format: versionSchema.optional(),
})
const overlaySchema = z.object({
  directory: z.string().regex(/^(?!\.{1,2}$)[-_a-zA-Z0-9.]{1,64}$/, 'is not the name of a folder'),
  formats: rangeSchema.optional(),
  min_format: versionSchema.optional(),
  max_format: versionSchema.optional(),
})
const blockSchema = z.object({ namespace: z.string().optional(), path: z.string().optional() })

/** pack.mcmeta as far as it is read. It is decoded part by part, so that a bad overlay costs itself alone. */
export const packMetaSchema = z.object({
  pack: packSchema,
  overlays: z.object({ entries: z.array(overlaySchema).max(PACK_LIMITS.metaEntries) }).optional(),
  filter: z.object({ block: z.array(blockSchema).max(PACK_LIMITS.metaEntries) }).optional(),
})

type Declared = Pick<z.infer<typeof packSchema>, 'min_format' | 'max_format'> & {
  readonly formats: { readonly min: number; readonly max: number } | undefined
}

/** What a pack declares for a game of this format, in whatever form; null: nothing. */
function rangeOf({ formats, min_format: min, max_format: max }: Declared, game: number): FormatRange | null {
  const minor: FormatRange | null =
    min === undefined || max === undefined
      ? null
      : { min: [min[0], min[1] ?? 0], max: [max[0], max[1] ?? Infinity] }
  const plain: FormatRange | null =
    formats === undefined ? null : { min: [formats.min, 0], max: [formats.max, Infinity] }
  return game >= MIN_MAX_FORMAT ? (minor ?? plain) : (plain ?? minor)
}

const isAtLeast = (a: Version, b: Version): boolean => a[0] > b[0] || (a[0] === b[0] && a[1] >= b[1])
const isIn = ({ min, max }: FormatRange, game: number): boolean =>
  isAtLeast([game, 0], min) && isAtLeast(max, [game, 0])

/** Reads pack.mcmeta for a game of this format. A fault says why the pack can't be used. */
export function readPackMeta(text: string, game: number): PackMeta | MetaFault {
  const read = readJson(text)
  if (!read.ok) return { pointer: '', reason: read.reason, place: read.place }
  const faults: MetaFault[] = []
  const fault = (pointer: string, reason: string): MetaFault => {
    // to find a place is to read the text again
    const place = faults.length < LOCATED ? locate(text, pointer) : null
    const made = { pointer, reason, place }
    faults.push(made)
    return made
  }
  const root = isJsonObject(read.value) ? read.value : {}
  if (!isJsonObject(root['pack'])) return fault('', 'has no object "pack"')
  const pack = packSchema.safeParse(root['pack'])
  if (!pack.success)
    return fault(`/pack/${String(pack.error.issues[0]?.path[0])}`, 'is not a format of packs')
  const { pack_format, supported_formats, min_format } = pack.data
  const plain = pack_format === undefined ? undefined : { min: pack_format, max: pack_format }
  const range = rangeOf({ ...pack.data, formats: supported_formats ?? plain }, game)
  if (range === null) return fault('/pack', 'declares no format')
  if (read.repeated !== null)
    faults.push({
      pointer: '',
      reason: `has the key "${quoted(read.repeated.key)}" twice; the last one holds`,
      place: read.repeated.place,
      warning: true,
    })
  return {
    format: pack_format ?? supported_formats?.min ?? min_format?.[0] ?? range.min[0],
    isFit: isIn(range, game),
    overlays: overlaysOf(root['overlays'], game, fault),
    filter: filterOf(root['filter'], fault),
    faults,
  }
}

type Fault = (pointer: string, reason: string) => void

/** The elements of `section.key`, as many as are taken. */
function elements(section: unknown, pointer: string, fault: Fault): readonly unknown[] {
  if (section === undefined) return []
  const key = pointer.slice(pointer.lastIndexOf('/') + 1)
  const list = isJsonObject(section) ? section[key] : undefined
  if (!Array.isArray(list)) {
    fault(pointer, 'is not a list; it is not used')
    return []
  }
  if (list.length > PACK_LIMITS.metaEntries)
    fault(pointer, `has more than ${PACK_LIMITS.metaEntries} elements; the rest is not used`)
  return list.slice(0, PACK_LIMITS.metaEntries)
}

function overlaysOf(section: unknown, game: number, fault: Fault): string[] {
  const list = '/overlays/entries'
  return elements(section, list, fault).flatMap((element, at) => {
    const overlay = overlaySchema.safeParse(element)
    if (!overlay.success) {
      const member = overlay.error.issues[0]?.path[0]
      fault(
        `${list}/${at}${member === undefined ? '' : `/${String(member)}`}`,
        'is not valid; the overlay is not used',
      )
      return []
    }
    const range = rangeOf({ ...overlay.data, formats: overlay.data.formats }, game)
    if (range === null) fault(`${list}/${at}`, 'declares no formats; the overlay is not used')
    return range !== null && isIn(range, game) ? [overlay.data.directory] : []
  })
}

function filterOf(section: unknown, fault: Fault): FilterBlock[] {
  const list = '/filter/block'
  return elements(section, list, fault).flatMap((element, at) => {
    const block = blockSchema.safeParse(element)
    if (!block.success) {
      fault(`${list}/${at}`, 'is not valid; it hides nothing')
      return []
    }
    const patterns = (['namespace', 'path'] as const).map((key) => {
      const given = block.data[key]
      const pattern = given === undefined ? null : parsePattern(given)
      if (typeof pattern === 'string') fault(`${list}/${at}/${key}`, `${pattern}; it hides nothing`)
      return pattern
    })
    const [namespace = null, path = null] = patterns
    return typeof namespace === 'string' || typeof path === 'string' ? [] : [{ namespace, path }]
  })
}
