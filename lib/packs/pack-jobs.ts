import { z } from 'zod'
import { fail, ok, type Result } from '../core/result.js'
import type { JobTable } from '../pool/index.js'
import { PACK_LIMITS } from './limits.js'
import { locateInPacks, readPacks } from './read-packs.js'

const path = z.string().min(1)
const folder = z.string().regex(/^[a-z0-9_][a-z0-9_.-]*(?:\/[a-z0-9_][a-z0-9_.-]*){0,2}$/)
const places = { builtIn: path.nullable(), world: path.nullable(), extra: z.array(path).max(4_096) }

const names = z.array(z.string().max(64)).max(256)

const readJobSchema = z.strictObject({
  kind: z.literal('read-packs'),
  ...places,
  folders: z.array(folder).max(256),
  raw: z.array(folder).max(256),
  packFormat: z.int().min(0),
  prompts: z.record(z.string().max(256), z.strictObject({ required: names, optional: names })).optional(),
})
/** Reads all packs, see `readPacks`; resolves with PackData. */
export type ReadPacksJob = z.input<typeof readJobSchema>

const locateJobSchema = z.strictObject({
  kind: z.literal('locate'),
  ...places,
  pointers: z
    .array(z.strictObject({ pack: z.string(), file: z.string(), pointer: z.string() }))
    .max(PACK_LIMITS.problems),
})
/** Finds line and column, see `locateInPacks`; resolves with a list of `{ line, column } | null`. */
export type LocateJob = z.input<typeof locateJobSchema>

/** What the compute group does with packs. A job of another shape is `system:protocol`. */
export function createPackJobs(): JobTable {
  return new Map<string, (job: unknown) => Promise<Result<unknown>>>([
    [
      'read-packs',
      async (job) => {
        const parsed = readJobSchema.safeParse(job)
        return parsed.success ? ok(await readPacks(parsed.data, parsed.data)) : fail('system:protocol')
      },
    ],
    [
      'locate',
      async (job) => {
        const parsed = locateJobSchema.safeParse(job)
        if (!parsed.success) return fail('system:protocol')
        return ok(await locateInPacks(parsed.data, parsed.data.pointers))
      },
    ],
  ])
}
