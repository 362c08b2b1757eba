import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import type { Clock } from '../../core/clock.js'
import { fail, ok, type Result } from '../../core/result.js'
import { errorCode, withFile, type FileFacts, type FileSystem, type OpenFile } from './file-system.js'
import type { FolderSync } from './folder-sync.js'

/** A scanner of viruses or a backup holds a file for moments: repeated after so many milliseconds each. */
const RETRY_AFTER_MS = [10, 30, 90, 270, 600]
const HELD_BY_OTHERS = new Set(['EPERM', 'EBUSY'])
/** A file system without second names for a file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EOPNOTSUPP', 'UNKNOWN'])
/** What is left of an interrupted write: nobody else's files are called so. */
export const LEFT_OVER = /.\.[0-9a-f]{16}\.tmp$/

/** What the writing of files stands on. */
export interface FileParts {
  readonly fs: FileSystem
  readonly folders: FolderSync
  readonly clock: Clock
}

/** New content of a file. */
export interface FileWrite {
  readonly path: string
  readonly bytes: Uint8Array
  /** Access bits of the new file, before the process's mask; 0o666 when absent. */
  readonly mode?: number
}

/** New content that lies complete and synced beside its file, waiting to be put in its place. */
export interface StagedFile {
  readonly path: string
  readonly temporary: string
  /** Of the new content, before and after it is in place. */
  readonly facts: FileFacts
}

/**
 * Replaces a file as a whole: written beside it as `<name>.<16 hex digits>.tmp`, synced, renamed over it, folder
 * synced. Success means that the new content survives a power cut. `system:storage_failed`: the old content is still
 * there. `system:storage_unknown`: the new content is in place, but perhaps not for good. The folder must exist. There
 * is no plain overwrite: a file system that can't rename over a file is refused.
 */
export async function writeFileAtomic(parts: FileParts, write: FileWrite): Promise<Result<void>> {
  const staged = await stageFile(parts, write)
  return staged.ok ? publishFile(parts, staged.value) : staged
}

/** The first half of a replacement: after it only renaming and the folder's sync are left. Nothing remains of a failed one. */
export async function stageFile(
  { fs }: FileParts,
  { path, bytes, mode = 0o666 }: FileWrite,
): Promise<Result<StagedFile>> {
  const temporary = temporaryName(path)
  try {
    // `wx`: a name that exists is somebody else's
    const facts = await withFile(fs.open(temporary, 'wx', mode), async (file) => {
      await writeWhole(file, bytes)
      await file.sync()
      return file.facts()
    })
    return ok({ path, temporary, facts })
  } catch (cause) {
    await discardFile(fs, temporary)
    return fail('system:storage_failed', {}, cause)
  }
}

/**
 * The second half, with the outcomes of `writeFileAtomic`. With `keepPrevious`, a path in the same folder, the content
 * so far gets that name first, as a second name of the same file: at no moment is the file absent, and what is kept there
 * is the generation before or the present one. When it can't be kept, nothing is replaced.
 */
export async function publishFile(
  parts: FileParts,
  { path, temporary }: StagedFile,
  keepPrevious?: string,
): Promise<Result<void>> {
  try {
    if (keepPrevious !== undefined) await keep(parts, path, keepPrevious)
    await renameOver(parts, temporary, path)
  } catch (cause) {
    const isGone = (await discardFile(parts.fs, temporary)) === 'ENOENT'
    // some file systems report a failure of a rename that was done
    return fail(isGone ? 'system:storage_unknown' : 'system:storage_failed', {}, cause)
  }
  try {
    await parts.folders.sync(dirname(path))
    return ok(undefined)
  } catch (cause) {
    return fail('system:storage_unknown', {}, cause)
  }
}

/** Removes a temporary file; the code of the error when that fails, `''` when it is gone. */
export async function discardFile(fs: FileSystem, temporary: string): Promise<string> {
  try {
    await fs.unlink(temporary)
    return ''
  } catch (thrown) {
    return errorCode(thrown)
  }
}

