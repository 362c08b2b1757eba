import { z } from 'zod'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import type { LocateJob, PackData, PackPlaces, ReadPacksJob } from '../../../lib/packs/index.js'
import type { PromptRule } from '../../../lib/text/index.js'
import type { AnyRegistryType, Place, Unlocated } from '../../../lib/registry/index.js'

/** Vanilla formats, kept as text until somebody wants an entry. */
export const RAW_FOLDERS = ['advancement', 'recipe', 'loot_table']
/** Files are read a second time for so many problems; the rest go without a line. */
const LOCATED = 200
/** Longest time for one job with packs: the largest that are allowed take some seconds. */
export const PACK_JOB_MS = 60_000

/** How packs are read by the compute group. */
export interface PackReading {
  readonly places: PackPlaces
  /** Of the game's version. */
  readonly packFormat: number
  /** Every type that is registered. */
  readonly types: readonly AnyRegistryType[]
  /** What texts in the place of prompts must and may fill in. */
  readonly prompts: () => Readonly<Record<string, PromptRule>>
  readonly run: (job: ReadPacksJob | LocateJob) => Promise<Result<unknown>>
}

/** What a thread of ours gives: its outer shape. */
const packDataSchema = z.custom<PackData>((value) => {
  const { packs, entries, raw, tags, texts, problems } = (value ?? {}) as Partial<PackData>
  const maps: readonly unknown[] = [entries, raw, tags, texts?.lang, texts?.synonyms, texts?.prompts]
  if (!Array.isArray(texts?.brokenPrompts)) return false
  return Array.isArray(packs) && Array.isArray(problems) && maps.every((map) => map instanceof Map)
})
const placesSchema = z.array(z.object({ line: z.int(), column: z.int() }).nullable())

/** Has the packs read by a thread. Never rejects. */
export async function readPacks({
  run,
  places,
  packFormat,
  types,
  prompts,
}: PackReading): Promise<Result<PackData>> {
  const folders = types.map(({ folder }) => folder)
  const read = await run({
    kind: 'read-packs',
    ...places,
    extra: [...places.extra],
    folders,
    raw: RAW_FOLDERS,
    packFormat,
    prompts: promptJob(prompts()),
  })
  if (!read.ok) return read
  const data = packDataSchema.safeParse(read.value)
  return data.success ? ok(data.data) : fail('system:protocol', {}, 'packs of another shape')
}

/** A job's own copy. */
const promptJob = (rules: Readonly<Record<string, PromptRule>>): NonNullable<ReadPacksJob['prompts']> =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [
      name,
      { required: [...rule.required], optional: [...rule.optional] },
    ]),
  )

/** Where problems are in their files; a place that isn't found costs the line alone. */
export async function locate(
  { run, places }: PackReading,
  problems: readonly Unlocated[],
): Promise<readonly (Place | null)[]> {
  const pointers = problems.slice(0, LOCATED).map(({ pack, file, pointer }) => ({ pack, file, pointer }))
  if (pointers.length === 0) return []
  const found = await run({ kind: 'locate', ...places, extra: [...places.extra], pointers })
  const located = placesSchema.safeParse(found.ok ? found.value : null)
  return located.success ? located.data : []
}
