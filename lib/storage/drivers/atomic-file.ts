import { randomBytes } from 'node:crypto'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join, basename } from 'node:path'
import { fail, ok, type Result } from '../../core/result.js'

/** Directories can't be opened for syncing on Windows; there a rename is as durable as it gets. */
const CAN_SYNC_FOLDERS = process.platform !== 'win32'

/**
 * Replaces a file as a whole: written beside it as `<name>.<random>.tmp`, synced, renamed over it, folder synced.
 * Success means that the new content survives a power cut; after `system:storage_failed` the old content is still
 * there, unless only the last step (the folder's sync) failed. The folder must exist. There is no plain overwrite.
 */
export async function writeFileAtomic(path: string, bytes: Uint8Array): Promise<Result<void>> {
  const folder = dirname(path)
  const temporary = join(folder, `${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    await writeSynced(temporary, bytes)
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    return fail('system:storage_failed', {}, cause)
  }
  try {
    if (CAN_SYNC_FOLDERS) await withFile(folder, 'r', (handle) => handle.sync())
    return ok(undefined)
  } catch (cause) {
    return fail('system:storage_failed', {}, cause)
  }
}

/**
 * Reads a file; null when there is none. `system:storage_too_large` above `maxBytes`, found without reading more
 * than one byte beyond it; `system:storage_failed` for everything else that goes wrong.
 */
export async function readFileBounded(path: string, maxBytes: number): Promise<Result<Uint8Array | null>> {
  try {
    return await withFile(path, 'r', (handle) => readBounded(handle, maxBytes))
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    return isMissing ? ok(null) : fail('system:storage_failed', {}, cause)
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  // `wx`: a name that exists is somebody else's
  await withFile(path, 'wx', async (handle) => {
    await handle.writeFile(bytes)
    await handle.sync()
  })
}

async function readBounded(handle: FileHandle, maxBytes: number): Promise<Result<Uint8Array>> {
  const { size } = await handle.stat()
  if (size > maxBytes) return fail('system:storage_too_large')
  // one byte more than expected: shows a file that grows meanwhile, and an end that comes early
  let buffer = new Uint8Array(size + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
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

async function withFile<T>(path: string, flags: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, flags)
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}
