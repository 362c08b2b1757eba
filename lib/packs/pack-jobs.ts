import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { isIdentifier, type Identifier } from '../core/ids.js'
import { parseJson, type Json } from '../core/json.js'
import { ok, type Result } from '../core/result.js'
import {
  EMPTY_PACK_DATA,
  type PackData,
  type PackEntry,
  type PackProblem,
  type ReadPack,
} from './pack-data.js'

interface Job {
  readonly builtIn: string
  readonly world: string | null
  readonly extra: readonly string[]
  readonly folders: readonly string[]
}

/** STAND-IN until lib/packs is there: plain folders, no tags, no filters. */
export const packJobs: ReadonlyMap<string, (job: unknown) => Promise<Result<unknown>>> = new Map<
  string,
  (job: unknown) => Promise<Result<unknown>>
>([
  ['read-packs', async (job: unknown) => ok(await read(job as Job))],
  [
    'locate',
    async (job: unknown) => ok((job as { places: unknown[] }).places.map(() => ({ line: 1, column: 1 }))),
  ],
])

async function read(job: Job): Promise<PackData> {
  const entries = new Map<string, Map<Identifier, PackEntry>>(
    job.folders.map((folder) => [folder, new Map()]),
  )
  const packs: ReadPack[] = []
  const problems: PackProblem[] = []
  const lang = new Map<string, Record<string, string>>()
  const synonyms = new Map<string, unknown>()
  const prompts = new Map<string, string>()
  const list = async (folder: string): Promise<string[]> =>
    (await readdir(folder).catch(() => [])).sort().map((name) => join(folder, name))
  const folders = [
    ...(await list(job.builtIn)),
    ...(job.world === null ? [] : await list(job.world)),
    ...job.extra,
  ]
  for (const folder of folders) {
    const pack = basename(folder)
    const meta = parseJson(await readFile(join(folder, 'pack.mcmeta'), 'utf8').catch(() => ''))
    const refused = meta === undefined ? 'it has no pack.mcmeta that can be read' : null
    packs.push({ name: pack, kind: 'folder', format: 61, refused })
    if (refused !== null) continue
    const names = await readdir(join(folder, 'data'), { recursive: true }).catch(() => [])
    for (const name of names.sort()) {
      const file = relative(folder, join(folder, 'data', name))
      const [, namespace = '', ...rest] = file.split('/')
      const inside = rest.join('/')
      const text = await readFile(join(folder, file), 'utf8').catch(() => null)
      if (text === null) continue
      if (inside.startsWith('system/prompts/')) {
        const prompt = basename(inside, '.txt')
        prompts.set(namespace === 'system' ? prompt : `${namespace}:${prompt}`, text)
        continue
      }
      const value = parseJson(text)
      if (value === undefined) {
        problems.push({ pack, file, pointer: '', line: 1, column: 1, reason: 'is not JSON' })
        continue
      }
      const language = basename(inside, '.json')
      if (inside.startsWith('lang/'))
        lang.set(language, { ...lang.get(language), ...(value as Record<string, string>) })
      if (inside.startsWith('system/synonyms/')) synonyms.set(language, value)
      for (const [kind, found] of entries) {
        const id = `${namespace}:${inside.slice(kind.length + 1, -5)}`
        if (inside.startsWith(`${kind}/`) && isIdentifier(id))
          found.set(id, { value: value as Json, pack, file })
      }
    }
  }
  return { ...EMPTY_PACK_DATA, packs, entries, texts: { lang, synonyms, prompts }, problems }
}
