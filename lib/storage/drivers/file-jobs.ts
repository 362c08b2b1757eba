import { join } from 'node:path'
import { z } from 'zod'
import { systemClock, type Clock } from '../../core/clock.js'
import type { Result } from '../../core/result.js'
import type { JobTable } from '../../pool/index.js'
import { COLLECTIONS } from '../driver.js'
import { sweepFolder, writeFileAtomic, type FileParts } from './atomic-file.js'
import { threadFileSystem, type FileSystem } from './file-system.js'
import { FolderSync } from './folder-sync.js'
import { appendLines, appendLinesJobSchema } from './line-file.js'
import { playerFileJobs } from './player-file.js'
import { RecordFiles } from './record-files.js'

const bytesSchema = z.custom<Uint8Array>((value) => value instanceof Uint8Array)
const pathSchema = z.string().min(1)
const limitSchema = z.int().min(0)

/** Replaces a file as a whole and durably, see `writeFileAtomic`; resolves with nothing. */
export const writeFileJobSchema = z.strictObject({
  kind: z.literal('write-file'),
  path: pathSchema,
  bytes: bytesSchema,
})
export type WriteFileJob = z.infer<typeof writeFileJobSchema>

/** Removes what interrupted writes left in a folder that nobody writes to now; resolves with their number. */
export const sweepFolderJobSchema = z.strictObject({ kind: z.literal('sweep-folder'), path: pathSchema })
export type SweepFolderJob = z.infer<typeof sweepFolderJobSchema>

const keySchema = z.strictObject({ collection: z.enum(COLLECTIONS), id: z.string() })
const writeSchema = z.strictObject({
  key: keySchema,
  base: z.int().min(0),
  put: z.map(z.string(), bytesSchema).readonly(),
  drop: z.array(z.string()).readonly(),
  maxBytes: limitSchema,
  spare: z.array(z.string()).readonly().exactOptional(),
})
const root = pathSchema

/** What the file driver asks of its thread; `root` is the data folder. Answers are those of the port. */
export const recordJobSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('read-record'), root, key: keySchema, maxBytes: limitSchema }),
  z.strictObject({ kind: z.literal('commit-records'), root, writes: z.array(writeSchema).readonly() }),
  z.strictObject({ kind: z.literal('remove-record'), root, key: keySchema }),
  z.strictObject({ kind: z.literal('list-records'), root, collection: z.enum(COLLECTIONS) }),
  z.strictObject({ kind: z.literal('sweep-records'), root }),
])
export type RecordJob = z.infer<typeof recordJobSchema>

/** What the storage group does. Each table remembers records of its own: one for each thread. */
export function createFileJobs(fs: FileSystem = threadFileSystem, clock: Clock = systemClock): JobTable {
  const parts: FileParts = { fs, folders: new FolderSync(fs), clock }
  const stores = new Map<string, RecordFiles>()
  const records = (job: unknown): Promise<Result<unknown>> => {
    const decoded = recordJobSchema.parse(job)
    const path = join(decoded.root)
    const store = stores.get(path) ?? new RecordFiles(path, parts)
    stores.set(path, store)
    return serveRecords(store, decoded)
  }
  return new Map<string, (job: unknown) => Promise<Result<unknown>>>([
    ['write-file', (job) => writeFileAtomic(parts, writeFileJobSchema.parse(job))],
    ['sweep-folder', (job) => sweepFolder(parts, sweepFolderJobSchema.parse(job).path)],
    ['append-lines', (job) => appendLines(fs, appendLinesJobSchema.parse(job))],
    ...recordJobSchema.options.map(({ shape }) => [shape.kind.value, records] as const),
    ...playerFileJobs(parts),
  ])
}

function serveRecords(store: RecordFiles, job: RecordJob): Promise<Result<unknown>> {
  switch (job.kind) {
    case 'read-record':
      return store.read(job.key, job.maxBytes)
    case 'commit-records':
      return store.commit(job.writes)
    case 'remove-record':
      return store.remove(job.key)
    case 'list-records':
      return store.list(job.collection)
    case 'sweep-records':
      return store.sweep()
  }
}
