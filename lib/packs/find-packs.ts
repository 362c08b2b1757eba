import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PACK_LIMITS } from './limits.js'
import { systemReason } from './pack-source.js'
import { quoted, type Problems } from './problems.js'

/** Where packs lie, in order of loading. Paths are absolute. */
export interface PackPlaces {
  /** Folder of the packs that come with the System; null: none. */
  readonly builtIn: string | null
  /** The world's `datapacks` folder, which need not exist; null: none. */
  readonly world: string | null
  /** Packs of the settings, each a folder or a `.zip`. */
  readonly extra: readonly string[]
}

/** A pack that was found. */
export interface FoundPack {
  readonly name: string
  readonly kind: 'folder' | 'zip'
  readonly path: string
  /** Why it can't be a pack; null: it may be one. */
  readonly refused: string | null
}

type Unnamed = Omit<FoundPack, 'name'>

const isZip = (path: string): boolean => path.toLowerCase().endsWith('.zip')

/** Finds the packs in order of loading. What can't be read is a problem, a folder of packs that isn't there is none. */
export async function findPacks(places: PackPlaces, problems: Problems): Promise<FoundPack[]> {
  const found: Unnamed[] = []
  for (const folder of [places.builtIn, places.world])
    if (folder !== null) found.push(...(await packsIn(folder, problems)))
  for (const path of places.extra.slice(0, PACK_LIMITS.packs)) found.push(await packAt(path))
  const left = found.length + Math.max(0, places.extra.length - PACK_LIMITS.packs) - PACK_LIMITS.packs
  if (left > 0) {
    const reason = `more than ${PACK_LIMITS.packs} packs; the last ${left} are left out`
    problems.add({ pack: '', file: '', reason })
  }
  return withNames(found.slice(0, PACK_LIMITS.packs))
}

/** A second pack of the same name gets a number: problems name packs, and places are looked up by name. */
function withNames(found: readonly Unnamed[]): FoundPack[] {
  const taken = new Set<string>()
  return found.map((pack) => {
    const plain = quoted(basename(pack.path))
    let name = plain
    for (let number = 2; taken.has(name); number += 1) name = `${plain} (${number})`
    taken.add(name)
    return { ...pack, name }
  })
}

async function packsIn(folder: string, problems: Problems): Promise<Unnamed[]> {
  let entries: Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    problems.add({
      pack: '',
      file: '',
      reason: `the folder of packs "${quoted(basename(folder))}" ${systemReason(error)}`,
    })
    return []
  }
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => packOf(folder, entry))
}

/** Files that are no zip lie beside packs for other reasons. */
function packOf(folder: string, entry: Dirent): Unnamed[] {
  const path = join(folder, entry.name)
  const kind = isZip(entry.name) ? 'zip' : 'folder'
  if (entry.isDirectory()) return [{ kind: 'folder', path, refused: null }]
  if (entry.isSymbolicLink())
    return [{ kind, path, refused: 'is a link; name the place it leads to in the settings instead' }]
  if (kind === 'folder') return []
  return [{ kind, path, refused: entry.isFile() ? null : 'is neither a file nor a folder' }]
}

/** A link that a host names is followed. */
async function packAt(path: string): Promise<Unnamed> {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) return { kind: 'folder', path, refused: null }
    const isPack = stats.isFile() && isZip(path)
    return { kind: 'zip', path, refused: isPack ? null : 'is neither a folder nor a .zip file' }
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return {
      kind: isZip(path) ? 'zip' : 'folder',
      path,
      refused: isGone ? 'is not there' : systemReason(error),
    }
  }
}
