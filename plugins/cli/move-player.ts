import { readdir, lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../lib/core/clock.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { composeRoot, encodeTree, type NbtRoot } from '../../lib/codec/nbt/index.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import {
  dataHolder,
  FileDriver,
  type ReadPlayerFileJob,
  type SetAsideJob,
  type WriteFileJob,
} from '../../lib/storage/index.js'
import { uuidMembers } from '../squid/shield/playerdata/new-player.js'
import {
  isRefused,
  moveFiles,
  planMove,
  STAGED,
  type MoveFile,
  type MoveStep,
  type Seen,
} from './move-plan.js'
import { causeText, jobsHere, recordJobsHere, type Places, type RunJob } from './tool.js'

/** What is in the way. */
export interface MoveFinding {
  readonly code: 'locked' | 'nothing_to_move' | 'has_data' | 'conflict' | 'other_move' | 'failed'
  readonly file?: string
  readonly message: string
}

/** What became of a move. */
export interface MoveOutcome {
  /** Files that have their new names now, below the data folder or the world folder. */
  readonly moved: readonly string[]
  /** Whether this went on with a move that was interrupted. */
  readonly resumed: boolean
  /** Empty: the move is complete. */
  readonly findings: readonly MoveFinding[]
}

export interface MoveOptions {
  readonly places: Places
  readonly from: PlayerId
  readonly to: PlayerId
  /** Called before each rename with its number; throws to stop there. */
  readonly fault?: (step: number) => void
}

const nothing = (...findings: MoveFinding[]): MoveOutcome => ({ moved: [], resumed: false, findings })

/**
 * Gives all files of a player to another uuid, under the lock of the data folder. Each goes through a name that nobody
 * reads (see `move-plan`), so that an interruption at any moment leaves no player with a part; the same move again goes on
 * from there. What the player used of models stays with the old uuid. Rejects only with what `fault` throws.
 */
export async function movePlayer(options: MoveOptions): Promise<MoveOutcome> {
  const { data } = options.places
  const holder = await dataHolder(data, systemClock)
  if (holder.ok && typeof holder.value === 'object')
    return nothing({
      code: 'locked',
      message: `the data are used ${holder.value.holder}: stop the server first`,
    })
  let isLost = false
  const onLockLost = (): void => void (isLost = true)
  const driver = await FileDriver.open({
    folder: data,
    run: recordJobsHere(),
    clock: systemClock,
    onLockLost,
  })
  if (!driver.ok) {
    const code = driver.failure.code === 'system:storage_locked' ? 'locked' : 'failed'
    return nothing({ code, message: `the data can't be locked: ${causeText(driver.failure.cause)}` })
  }
  try {
    return await moveLocked(options, () => isLost)
  } finally {
    await driver.value.close()
  }
}

async function moveLocked(
  { places, from, to, fault }: MoveOptions,
  isLost: () => boolean,
): Promise<MoveOutcome> {
  const files = moveFiles(places, from, to)
  const others = await otherMoves(files, [from, to])
  if (others.length > 0) return nothing(...others)
  const seen = await Promise.all(files.map(look))
  const plan = planMove(seen)
  if (isRefused(plan)) return nothing(...plan)
  const resumed = seen.some(({ isStaged }) => isStaged)
  const run = jobsHere()
  const arrived = new Set(files.map(({ moved }) => moved))
  const moved: string[] = []
  for (const [number, step] of plan.entries()) {
    fault?.(number)
    const done = isLost() ? LOST : await take(step, to, run)
    const file = step.kind === 'rename' ? step.from : step.file
    if (!done.ok) return { moved, resumed, findings: [interrupted(file, causeText(done.failure.cause))] }
    if (step.kind === 'rename' && arrived.has(step.to)) moved.push(step.to)
  }
  return { moved, resumed, findings: [] }
}

const LOST = fail('system:storage_locked', {}, 'another process took the data')

function take(step: MoveStep, to: PlayerId, run: RunJob): Promise<Result<unknown>> {
  if (step.kind === 'adapt') return adapt(join(step.root, step.file), to, run)
  const { root, from: path, to: next } = step
  const job: SetAsideJob = { kind: 'set-aside-file', path: join(root, path), to: join(root, next) }
  return run(job)
}

/** Puts the uuid into a player file that names one. A file that can't be read or written so goes on as it is. */
async function adapt(path: string, to: PlayerId, run: RunJob): Promise<Result<unknown>> {
  const asked: ReadPlayerFileJob = { kind: 'read-player-file', path }
  const read = await run(asked)
  if (!read.ok) return read.failure.code === 'system:storage_failed' ? read : ok(null)
  // our own job's answer
  const root = read.value as NbtRoot | null
  const parts = new Map(root?.parts)
  let isOther = false
  for (const [name, tree] of Object.entries(uuidMembers(to))) {
    const before = parts.get(name)
    const tag = encodeTree(tree)
    if (before === undefined || !tag.ok || Buffer.compare(before, tag.value) === 0) continue
    parts.set(name, tag.value)
    isOther = true
  }
  if (!isOther) return ok(null)
  const bytes = packed(parts, root?.name)
  if (bytes === null) return ok(null)
  const written: WriteFileJob = { kind: 'write-file', path, bytes }
  return run(written)
}

/** Null for names that others wrote and that can't be written again. */
function packed(parts: ReadonlyMap<string, Uint8Array>, name = ''): Uint8Array | null {
  try {
    return gzipSync(composeRoot(parts, name))
  } catch {
    return null
  }
}

const interrupted = (file: string, reason: string): MoveFinding => ({
  code: 'failed',
  file,
  message: `${reason}. The move is not complete: run the same command again before a server is started`,
})

async function look(file: MoveFile): Promise<Seen> {
  const exists = async (name: string): Promise<boolean> =>
    lstat(join(file.root, name)).then(
      () => true,
      (thrown: unknown) => !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'),
    )
  const [isOld, isStaged, isMoved] = await Promise.all([file.old, file.staged, file.moved].map(exists))
  return { file, isOld: isOld === true, isStaged: isStaged === true, isMoved: isMoved === true }
}

/** Interrupted moves of either player that are not this one. */
async function otherMoves(
  files: readonly MoveFile[],
  [from, to]: readonly [PlayerId, PlayerId],
): Promise<readonly MoveFinding[]> {
  const findings: MoveFinding[] = []
  const folders = new Map(files.map(({ root, old }) => [join(root, dirname(old)), dirname(old)]))
  for (const [folder, shown] of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, target, source] = STAGED.exec(name) ?? []
      if (target === undefined || source === undefined || (source === from && target === to)) continue
      if (![source, target].some((id) => id === from || id === to)) continue
      const message = `belongs to an interrupted move: run \`move-player ${source} ${target}\` first`
      findings.push({ code: 'other_move', file: `${shown}/${name}`, message })
    }
  }
  return findings
}
