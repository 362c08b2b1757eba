import type { PlayerId } from '../../lib/core/ids.js'
import { previousGeneration, recordFolder } from '../../lib/storage/index.js'
import { PLAYER_FOLDER, type Places } from './tool.js'

/**
 * A file on its way from one player to another: nobody reads it under this name, so an interrupted move leaves nothing
 * that lives for either of them in part. Names the new player first, then the old one.
 */
export const STAGED = /^([0-9a-f-]{36})\.dat(?:_old)?\.from-([0-9a-f-]{36})\.move$/

/** One file of a player with its three names. */
export interface MoveFile {
  /** Below its root, as messages say it. */
  readonly old: string
  readonly staged: string
  readonly moved: string
  /** The folder that these are below. */
  readonly root: string
  /** Whether the player's uuid stands in it too. */
  readonly namesPlayer: boolean
}

/** Which of its names a file has. */
export interface Seen {
  readonly file: MoveFile
  readonly isOld: boolean
  readonly isStaged: boolean
  readonly isMoved: boolean
}

/** One atomic change; doing it again changes nothing more. */
export type MoveStep =
  | { readonly kind: 'rename'; readonly root: string; readonly from: string; readonly to: string }
  | { readonly kind: 'adapt'; readonly root: string; readonly file: string }

/** Why nothing is moved. */
export interface MoveRefusal {
  readonly code: 'nothing_to_move' | 'has_data' | 'conflict'
  readonly file?: string
  readonly message: string
}

/**
 * The files of a move in the order in which they are set on their way; they arrive in the opposite one. So the player's
 * file leaves after the business record and is there before it: whoever logs in over an interrupted move, which the
 * command warns of, has marks without a store, which delivers nothing twice, and conversations never wait without the
 * record that counts them. The generation before is never alone, or it would pass for the player's file.
 */
export function moveFiles({ data, world }: Places, from: PlayerId, to: PlayerId): readonly MoveFile[] {
  const named = (root: string, folder: string, nameOf: (id: PlayerId) => string): MoveFile => ({
    root,
    old: `${folder}/${nameOf(from)}`,
    staged: `${folder}/${nameOf(to)}.from-${from}.move`,
    moved: `${folder}/${nameOf(to)}`,
    namesPlayer: root === world && folder === PLAYER_FOLDER,
  })
  const record = (id: PlayerId): string => `${id}.dat`
  return [
    ...(['chats', 'databases', 'players'] as const).map((collection) =>
      named(data, recordFolder(collection), record),
    ),
    named(world, PLAYER_FOLDER, (id) => previousGeneration(record(id))),
    named(world, PLAYER_FOLDER, record),
  ]
}

/** The steps that are left to do, or why there are none. A move that was begun is gone on with. */
export function planMove(seen: readonly Seen[]): readonly MoveStep[] | readonly MoveRefusal[] {
  const refusals = seen.some(({ isStaged }) => isStaged) ? conflicts(seen) : obstacles(seen)
  if (refusals.length > 0) return refusals
  const leaving = seen.filter(({ isOld }) => isOld)
  const arriving = seen.filter(({ isOld, isStaged }) => isOld || isStaged).reverse()
  return [
    ...leaving.map(({ file: { root, old, staged } }) => rename(root, old, staged)),
    ...arriving.flatMap(({ file: { root, staged, moved, namesPlayer } }): readonly MoveStep[] => [
      ...(namesPlayer ? [{ kind: 'adapt', root, file: staged } as const] : []),
      rename(root, staged, moved),
    ]),
  ]
}

const rename = (root: string, from: string, to: string): MoveStep => ({ kind: 'rename', root, from, to })

export const isRefused = (
  plan: readonly MoveStep[] | readonly MoveRefusal[],
): plan is readonly MoveRefusal[] => plan[0] !== undefined && 'code' in plan[0]

/** Before a move has begun. */
function obstacles(seen: readonly Seen[]): readonly MoveRefusal[] {
  const taken = seen.filter(({ isMoved }) => isMoved)
  if (!seen.some(({ isOld }) => isOld)) {
    const message = `there are no data of the old uuid${taken.length > 0 ? '; the new one has some' : ''}`
    return [{ code: 'nothing_to_move', message }]
  }
  return taken.map(({ file: { moved } }) => ({
    code: 'has_data',
    file: moved,
    message: 'the new uuid has data already',
  }))
}

/** After an interruption: somebody may have played on with what was there. */
function conflicts(seen: readonly Seen[]): readonly MoveRefusal[] {
  const hasOld = seen.some(({ isOld }) => isOld)
  const hasMoved = seen.some(({ isMoved }) => isMoved)
  return seen.flatMap(({ file, isOld, isStaged, isMoved }) => {
    const isTwice = Number(isOld) + Number(isStaged) + Number(isMoved) > 1
    if (!isTwice && !(isOld && hasMoved) && !(isMoved && hasOld)) return []
    const message = `was made since the move was interrupted; keep one of it and ${file.staged}`
    return [{ code: 'conflict', file: isOld ? file.old : file.moved, message }]
  })
}
