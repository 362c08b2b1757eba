import { CardTypes } from '../../../lib/cards/index.js'
import { CARD_TEMPLATES } from '../../../lib/cards/templates/index.js'
import {
  locateInPacks,
  PACK_LIMITS,
  readPacks,
  type PackData,
  type PackPlaces,
  type PackProblem,
} from '../../../lib/packs/index.js'
import {
  decodeContent,
  newProblems,
  readShippedData,
  type Content,
  type Unlocated,
} from '../../../lib/registry/index.js'
import { promptRules } from '../../../lib/text/index.js'
import { addBuiltInCards, builtInRegistries } from '../../squid/built-in-content.js'
import { packFormatOf, packPlaces, RAW_FOLDERS } from '../../squid/packs/index.js'
import { withoutExtensionTypes } from './extension-types.js'

/** What one pack holds and what is wrong with it. */
export interface ValidatedPack {
  /** The name that the log of a server gives it. */
  readonly pack: string
  /** Entries of the System's registries, by folder, readable or not. */
  readonly entries: Readonly<Record<string, number>>
  /** By file and line. Those of other packs are there because of this one. */
  readonly problems: readonly PackProblem[]
  /** Problems beyond those that are listed. */
  readonly more: number
}

/** What a load of packs gave. */
interface Loaded {
  readonly data: PackData
  readonly content: Content
  readonly problems: readonly PackProblem[]
  readonly moreProblems: number
}

/**
 * Reads packs as a server of this version would, in this order, each on our own and those before it, and says of each what
 * is wrong since it is there.
 */
export async function validatePacks(
  paths: readonly string[],
  version: string,
): Promise<readonly ValidatedPack[]> {
  const validated: ValidatedPack[] = []
  let before = await loadPacks(packPlaces(null, []), version)
  for (const at of paths.keys()) {
    const now = await loadPacks(packPlaces(null, paths.slice(0, at + 1)), version)
    const { problems, more } = newProblems(before, now)
    const pack = now.data.packs.at(-1)?.name ?? ''
    validated.push({ pack, entries: countEntries(now.data, pack), problems: inOrder(problems), more })
    before = now
  }
  return validated
}

/** Reads packs as a server of this version would; entries of types that only extensions have are in it as others. */
export async function loadPacks(places: PackPlaces, version: string): Promise<Loaded> {
  const types = Object.values(builtInRegistries())
  const shipped = await readShippedData()
  const data = await readPacks(places, {
    folders: types.map(({ folder }) => folder),
    raw: RAW_FOLDERS,
    packFormat: packFormatOf(version),
    namesStrays: true,
    prompts: promptRules(shipped.prompts),
  })
  const { entries, warnings } = withoutExtensionTypes(data.entries)
  const content = await decodeContent(types, { ...data, entries }, { version: 'validate', yield: () => null })
  const all = [...warnings, ...unusedTemplates(data)]
  const problems = [...content.problems, ...all.slice(0, PACK_LIMITS.problems)]
  return { data, content, problems: await withPlaces(places, problems), moreProblems: content.moreProblems }
}

/** Templates that are named like one of our cards, but like none that there is. */
function unusedTemplates({ entries }: PackData): readonly Unlocated[] {
  const types = new CardTypes()
  addBuiltInCards(types)
  const unused = [...(entries.get(CARD_TEMPLATES.folder) ?? [])].filter(
    ([id]) => id.startsWith('system:') && !types.has(id),
  )
  return unused.map(([id, { pack, file }]) => {
    const reason = `no card of the System has the id ${id}: nothing takes this form`
    return { pack, file, pointer: '', reason, warning: true }
  })
}

/** Each with line and column, where there is something to point at. */
async function withPlaces(
  places: PackPlaces,
  problems: readonly (Unlocated | PackProblem)[],
): Promise<readonly PackProblem[]> {
  const all = problems.map((problem): PackProblem => ({ line: null, column: null, ...problem }))
  // each costs a reading of its file
  const lost = all.filter(({ line, pointer }) => line === null && pointer !== '')
  const found = await locateInPacks(places, lost)
  const placeOf = new Map(lost.map((problem, at) => [problem, found[at]]))
  return all.map((problem) => ({ ...problem, ...placeOf.get(problem) }))
}

function countEntries({ entries }: PackData, pack: string): Record<string, number> {
  const counts = [...entries].map(([folder, of]) => {
    const own = [...of.values()].filter((entry) => entry.pack === pack)
    return [folder, own.length] as const
  })
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

const inOrder = (problems: readonly PackProblem[]): readonly PackProblem[] =>
  [...problems].sort(
    (a, b) =>
      compare(a.pack, b.pack) ||
      compare(a.file, b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  )

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
