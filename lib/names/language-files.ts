import { constants } from 'node:fs'
import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isJsonObject, parseJson } from '../core/json.js'
import { fail, ok, type Result } from '../core/result.js'
import { itemNamesIn } from './item-names.js'

/** Larger files are no language files; vanilla's have 0.6 MB at most. */
const MAX_BYTES = 4_194_304
/** Files that are read of a folder; vanilla has some 140 languages. */
const MAX_LANGUAGES = 256
/** File names of languages, in any case. */
const FILE = /^[a-z]{2,4}(?:_[a-z0-9]{2,8})?\.json$/i

const folder = z.string().min(1).max(4_096)
const listJobSchema = z.strictObject({ kind: z.literal('names.list'), folder })
const readJobSchema = z.strictObject({ kind: z.literal('names.read'), folder, file: z.string().regex(FILE) })
export type NamesJob = z.infer<typeof listJobSchema> | z.infer<typeof readJobSchema>

const problems = z.array(z.string().max(400)).max(8)
/** Names of files, in order, or null for a folder that can't be read; problems are for the log. */
export const listAnswerSchema = z.strictObject({
  files: z.array(z.string().max(20)).max(MAX_LANGUAGES).nullable(),
  problems,
})
/**
 * One line an item: its id and its names with tabs between them. One string crosses the threads at the cost of a copy; a
 * map would be taken apart and put together again, some 2 ms a language on the main thread.
 */
export const readAnswerSchema = z.strictObject({ lines: z.string(), problems })

type NamesJobHandler = (job: unknown) => Result<unknown> | Promise<Result<unknown>>

/** The compute group's jobs that read a folder of language files. A file that can't be used is a problem, not a failure. */
export function createNamesJobs(): ReadonlyMap<NamesJob['kind'], NamesJobHandler> {
  return new Map<NamesJob['kind'], NamesJobHandler>([
    [
      'names.list',
      (job) => {
        const parsed = listJobSchema.safeParse(job)
        return parsed.success ? list(parsed.data.folder) : fail('system:protocol')
      },
    ],
    [
      'names.read',
      (job) => {
        const parsed = readJobSchema.safeParse(job)
        return parsed.success ? read(parsed.data) : fail('system:protocol')
      },
    ],
  ])
}

async function list(path: string): Promise<Result<z.infer<typeof listAnswerSchema>>> {
  let all: string[]
  try {
    all = await readdir(path)
  } catch (error) {
    return ok({ files: null, problems: [`the folder can't be read (${codeOf(error)})`] })
  }
  const files = all.filter((name) => FILE.test(name)).sort()
  const left = files.length - MAX_LANGUAGES
  return ok({
    files: files.slice(0, MAX_LANGUAGES),
    problems:
      left > 0 ? [`${left} of ${files.length} files are not read: ${MAX_LANGUAGES} are the most`] : [],
  })
}

async function read(job: z.infer<typeof readJobSchema>): Promise<Result<z.infer<typeof readAnswerSchema>>> {
  const bytes = await readBounded(join(job.folder, job.file))
  const json = typeof bytes === 'string' ? bytes : decode(bytes)
  if (typeof json === 'string') return ok({ lines: '', problems: [`${job.file} is not used: ${json}`] })
  const { names, unused } = itemNamesIn(json)
  return ok({
    lines: Array.from(names, ([id, own]) => [id, ...own].join('\t')).join('\n'),
    problems:
      unused === 0 ? [] : [`names of ${job.file} that are not used (no text, too long, too many): ${unused}`],
  })
}

/** The file's bytes, or why it isn't used. */
async function readBounded(path: string): Promise<Buffer | string> {
  let file: FileHandle | undefined
  try {
    // without waiting: a pipe that nobody writes to would never be open
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const found = await file.stat()
    if (!found.isFile()) return 'not a file'
    if (found.size > MAX_BYTES) return `larger than ${MAX_BYTES} bytes`
    const bytes = Buffer.alloc(found.size)
    for (let length = 0; length < bytes.length;) {
      const { bytesRead } = await file.read(bytes, length)
      if (bytesRead === 0) return 'it changed while it was read'
      length += bytesRead
    }
    return bytes
  } catch (error) {
    return codeOf(error)
  } finally {
    await file?.close()
  }
}

/** The sentences of a language file, or why it is none. */
function decode(bytes: Buffer): Record<string, unknown> | string {
  let text: string
  try {
    // takes a byte order mark away
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return 'not UTF-8 text'
  }
  const json = parseJson(text)
  if (json === undefined) return 'not valid JSON'
  return isJsonObject(json) ? json : 'not a JSON object'
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unreadable'
