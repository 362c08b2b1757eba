/** The storage group's worker with a file system that can end the process at each of its steps, or overwrite files. */
import { readFile, writeFile } from 'node:fs/promises'
import { getEnvironmentData } from 'node:worker_threads'
import { createFileJobs } from '../../../lib/storage/index.js'
import { threadFileSystem, type FileSystem, type OpenFile } from '../../../lib/storage/drivers/file-system.js'
import { serveJob, type JobAnswer } from '../../../lib/pool/index.js'
import type { ServerArgument } from '../messages.js'

const { fault, variant } = getEnvironmentData('crash') as Pick<ServerArgument, 'fault' | 'variant'>
let hits = 0

function pass(point: string): void {
  if (fault?.point !== point) return
  hits += 1
  if (hits === fault.hit) process.kill(process.pid, 'SIGKILL')
}

const watched = (file: OpenFile, isNew: boolean): OpenFile => ({
  ...file,
  write(bytes, offset, position) {
    pass('files.opened')
    // half of it, so that the process can end in the middle
    const half = bytes.subarray(0, offset + Math.ceil((bytes.length - offset) / 2))
    const written = file.write(fault?.point === 'files.written' ? half : bytes, offset, position)
    pass('files.written')
    return written
  },
  async sync() {
    pass(isNew ? 'files.unsynced' : 'files.folder')
    await file.sync()
    pass(isNew ? 'files.synced' : 'files.done')
  },
})

const fileSystem: FileSystem = {
  ...threadFileSystem,
  async open(path, flags, mode) {
    return watched(await threadFileSystem.open(path, flags, mode), flags === 'wx')
  },
  async rename(from, to) {
    pass('files.renaming')
    // wrong on purpose: what a plain write does, the old content gone before the new one is there
    if (variant === 'overwrite') {
      await writeFile(to, await readFile(from))
      await threadFileSystem.unlink(from)
    } else await threadFileSystem.rename(from, to)
    pass('files.renamed')
  },
}

const JOBS = createFileJobs(fileSystem)

/** A job of the storage group. */
export default (job: unknown): Promise<JobAnswer> => serveJob(JOBS, job)
