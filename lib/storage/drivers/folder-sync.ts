import { dirname } from 'node:path'
import { errorCode, withFile, type FileSystem } from './file-system.js'

/** Folders can't be opened for syncing on Windows; there a rename is as durable as it gets. */
const CAN_SYNC_FOLDERS = process.platform !== 'win32'
/** Answers of file systems that have no such thing as syncing a folder. */
const NOT_OFFERED = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS'])

/** Makes the names in folders durable. Those who wait for one folder share a sync that began after all of them asked. */
export class FolderSync {
  readonly #fs: FileSystem
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()

  constructor(fs: FileSystem) {
    this.#fs = fs
  }

  /** Resolves when every change of names that was made before this call is durable; rejects when that isn't known. */
  sync(folder: string): Promise<void> {
    const running = this.#running.get(folder)
    if (running === undefined) return this.#begin(folder)
    // the one under way may have begun before the caller's change
    let next = this.#next.get(folder)
    if (next === undefined) {
      const start = (): Promise<void> => {
        this.#next.delete(folder)
        return this.#begin(folder)
      }
      next = running.then(start, start)
      this.#next.set(folder, next)
    }
    return next
  }

  /** Makes a folder with those above it, durably; no failure when it is there. Only its owner may look inside. */
  async make(folder: string): Promise<void> {
    const topmost = await this.#fs.makeFolder(folder, 0o700)
    if (topmost === undefined) return
    // each new folder is a name in the one above it
    for (let made = folder; made.length >= topmost.length; made = dirname(made)) {
      await this.sync(dirname(made))
      if (made === dirname(made)) break
    }
  }

  #begin(folder: string): Promise<void> {
    const mine = this.#syncOnce(folder).finally(() => this.#running.delete(folder))
    this.#running.set(folder, mine)
    return mine
  }

  async #syncOnce(folder: string): Promise<void> {
    if (!CAN_SYNC_FOLDERS) return
    await withFile(this.#fs.open(folder, 'r'), async (file) => {
      try {
        await file.sync()
      } catch (thrown) {
        if (!NOT_OFFERED.has(errorCode(thrown))) throw thrown
      }
    })
  }
}
