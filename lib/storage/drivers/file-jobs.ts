import { z } from 'zod'
import type { Result } from '../../core/result.js'
import type { JobTable } from '../../pool/index.js'
import { readFileBounded, writeFileAtomic } from './atomic-file.js'

/** Replaces a file as a whole and durably; resolves with nothing. */
export const writeFileJobSchema = z.strictObject({
  kind: z.literal('write-file'),
  path: z.string().min(1),
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
})
export type WriteFileJob = z.infer<typeof writeFileJobSchema>

/** Reads a file up to a limit; resolves with its bytes, or null when there is none. */
export const readFileJobSchema = z.strictObject({
  kind: z.literal('read-file'),
  path: z.string().min(1),
  maxBytes: z.int().min(0),
})
export type ReadFileJob = z.infer<typeof readFileJobSchema>

/** What the storage group does. */
export const FILE_JOBS: JobTable = new Map<string, (job: unknown) => Promise<Result<unknown>>>([
  ['write-file', (job) => write(writeFileJobSchema.parse(job))],
  ['read-file', (job) => read(readFileJobSchema.parse(job))],
])

const write = ({ path, bytes }: WriteFileJob): Promise<Result<void>> => writeFileAtomic(path, bytes)
const read = ({ path, maxBytes }: ReadFileJob): Promise<Result<Uint8Array | null>> =>
  readFileBounded(path, maxBytes)
