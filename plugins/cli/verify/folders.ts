import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '../../../lib/core/ids.js'
import {
  COLLECTIONS,
  LEFT_OVER,
  recordFolder,
  recordIdOf,
  type Collection,
} from '../../../lib/storage/index.js'
import { STAGED } from '../move-plan.js'
import { causeText, PLAYER_FOLDER, type Places } from '../tool.js'
import type { Report } from './report.js'

const PLAYER_FILE = /^(.{36})\.dat(?:_old)?$/
const SET_ASIDE = /^.{36}\.dat(?:_old)?_unreadable_\d+$/

/** What may lie beside the records: other folders of the System's, its lock. */
const SYSTEM_NAMES = new Set(['players', 'chat', 'database', 'quests', 'store.lock', 'store.lock.claim'])

/** Ids of the records that there are. */
export type RecordIds = Readonly<Record<Collection, readonly string[]>>

/** Looks at the names in all folders of the System. */
export async function listRecords({ data }: Places, report: Report): Promise<RecordIds> {
  for (const name of await names(data, 'system', report))
    if (!SYSTEM_NAMES.has(name)) foreign(`system/${name}`, report)
  const ids = {} as Record<Collection, readonly string[]>
  for (const collection of COLLECTIONS) ids[collection] = await listCollection(data, collection, report)
  return ids
}

async function listCollection(
  data: string,
  collection: Collection,
  report: Report,
): Promise<readonly string[]> {
  const folder = recordFolder(collection)
  const ids: string[] = []
  for (const name of await names(data, folder, report)) {
    const file = `${folder}/${name}`
    if (COLLECTIONS.some((other) => recordFolder(other) === file)) continue
    const id = recordIdOf(collection, name)
    if (id === null) odd(name, file, report)
    else if (await isFile(data, file, report)) ids.push(id)
  }
  return ids
}

/** Files below the world folder by uuid. */
export type PlayerFileNames = ReadonlyMap<string, ReadonlySet<string>>

/** Looks at the names among players' files of the world: those that can be read, by the uuid in them. */
export async function listPlayerFiles({ world }: Places, report: Report): Promise<PlayerFileNames> {
  const players = new Map<string, Set<string>>()
  for (const name of await names(world, PLAYER_FOLDER, report)) {
    const file = `${PLAYER_FOLDER}/${name}`
    const id = PLAYER_FILE.exec(name)?.[1]
    if (id !== undefined && isUuid(id)) {
      if (await isFile(world, file, report)) players.set(id, (players.get(id) ?? new Set()).add(file))
    } else if (SET_ASIDE.test(name))
      report.note('set_aside', { file, message: 'could not be read at a login and was kept' })
    else if (isStrange(name)) odd(name, file, report)
    // the folder is the world's: others may keep something there
    else report.note('other_file', { file, message: 'not the file of a player; nobody reads it' })
  }
  return players
}

const INTERRUPTED = 'is left of an interrupted write and goes by itself'
const isStrange = (name: string): boolean => LEFT_OVER.test(name) || STAGED.test(name)

/** A name that is no record's. */
function odd(name: string, file: string, report: Report): void {
  const move = STAGED.exec(name)
  if (LEFT_OVER.test(name)) report.note('left_over', { file, message: INTERRUPTED })
  else if (move !== null)
    report.finding('unfinished_move', {
      file,
      message: `run \`move-player ${move[2]} ${move[1]}\` again`,
    })
  else foreign(file, report)
}

const foreign = (file: string, report: Report): void =>
  report.finding('foreign_name', { file, message: "is none of the System's; nobody reads it" })

async function isFile(root: string, file: string, report: Report): Promise<boolean> {
  const found = await stat(join(root, file)).catch(() => null)
  // opening anything else could wait for ever
  if (found?.isFile() === true) return true
  report.finding('not_a_file', { file, message: 'stands where a file should be' })
  return false
}

async function names(root: string, folder: string, report: Report): Promise<readonly string[]> {
  try {
    return (await readdir(join(root, folder))).sort()
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
    report.finding('unreadable', { file: folder, message: causeText(thrown) })
    return []
  }
}
