import type { NbtRoot } from '../../../../lib/codec/nbt/index.js'
import type { Clock } from '../../../../lib/core/clock.js'
import type { Failure } from '../../../../lib/core/failure.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
import type { OnUnreadable } from '../../../../lib/inventory/index.js'
import {
  previousGeneration,
  type ReadPlayerFileJob,
  type SetAsideJob,
} from '../../../../lib/storage/index.js'
import { readPlayerFile, type PlayerFile } from './document.js'
import type { RunStorageJob } from './session.js'

/** How files are read. */
export interface LoadParts {
  readonly run: RunStorageJob
  readonly clock: Clock
  readonly onUnreadable: OnUnreadable
  /** Told of each damaged file, for the host. */
  readonly report: (sentence: string, failure: Failure) => void
}

/** What was found of a player. */
export interface Loaded {
  /** Null: there is nothing, or nothing that can be read. */
  readonly file: PlayerFile | null
  readonly isReadable: boolean
}

/**
 * Reads a player's file, or the generation before when it is damaged or missing. A damaged file that is passed over is
 * kept under another name. Any failure means that nothing was changed and nobody may log in with it.
 */
export async function loadPlayerFile(path: string, parts: LoadParts): Promise<Result<Loaded>> {
  const current = await readOne(path, parts)
  if (current.ok && current.value !== null) return ok({ file: current.value, isReadable: true })
  if (!current.ok && !isDamage(current.failure)) return current
  const previous = await readOne(previousGeneration(path), parts)
  if (previous.ok && previous.value !== null) {
    if (!current.ok) {
      const aside = await setAside(path, current.failure, parts)
      if (!aside.ok) return aside
    }
    return ok({ file: previous.value, isReadable: true })
  }
  if (!previous.ok && !isDamage(previous.failure)) return previous
  if (current.ok && previous.ok) return ok({ file: null, isReadable: true })
  return startFresh(path, { current, previous }, parts)
}

type Read = Result<PlayerFile | null>

async function startFresh(
  path: string,
  { current, previous }: { current: Read; previous: Read },
  parts: LoadParts,
): Promise<Result<Loaded>> {
  const damaged = [
    { path, read: current },
    { path: previousGeneration(path), read: previous },
  ]
  for (const { path: at, read } of damaged) {
    if (read.ok) continue
    if (parts.onUnreadable === 'refuse') {
      parts.report(`the player file ${at} can't be read; its player may not come in`, read.failure)
      // of a torn file the size it claims is as wrong as all else
      return fail('system:storage_unreadable', {}, read.failure.cause ?? read.failure.code)
    }
    const aside = await setAside(at, read.failure, parts)
    if (!aside.ok) return aside
  }
  return ok({ file: null, isReadable: false })
}

async function readOne(path: string, { run }: LoadParts): Promise<Read> {
  const job: ReadPlayerFileJob = { kind: 'read-player-file', path }
  const read = await run(job)
  if (!read.ok) return read
  // our own thread's answer: its shape is that of the job
  const root = read.value as NbtRoot | null
  return root === null ? ok(null) : readPlayerFile(root)
}

/** What another try won't mend; a newer file isn't damaged. */
const isDamage = ({ code }: Failure): boolean =>
  code === 'system:storage_unreadable' || code === 'system:storage_too_large'

async function setAside(
  path: string,
  reason: Failure,
  { run, clock, report }: LoadParts,
): Promise<Result<unknown>> {
  const to = `${path}_unreadable_${clock.now()}`
  const job: SetAsideJob = { kind: 'set-aside-file', path, to }
  const done = await run(job)
  if (done.ok) report(`the player file ${path} can't be read; it is kept as ${to}`, reason)
  return done
}
