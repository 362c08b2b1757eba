import { constants, type Dirent } from 'node:fs'
import { open, opendir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { TimeSlice } from '../core/time-slice.js'
import { PACK_LIMITS } from './limits.js'
import {
  LeftOuts,
  mebibytes,
  systemReason,
  type FileRead,
  type OpenedPack,
  type PackSource,
} from './pack-source.js'
import { count } from './problems.js'

/** A link that came in the meantime isn't followed, a pipe isn't waited for. Windows has neither flag. */
const OPEN_FLAGS =
  constants.O_RDONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0)

/** Opening a file is mostly waiting. */
const READS_AHEAD = 16

/** Lists a folder with all that is below it. Links aren't followed, wherever they lead: no file lies outside then. */
export async function openFolderPack(path: string, slice: TimeSlice): Promise<OpenedPack> {
  const walk = new Walk(path, slice)
  try {
    if (!(await walk.run()))
      return { ok: false, reason: `has more than ${count(PACK_LIMITS.files)} files and folders` }
  } catch (error) {
    return { ok: false, reason: systemReason(error) }
  }
  const source: PackSource = {
    kind: 'folder',
    readsAhead: READS_AHEAD,
    files: walk.files.sort(),
    leftOut: walk.leftOuts.list(),
    read: (file, maxBytes) => readBounded(join(path, file), maxBytes),
    close: () => Promise.resolve(),
  }
  return { ok: true, source }
}

class Walk {
  readonly files: string[] = []
  readonly leftOuts = new LeftOuts()
  readonly #root: string
  readonly #slice: TimeSlice
  #seen = 0
  /** Folders still to be listed, inside of the pack; the pack itself is ''. */
  readonly #open: string[] = ['']

  constructor(root: string, slice: TimeSlice) {
    this.#root = root
    this.#slice = slice
  }

  /** False: there is more than a pack may have. */
  async run(): Promise<boolean> {
    for (let folder = this.#open.pop(); folder !== undefined; folder = this.#open.pop()) {
      try {
        // an iterator closes its folder, also when it is left early
        for await (const entry of await opendir(join(this.#root, folder), { bufferSize: 256 })) {
          this.#seen += 1
          if (this.#seen > PACK_LIMITS.files) return false
          this.#note(folder, entry)
          await this.#slice.pause()
        }
      } catch (error) {
        if (folder === '') throw error
        this.leftOuts.add(folder, systemReason(error))
      }
    }
    return true
  }

  #note(folder: string, entry: Dirent): void {
    // .git and the like
    if (folder === '' && entry.name.startsWith('.')) return
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (path.length > PACK_LIMITS.pathUnits)
      this.leftOuts.add(folder, `holds a path of more than ${PACK_LIMITS.pathUnits} characters`)
    else if (entry.isDirectory()) this.#open.push(path)
    else if (entry.isFile()) this.files.push(path)
    else if (entry.isSymbolicLink()) this.leftOuts.add(path, 'is a link; links in packs are not followed')
    else this.leftOuts.add(path, 'is neither a file nor a folder')
  }
}

async function readBounded(path: string, maxBytes: number): Promise<FileRead> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, OPEN_FLAGS)
    const stats = await handle.stat()
    if (!stats.isFile()) return { ok: false, reason: 'is not a file' }
    if (stats.size > maxBytes) return { ok: false, reason: `is larger than ${mebibytes(maxBytes)}` }
    return await readAll(handle, stats.size)
  } catch (error) {
    return { ok: false, reason: systemReason(error) }
  } finally {
    await handle?.close().catch(() => {})
  }
}

/** No more than the size that was looked at: a file that grows doesn't grow in memory. */
async function readAll(handle: FileHandle, sizeBytes: number): Promise<FileRead> {
  const bytes = new Uint8Array(sizeBytes)
  let length = 0
  while (length < sizeBytes) {
    const { bytesRead } = await handle.read(bytes, length, sizeBytes - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return { ok: true, bytes: bytes.subarray(0, length) }
}