/** Removes what interrupted writes left in a folder of ours that nobody writes to now; no folder is no failure. */
export async function sweepFolder({ fs }: FileParts, folder: string): Promise<Result<number>> {
  try {
    const leftOver = (await fs.names(folder)).filter((name) => LEFT_OVER.test(name))
    let removed = 0
    // one that can't be removed is in nobody's way
    for (const name of leftOver) if ((await discardFile(fs, `${folder}/${name}`)) === '') removed += 1
    return ok(removed)
  } catch (cause) {
    return errorCode(cause) === 'ENOENT' ? ok(0) : fail('system:storage_failed', {}, cause)
  }
}

/** Of this thread, so that no two make the same name; asking for chance at each file would take 30 µs. */
const OWN_HEX = randomBytes(4).toString('hex')
let temporaryFiles = 0

function temporaryName(path: string): string {
  temporaryFiles = (temporaryFiles + 1) >>> 0
  return `${path}.${OWN_HEX}${temporaryFiles.toString(16).padStart(8, '0')}.tmp`
}

async function writeWhole(file: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const written = await file.write(bytes, done, done)
    if (written <= 0) throw new Error(`only ${done} of ${bytes.length} bytes were written`)
    done += written
  }
}

async function renameOver({ fs, clock }: FileParts, from: string, to: string): Promise<void> {
  for (const waitMs of [...RETRY_AFTER_MS, null]) {
    try {
      return await fs.rename(from, to)
    } catch (thrown) {
      if (waitMs === null || !HELD_BY_OTHERS.has(errorCode(thrown))) throw thrown
      await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    }
  }
}

async function keep(parts: FileParts, path: string, previous: string): Promise<void> {
  const { fs } = parts
  const temporary = temporaryName(previous)
  try {
    await fs.link(path, temporary)
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return
    if (!NO_LINKS.has(errorCode(thrown))) throw thrown
    await copyFile(fs, path, temporary)
  }
  try {
    await renameOver(parts, temporary, previous)
  } finally {
    // two names of one file: renaming one over the other does nothing, successfully
    await discardFile(fs, temporary)
  }
}

async function copyFile(fs: FileSystem, from: string, to: string): Promise<void> {
  const bytes = await withFile(fs.open(from, 'r'), (file) => readBounded(file, Number.MAX_SAFE_INTEGER))
  if (!bytes.ok) throw new Error('the previous generation cannot be read')
  await withFile(fs.open(to, 'wx'), async (file) => {
    await writeWhole(file, bytes.value)
    await file.sync()
  })
}

/** A file's bytes with what identifies them. */
export interface FileContent {
  readonly bytes: Uint8Array
  readonly facts: FileFacts
}

/**
 * Reads a file; null when there is none. `system:storage_too_large` above `maxBytes`, found without reading more
 * than one byte beyond it; `system:storage_failed` for everything else that goes wrong.
 */
export async function readFileBounded(
  fs: FileSystem,
  path: string,
  maxBytes: number,
): Promise<Result<FileContent | null>> {
  try {
    return await withFile(fs.open(path, 'r'), async (file) => {
      const facts = await file.facts()
      const bytes = await readBounded(file, maxBytes)
      return bytes.ok ? ok({ bytes: bytes.value, facts }) : bytes
    })
  } catch (cause) {
    return errorCode(cause) === 'ENOENT' ? ok(null) : fail('system:storage_failed', {}, cause)
  }
}

async function readBounded(file: OpenFile, maxBytes: number): Promise<Result<Uint8Array>> {
  const { size } = await file.facts()
  if (size > maxBytes) return fail('system:storage_too_large')
  // one byte more than expected: shows a file that grows meanwhile, and an end that comes early
  let buffer = new Uint8Array(size + 1)
  let length = 0
  for (;;) {
    const bytesRead = await file.read(buffer, length, length)
    length += bytesRead
    if (bytesRead === 0) return ok(buffer.slice(0, length))
    if (length > maxBytes) return fail('system:storage_too_large')
    if (length === buffer.length) {
      const larger = new Uint8Array(Math.min(maxBytes + 1, buffer.length * 2))
      larger.set(buffer)
      buffer = larger
    }
  }
}
