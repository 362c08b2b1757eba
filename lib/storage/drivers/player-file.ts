import { dirname } from 'node:path'
import { z } from 'zod'
import { DEFAULT_NBT_LIMITS, splitRoot, type NbtRoot } from '../../codec/nbt/index.js'
import { fail, ok, type Result } from '../../core/result.js'
import { discardFile, publishFile, readFileBounded, stageFile, type FileParts } from './atomic-file.js'
import { pack, unpack } from './gzip.js'

/** Most that a player's document may be, bytes: a larger one is neither read nor written. */
export const MAX_PLAYER_DOCUMENT = 8_388_608
/** The same packed, when it can't be made smaller. */
const MAX_FILE_BYTES = MAX_PLAYER_DOCUMENT + 65_536
const LIMITS = { ...DEFAULT_NBT_LIMITS, maxBytes: MAX_PLAYER_DOCUMENT }

/**
 * The states of a save's claim, one shared word. Whoever moves it on from `open` decides: the thread that is about to
 * put the new file in its place, or the main thread, which at its exit writes the file itself.
 */
export const CLAIM = { open: 0, publishing: 1, published: 2, failed: 3, revoked: 4 } as const

const path = z.string().min(1)

/** Reads a player's file; resolves with its members as bytes (`NbtRoot`), or null when there is none. */
const readJobSchema = z.strictObject({ kind: z.literal('read-player-file'), path })
export type ReadPlayerFileJob = z.infer<typeof readJobSchema>

/** Replaces a player's file by a document, uncompressed; the file so far becomes `<path>_old`. */
const saveJobSchema = z.strictObject({
  kind: z.literal('save-player-file'),
  path,
  document: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  claim: z.instanceof(SharedArrayBuffer),
})
export type SavePlayerFileJob = z.infer<typeof saveJobSchema>

/** Gives a file another name in the same folder, durably; no file is no failure. */
const setAsideJobSchema = z.strictObject({ kind: z.literal('set-aside-file'), path, to: path })
export type SetAsideJob = z.infer<typeof setAsideJobSchema>

/** The name of the generation before. */
export const previousGeneration = (file: string): string => `${file}_old`

/** What the storage group does with players' files of the world. */
export function playerFileJobs(
  parts: FileParts,
): readonly (readonly [kind: string, (job: unknown) => Promise<Result<unknown>>])[] {
  return [
    ['read-player-file', (job) => read(parts, readJobSchema.parse(job))],
    ['save-player-file', (job) => save(parts, saveJobSchema.parse(job))],
    ['set-aside-file', (job) => setAside(parts, setAsideJobSchema.parse(job))],
  ]
}

/**
 * `system:storage_unreadable` and `system:storage_too_large`: the file is damaged or hostile. `system:storage_failed`:
 * it could not be read now.
 */
async function read({ fs, folders }: FileParts, job: ReadPlayerFileJob): Promise<Result<NbtRoot | null>> {
  const file = await readFileBounded(fs, job.path, MAX_FILE_BYTES)
  if (!file.ok || file.value === null) return file.ok ? ok(null) : file
  try {
    // a save in doubt may have left a name that a power cut takes back: what a login decides on must stay
    await folders.sync(dirname(job.path))
  } catch (cause) {
    return fail('system:storage_failed', {}, cause)
  }
  const document = unpack(file.value.bytes, MAX_PLAYER_DOCUMENT)
  return document.ok ? splitRoot(document.value, LIMITS) : document
}

/**
 * `system:storage_failed`, `system:storage_full` (it could not be read again) and `system:cancelled` (the claim was
 * revoked): the file is as before.
 * `system:storage_unknown`: the new one is in place, but perhaps not for good.
 */
async function save(parts: FileParts, job: SavePlayerFileJob): Promise<Result<void>> {
  if (!isReadableAgain(job.document)) return fail('system:storage_full')
  try {
    await parts.folders.make(dirname(job.path))
  } catch (cause) {
    return fail('system:storage_failed', {}, cause)
  }
  const staged = await stageFile(parts, { path: job.path, bytes: pack(job.document) })
  if (!staged.ok) return staged
  const claim = new Int32Array(job.claim)
  if (Atomics.compareExchange(claim, 0, CLAIM.open, CLAIM.publishing) !== CLAIM.open) {
    await discardFile(parts.fs, staged.value.temporary)
    return fail('system:cancelled')
  }
  const published = await publishFile(parts, staged.value, previousGeneration(job.path))
  Atomics.store(claim, 0, published.ok ? CLAIM.published : CLAIM.failed)
  Atomics.notify(claim, 0)
  return published
}

/** Whether what is about to be written keeps to the limits of reading: its entries may do so singly and not together. */
export const isReadableAgain = (document: Uint8Array): boolean => splitRoot(document, LIMITS).ok

async function setAside({ fs, folders }: FileParts, job: SetAsideJob): Promise<Result<void>> {
  try {
    await fs.rename(job.path, job.to)
    await folders.sync(dirname(job.to))
    return ok(undefined)
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    return isMissing ? ok(undefined) : fail('system:storage_failed', {}, cause)
  }
}
