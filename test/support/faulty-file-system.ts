import type { Clock } from '../../lib/core/clock.js'
import { threadFileSystem, type FileSystem, type OpenFile } from '../../lib/storage/drivers/file-system.js'

/** A fault: calls of that name fail with the code, from the nth on (0 is the first), so many times. */
export interface Fault {
  readonly call: string
  readonly nth: number
  /** An error's code, or `short` for writes that take one byte, `nothing` for those that take none. */
  readonly code: string
  readonly times: number
}

/** The file system, with every call counted by its name and one kind of fault at a time. */
export class FaultyFileSystem implements FileSystem {
  /** Names of the calls since `arm`, in their order. */
  readonly calls: string[] = []
  #fault: Fault | null = null
  #left = 0

  /** Forgets the calls so far; null: nothing fails. */
  arm(fault: Fault | null): void {
    this.calls.length = 0
    this.#fault = fault
    this.#left = fault?.times ?? 0
  }

  open(path: string, flags: 'r' | 'wx' | 'a', mode?: number): OpenFile {
    this.#call(`open ${flags}`)
    const file = threadFileSystem.open(path, flags, mode) as OpenFile
    return {
      write: (bytes, offset, position) => {
        const short = this.#call('write')
        const end = short === 'short' ? offset + 1 : bytes.length
        return short === 'nothing' ? 0 : file.write(bytes.subarray(0, end), offset, position)
      },
      read: (bytes, offset, position) => {
        this.#call('read')
        return file.read(bytes, offset, position)
      },
      facts: () => {
        this.#call('fstat')
        return file.facts()
      },
      sync: async () => {
        this.#call('sync')
        await file.sync()
      },
      close: async () => {
        // closed all the same: a test has not so many files
        await file.close()
        this.#call('close')
      },
    }
  }

  rename(from: string, to: string) {
    this.#call('rename')
    return threadFileSystem.rename(from, to)
  }

  link(existing: string, path: string) {
    this.#call('link')
    return threadFileSystem.link(existing, path)
  }

  unlink(path: string) {
    this.#call('unlink')
    return threadFileSystem.unlink(path)
  }

  makeFolder(path: string, mode: number) {
    this.#call('mkdir')
    return threadFileSystem.makeFolder(path, mode)
  }

  names(folder: string) {
    this.#call('readdir')
    return threadFileSystem.names(folder)
  }

  facts(path: string) {
    this.#call('stat')
    return threadFileSystem.facts(path)
  }

  #call(name: string): string | null {
    const nth = this.calls.filter((call) => call === name).length
    this.calls.push(name)
    const fault = this.#fault
    if (fault?.call !== name || nth < fault.nth || this.#left <= 0) return null
    this.#left -= 1
    if (fault.code === 'short' || fault.code === 'nothing') return fault.code
    throw Object.assign(new Error(`${fault.code}: injected into ${name}`), { code: fault.code })
  }
}

/** A clock whose waits are over at once. */
export const hastyClock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  after(_delayMs, fn) {
    queueMicrotask(fn)
    return () => {}
  },
  every: () => () => {},
}

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EPERM']
const TIMES = [1, 2, Infinity]
/** No matter how often. */
const FOR_GOOD = ['EBUSY', 'EXDEV', 'ENOTSUP']

/** Every fault at every call that `calls` names. */
export function faultsAt(calls: readonly string[]): Fault[] {
  const counts = new Map<string, number>()
  return calls.flatMap((call) => {
    const nth = counts.get(call) ?? 0
    counts.set(call, nth + 1)
    const codes = call === 'write' ? [...CODES, 'short', 'nothing'] : CODES
    return [
      ...codes.flatMap((code) => TIMES.map((times) => ({ call, nth, code, times }))),
      ...FOR_GOOD.map((code) => ({ call, nth, code, times: Infinity })),
    ]
  })
}
