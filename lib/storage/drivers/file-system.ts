import fs from 'node:fs'
import { promisify } from 'node:util'

/** What a call gives: at once where it may wait for the disk, else as a promise. */
type Soon<T> = T | Promise<T>

/** See `renameOver`. */
const HOLDS_REPLACED = process.platform !== 'win32'

/** What is known about a file without reading it. */
export interface FileFacts {
  readonly size: number
  /** Epoch milliseconds. */
  readonly modifiedMs: number
  /** Differs for each content that was put in place as a whole: number of the file, its size, its time. */
  readonly identity: string
}

/** An open file. Every call may throw or reject with a Node error that has a `code`. */
export interface OpenFile {
  /** Writes up to `length` bytes; how many it were. */
  write(bytes: Uint8Array, offset: number, position: number): Soon<number>
  /** Reads into the rest of `bytes` behind `offset`; how many it were, 0 at the end. */
  read(bytes: Uint8Array, offset: number, position: number): Soon<number>
  facts(): Soon<FileFacts>
  /** Resolves when the content would survive a power cut. */
  sync(): Promise<void>
  close(): Soon<void>
}

/**
 * Every file system call of the drivers, so that tests can make each of them fail. Each may throw or reject with a
 * Node error that has a `code`.
 */
export interface FileSystem {
  open(path: string, flags: 'r' | 'wx' | 'a', mode?: number): Soon<OpenFile>
  rename(from: string, to: string): Soon<void>
  /** A second name for the same content. */
  link(existing: string, path: string): Soon<void>
  unlink(path: string): Soon<void>
  /** Makes a folder with those above it; the topmost one that was missing, or undefined when there was none. */
  makeFolder(path: string, mode: number): Soon<string | undefined>
  names(folder: string): Soon<string[]>
  facts(path: string): Soon<FileFacts>
}

const factsOf = ({ ino, size, mtimeNs, mtimeMs }: fs.BigIntStats): FileFacts => ({
  size: Number(size),
  modifiedMs: Number(mtimeMs),
  identity: `${ino}:${size}:${mtimeNs}`,
})

/** A way to make something durable: in this thread, and in libuv's pool. */
interface Sync {
  /** Whether to look first, by a turn of the loop, who else has come: jobs that have arrived have begun by then. */
  readonly looks: boolean
  here(file: number): void
  elsewhere(file: number): Promise<void>
}
/** Of a file that was just written: its bytes and their number, without its times. */
const DATA: Sync = { looks: true, here: fs.fdatasyncSync, elsewhere: promisify(fs.fdatasync) }
/** Of a folder, behind a file: for its names some file systems count as data nothing but its size. */
const ALL: Sync = { looks: false, here: fs.fsyncSync, elsewhere: promisify(fs.fsync) }

/** Syncs of this thread that are asked for or under way. */
let syncs = 0

/**
 * One alone is waited for here, which saves the way to libuv's pool and back (0.05 of 0.65 ms a file); several overlap
 * there, since the disk takes them together.
 */
async function sync(file: number, by: Sync): Promise<void> {
  syncs += 1
  try {
    if (by.looks) await new Promise(setImmediate)
    if (syncs === 1) by.here(file)
    else await by.elsewhere(file)
  } finally {
    syncs -= 1
  }
}

/**
 * The last name of the old content goes with a rename, and to free it takes longer than all the rest of the call (0.06 of
 * 0.5 ms a durable file). Held open for so long, it is freed by libuv's pool beside the folder's sync. Windows wouldn't
 * rename over an open file.
 */
function renameOver(from: string, to: string): void {
  const old = HOLDS_REPLACED ? openExisting(to) : null
  try {
    fs.renameSync(from, to)
  } finally {
    if (old !== null) fs.close(old, () => undefined)
  }
}

/** Null for what can't be opened: the rename itself says what is wrong. */
function openExisting(path: string): number | null {
  try {
    return fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  } catch {
    return null
  }
}

/**
 * For threads that do nothing but files. Calls that don't wait for the disk end in microseconds, and a hop to libuv's
 * pool would take longer than they do (measured: 0.7 instead of 1.1 ms a file).
 */
export const threadFileSystem: FileSystem = {
  open: (path, flags, mode) => threadFile(fs.openSync(path, flags, mode), flags === 'wx' ? DATA : ALL),
  rename: renameOver,
  link: fs.linkSync,
  unlink: fs.unlinkSync,
  makeFolder: (path, mode) => fs.mkdirSync(path, { recursive: true, mode }),
  names: (folder) => fs.readdirSync(folder),
  facts: (path) => factsOf(fs.statSync(path, { bigint: true })),
}

const threadFile = (file: number, how: Sync): OpenFile => ({
  write: (bytes, offset, position) => fs.writeSync(file, bytes, offset, bytes.length - offset, position),
  read: (bytes, offset, position) => fs.readSync(file, bytes, offset, bytes.length - offset, position),
  facts: () => factsOf(fs.fstatSync(file, { bigint: true })),
  sync: () => sync(file, how),
  close: () => fs.closeSync(file),
})

/** For the main thread: nothing blocks. */
export const asyncFileSystem: FileSystem = {
  open: async (path, flags, mode) => asyncFile(await fs.promises.open(path, flags, mode)),
  rename: (from, to) => fs.promises.rename(from, to),
  link: (existing, path) => fs.promises.link(existing, path),
  unlink: (path) => fs.promises.unlink(path),
  makeFolder: (path, mode) => fs.promises.mkdir(path, { recursive: true, mode }),
  names: (folder) => fs.promises.readdir(folder),
  facts: async (path) => factsOf(await fs.promises.stat(path, { bigint: true })),
}

const asyncFile = (file: fs.promises.FileHandle): OpenFile => ({
  write: async (bytes, offset, position) =>
    (await file.write(bytes, offset, bytes.length - offset, position)).bytesWritten,
  read: async (bytes, offset, position) =>
    (await file.read(bytes, offset, bytes.length - offset, position)).bytesRead,
  facts: async () => factsOf(await file.stat({ bigint: true })),
  sync: () => file.sync(),
  close: () => file.close(),
})

/** The code of a file system's error, `''` for anything else that was thrown. */
export function errorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
}

/** Uses an open file and closes it, whatever happens. */
export async function withFile<T>(opening: Soon<OpenFile>, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await opening
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}
