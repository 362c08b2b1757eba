import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createFileJobs, type RecordJobRunner } from '../../lib/storage/index.js'
import { fail, type Result } from '../../lib/core/result.js'

/** Where players' files of the world lie, below the world folder. */
export const PLAYER_FOLDER = 'playerdata'

/** Exit statuses of every command. */
export const EXIT = { fine: 0, finding: 1, usage: 2 } as const

/** The folders that the tools work on, absolute. */
export interface Places {
  readonly data: string
  /** Where `playerdata` lies. */
  readonly world: string
}

/** A command that was used in a way that can't be meant: said on standard error, with exit status 2. */
export class UsageError extends Error {}

export const PLACES_HELP = `  --data <dir>     data folder: what \`dataFolder\` names in the plugin's settings (the world folder)
  --world <dir>    world folder, where playerdata lies (the data folder if that is named, else world/1.21.4)
  --json           one JSON document on standard output
  --help           this text`

/** What is common to the words behind each tool's name. */
export interface ToolWords {
  readonly positionals: readonly string[]
  readonly json: boolean
  readonly help: boolean
  readonly places: () => Promise<Places>
}

/** Decodes the words; throws a `UsageError`. */
export function parseTool(words: readonly string[]): ToolWords {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        world: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const { data, world, json, help } = values
    return { positionals, json, help, places: () => findPlaces(data, world) }
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : 'wrong arguments')
  }
}

async function findPlaces(data?: string, world?: string): Promise<Places> {
  const worldFolder = world ?? data ?? 'world/1.21.4'
  const places = { data: resolve(data ?? worldFolder), world: resolve(worldFolder) }
  for (const folder of new Set([places.data, places.world])) {
    const found = await stat(folder).catch(() => null)
    if (found?.isDirectory() !== true) throw new UsageError(`there is no folder ${folder}`)
  }
  return places
}

/** Runs a job of the storage group. */
export type RunJob = (job: { readonly kind: string }) => Promise<Result<unknown>>

/** Runs them in this thread: a tool has nothing else to do meanwhile. */
export function jobsHere(): RunJob {
  const jobs = createFileJobs()
  return async (job) => jobs.get(job.kind)?.(job) ?? fail('system:internal')
}

export function recordJobsHere(): RecordJobRunner {
  const run = jobsHere()
  return async (job) => ({ result: await run(job), wasStarted: true })
}

/** What went wrong in the words of the log, without the path that is said beside it. */
export function causeText(cause: unknown): string {
  const texts: string[] = []
  for (let at = cause; at !== undefined && at !== null && texts.length < 8;) {
    if (at instanceof Error) {
      if (!at.message.startsWith('/')) texts.push(at.message)
      at = at.cause
    } else if (typeof at === 'object' && 'code' in at) {
      at = 'cause' in at ? at.cause : at.code
    } else {
      texts.push(typeof at === 'string' ? at : 'unknown')
      break
    }
  }
  return texts.length === 0 ? 'the reason is unknown' : texts.join(': ')
}
