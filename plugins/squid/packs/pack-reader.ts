import { z } from 'zod'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import type { LocateJob, PackData, ReadPacksJob } from '../../../lib/packs/index.js'
import type { AnyRegistryType, Place, Unlocated } from '../../../lib/registry/index.js'
import type { PackPlaces } from './pack-places.js'

/** Vanilla formats, kept as text until somebody wants an entry. */
const RAW_FOLDERS = ['advancement', 'recipe', 'loot_table']
/** Files are read a second time for so many problems; the rest go without a line. */
const LOCATED = 200

/** Runs a job in the compute group. */
export type RunJob = (job: object) => Promise<Result<unknown>>

/** What a thread of ours gives: its outer shape. */
const packDataSchema = z.custom<PackData>((value) => {
  const { packs, entries, raw, tags, texts, problems } = (value ?? {}) as Partial<PackData>
  const maps: readonly unknown[] = [entries, raw, tags, texts?.lang, texts?.synonyms, texts?.prompts]
  return Array.isArray(packs) && Array.isArray(problems) && maps.every((map) => map instanceof Map)
})
const placesSchema = z.array(z.object({ line: z.int(), column: z.int() }).nullable())

/** Has the packs read by a thread. Never rejects. */
export async function readPacks(
  run: RunJob,
  places: PackPlaces,
  types: readonly AnyRegistryType[],
): Promise<Result<PackData>> {
  const folders = types.map(({ folder }) => folder)
  const job: ReadPacksJob = { kind: 'read-packs', ...places, folders, raw: RAW_FOLDERS }
  const read = await run(job)
  if (!read.ok) return read
  const data = packDataSchema.safeParse(read.value)
  return data.success ? ok(data.data) : fail('system:protocol', {}, 'packs of another shape')
}

/** Where problems are in their files; a place that isn't found costs the line alone. */
export async function locate(
  run: RunJob,
  { packFormat: _, ...places }: PackPlaces,
  problems: readonly Unlocated[],
): Promise<readonly (Place | null)[]> {
  const wanted = problems.slice(0, LOCATED)
  if (wanted.length === 0) return []
  const pointers = wanted.map(({ pack, file, pointer }) => ({ pack, file, pointer }))
  const found = await run({ kind: 'locate', ...places, pointers } satisfies LocateJob)
  const located = placesSchema.safeParse(found.ok ? found.value : null)
  return located.success ? located.data : []
}
