import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { pack } from './gzip.js'
import { isReadableAgain, previousGeneration } from './player-file.js'

/**
 * Writes a player's file on the calling thread: for the process's last moment only, when no other thread may still be
 * writing it. Throws when it can't, or when it could not be read again; then the file is as before.
 */
export function writePlayerFileSync(path: string, document: Uint8Array): void {
  if (!isReadableAgain(document)) throw new Error('a document that could not be read again')
  const temporary = temporaryName(path)
  fs.mkdirSync(dirname(path), { recursive: true })
  const file = fs.openSync(temporary, 'wx')
  try {
    fs.writeFileSync(file, pack(document))
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
  keepPrevious(path)
  fs.renameSync(temporary, path)
  syncFolder(dirname(path))
}

/** The next start sweeps what is called so. */
const temporaryName = (path: string): string => `${path}.${randomBytes(8).toString('hex')}.tmp`

/** A second name for the file so far: at no moment is there none. */
function keepPrevious(path: string): void {
  const temporary = temporaryName(previousGeneration(path))
  if (!fs.existsSync(path)) return
  try {
    fs.linkSync(path, temporary)
  } catch {
    fs.copyFileSync(path, temporary)
  }
  fs.renameSync(temporary, previousGeneration(path))
  // two names of one file: renaming one over the other does nothing, successfully
  fs.rmSync(temporary, { force: true })
}

function syncFolder(folder: string): void {
  // folders can't be opened on Windows
  if (process.platform === 'win32') return
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
