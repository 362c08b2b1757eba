import { dirname } from 'node:path'
import { z } from 'zod'
import { fail, ok, type Result } from '../../core/result.js'
import { errorCode, withFile, type FileSystem, type OpenFile } from './file-system.js'

const NEWLINE = 10

/**
 * Adds whole lines to the end of a file, which becomes `<path>.1` first when it would be larger than `maxBytes` with them
 * (`.1` becomes `.2`, …, so many as `keep` stay). Not synced: lines tell what happened, nothing rests on them.
 * Resolves with nothing, or `system:storage_failed`.
 */
export const appendLinesJobSchema = z.strictObject({
  kind: z.literal('append-lines'),
  path: z.string().min(1),
  text: z.string().min(1),
  maxBytes: z.int().min(1),
  keep: z.int().min(0).max(100),
})
export type AppendLinesJob = z.infer<typeof appendLinesJobSchema>

/** See `appendLinesJobSchema`. Jobs for one file must not run at the same time. */
export async function appendLines(fs: FileSystem, job: AppendLinesJob): Promise<Result<void>> {
  const { path, maxBytes } = job
  const bytes = Buffer.from(job.text)
  try {
    await fs.makeFolder(dirname(path), 0o700)
    let size = await sizeOf(fs, path)
    if (size > 0 && size + bytes.length > maxBytes) {
      await rotate(fs, job)
      size = 0
    }
    // the end of a line may be missing where a process ended in the middle of it
    const isTorn = size > 0 && !(await endsLine(fs, path, size))
    await withFile(fs.open(path, 'a', 0o600), (file) =>
      writeAll(file, isTorn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes, size),
    )
    return ok(undefined)
  } catch (cause) {
    return fail('system:storage_failed', {}, cause)
  }
}

async function rotate(fs: FileSystem, { path, keep }: AppendLinesJob): Promise<void> {
  const older = (number: number): string => (number === 0 ? path : `${path}.${number}`)
  await unless(() => fs.unlink(older(keep)))
  for (let number = keep; number > 0; number -= 1)
    await unless(() => fs.rename(older(number - 1), older(number)))
}

/** Does it, unless there is no such file. */
async function unless(act: () => void | Promise<void>): Promise<void> {
  try {
    await act()
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown
  }
}

async function sizeOf(fs: FileSystem, path: string): Promise<number> {
  try {
    return (await fs.facts(path)).size
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return 0
    throw thrown
  }
}

const endsLine = (fs: FileSystem, path: string, size: number): Promise<boolean> =>
  withFile(fs.open(path, 'r'), async (file) => {
    const last = new Uint8Array(1)
    await file.read(last, 0, size - 1)
    return last[0] === NEWLINE
  })

async function writeAll(file: OpenFile, bytes: Uint8Array, size: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const written = await file.write(bytes, done, size + done)
    if (written === 0) throw new Error('nothing more could be written')
    done += written
  }
}
