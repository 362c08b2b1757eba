import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { readPacks, type PackData, type PackPlaces, type PackWishes } from '../../lib/packs/index.js'
import { zipOf, type ZipEntry } from './zip.js'

/** Contents by path; what is no text or bytes is written as JSON. */
export type PackFiles = Readonly<Record<string, unknown>>

export const GAME_FORMAT = 61
export const WISHES: PackWishes = {
  folders: ['system/system', 'system/system_module'],
  raw: ['advancement', 'recipe', 'loot_table'],
  packFormat: GAME_FORMAT,
}
export const META = { pack: { pack_format: GAME_FORMAT, description: '' } }

const bytesOf = (content: unknown): string | Uint8Array =>
  typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)

/** A place for the packs of one test, removed behind it. */
export async function packPlace(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'packs-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a pack as a folder; a pack.mcmeta of the game's format is added unless there is one or it is null. */
export async function writePack(path: string, files: PackFiles): Promise<string> {
  await mkdir(path, { recursive: true })
  for (const [name, content] of Object.entries({ 'pack.mcmeta': META, ...files })) {
    if (content === null) continue
    const file = join(path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytesOf(content))
  }
  return path
}

/** The same pack as a zip. */
export const zipPack = (files: PackFiles, others: readonly ZipEntry[] = []): Buffer =>
  zipOf([
    ...Object.entries({ 'pack.mcmeta': META, ...files })
      .filter(([, content]) => content !== null)
      .map(([name, content]) => ({ name, content: bytesOf(content) })),
    ...others,
  ])

/** Reads packs given as files, in order, as those of the settings. */
export async function readAll(
  t: Test,
  packs: Readonly<Record<string, PackFiles>>,
  wishes: Partial<PackWishes> = {},
): Promise<PackData> {
  const folder = await packPlace(t)
  const extra: string[] = []
  for (const [name, files] of Object.entries(packs)) extra.push(await writePack(join(folder, name), files))
  return readFrom({ extra }, wishes)
}

/** Reads a pack given as files. */
export const readOne = (t: Test, files: PackFiles, wishes: Partial<PackWishes> = {}): Promise<PackData> =>
  readAll(t, { pack: files }, wishes)

/** Reads a zip. */
export async function readZip(t: Test, zip: Uint8Array): Promise<PackData> {
  const path = join(await packPlace(t), 'pack.zip')
  await writeFile(path, zip)
  return readFrom({ extra: [path] })
}

export const readFrom = (places: Partial<PackPlaces>, wishes: Partial<PackWishes> = {}): Promise<PackData> =>
  readPacks({ builtIn: null, world: null, extra: [], ...places }, { ...WISHES, ...wishes })

/** Ids and texts of a folder kept as text. */
export function rawTexts(data: PackData, folder: string): Record<string, string> {
  const raw = data.raw.get(folder)
  if (raw === undefined) return {}
  // a byte order mark must show
  const text = new TextDecoder('utf-8', { ignoreBOM: true })
  return Object.fromEntries(
    raw.ids.map((id, at) => [id, text.decode(raw.bytes.subarray(raw.ends[at - 1] ?? 0, raw.ends[at]))]),
  )
}

/** Members of a tag, as plain as can be. */
export const tag = (data: PackData, registry: string, id: string): readonly string[] | undefined =>
  (data.tags.get(registry) as ReadonlyMap<string, readonly string[]> | undefined)?.get(id)

/** Values of a folder's entries by id. */
export const values = (data: PackData, folder: string): Record<string, unknown> =>
  Object.fromEntries(
    [...(data.entries.get(folder) ?? [])].map(([id, { json }]) => [id, JSON.parse(json) as unknown]),
  )

/** Sentences of a language, in order. */
export const sentences = (data: PackData, language: string): [string, unknown][] =>
  (data.texts.lang.get(language) ?? []).flatMap((part) => Object.entries(JSON.parse(part) as object))

/** Lists of variants by phrase. */
export const synonyms = (data: PackData, language: string): Record<string, string[]> | undefined =>
  data.texts.synonyms
    .get(language)
    ?.reduce((all, part) => ({ ...all, ...(JSON.parse(part) as Record<string, string[]>) }), {})

/** Problems in a form that reads well. */
export const problems = (data: PackData): string[] =>
  data.problems.map(
    ({ pack, file, pointer, line, column, reason, warning }) =>
      `${warning === true ? 'warning ' : ''}${pack} ${file}${pointer === '' ? '' : `#${pointer}`}${line === null ? '' : `:${line}:${column}`} ${reason}`,
  )

/** Data that may lie beside the project; null: it doesn't. */
export function sharedData(path: string): string | null {
  const found = fileURLToPath(new URL(`../../../../shared/data/${path}`, import.meta.url))
  return existsSync(found) ? found : null
}
