import type { z } from 'zod'
import { isIdentifier, type Identifier } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import type { Result } from '../core/result.js'
import { inSlices } from '../core/slices.js'
import type { ItemNames, LanguageNames } from './item-names.js'
import { listAnswerSchema, readAnswerSchema, type NamesJob } from './language-files.js'

export interface LanguageFolderParts {
  readonly folder: string
  /** Runs a job in the compute group. */
  readonly run: (job: NamesJob) => Promise<Result<unknown>>
  readonly logger: Logger
}

/**
 * The item names in a folder of vanilla language files (`<folder>/zh_cn.json`), read in the compute group, one language
 * after the other. What can't be used has one line in the log and is left out. Null when the folder can't be read or the
 * group gives no answer. Never rejects.
 */
export async function readLanguageFolder(parts: LanguageFolderParts): Promise<LanguageNames | null> {
  const { folder } = parts
  const names = new Map<string, ItemNames>()
  const listed = await ask(parts, { kind: 'names.list', folder }, listAnswerSchema)
  if (listed === undefined || listed.files === null) return null
  for (const file of listed.files) {
    const read = await ask(parts, { kind: 'names.read', folder, file }, readAnswerSchema)
    if (read === undefined) return null
    const language = file.slice(0, -'.json'.length).toLowerCase()
    const own = await inSlices(namesOf(read.lines))
    if (own !== undefined && own.size > 0 && !names.has(language)) names.set(language, own)
  }
  return names
}

/** What the job answers, its problems in the log; undefined, with one line there, when there is no answer. */
async function ask<T extends { readonly problems: readonly string[] }>(
  { folder, run, logger }: LanguageFolderParts,
  job: NamesJob,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const result = await run(job)
  const answer = result.ok ? schema.safeParse(result.value) : undefined
  for (const problem of answer?.data?.problems ?? []) logger.warn(`language folder ${folder}: ${problem}`)
  if (answer?.success === true) return answer.data
  const code = result.ok ? 'system:protocol' : result.failure.code
  // the server is closed meanwhile
  if (code !== 'system:stopping') logger.warn(`language folder ${folder}: ${job.kind} ended with ${code}`)
  return undefined
}

/** Lines between two steps of the work. */
const STEP = 64

function* namesOf(lines: string): Generator<void, ItemNames> {
  const names = new Map<Identifier, readonly string[]>()
  let count = 0
  for (let from = 0; from < lines.length; count += 1) {
    const found = lines.indexOf('\n', from)
    const end = found < 0 ? lines.length : found
    const [id = '', ...own] = lines.slice(from, end).split('\t')
    if (isIdentifier(id)) names.set(id, own)
    from = end + 1
    if (count % STEP === 0) yield
  }
  return names
}
