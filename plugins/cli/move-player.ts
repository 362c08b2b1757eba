import { readdir, lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { systemClock } from '../../lib/core/clock.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { dataHolder, FileDriver, type SetAsideJob } from '../../lib/storage/index.js'
import { isRefused, moveFiles, planMove, STAGED, type MoveFile, type Seen } from './move-plan.js'
import { causeText, jobsHere, recordJobsHere, type Places } from './tool.js'

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
  for (const [number, { root, from: path, to: next }] of plan.entries()) {
    fault?.(number)
    if (isLost()) return { moved, resumed, findings: [interrupted(path, 'another process took the data')] }
    const job: SetAsideJob = { kind: 'set-aside-file', path: join(root, path), to: join(root, next) }
    const done = await run(job)
    if (!done.ok) return { moved, resumed, findings: [interrupted(path, causeText(done.failure.cause))] }
    if (arrived.has(next)) moved.push(next)
  }
  return { moved, resumed, findings: [] }
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
