import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's own folder: two levels above this file in `dist/` and in a test build alike. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Folder of the packs that are ours. */
export const SHIPPED_PACKS = join(PACKAGE_ROOT, 'datapacks')

/**
 * What the package ships as data, beneath all packs: whatever a host's pack breaks, these texts remain. Values of JSON
 * files are undecoded.
 */
export interface ShippedData {
  /** Language files by language, such as `en_us`. */
  readonly languages: ReadonlyMap<string, unknown>
  /** Synonym lists by language. */
  readonly synonyms: ReadonlyMap<string, unknown>
  /** Prompt texts by name, such as `react`. */
  readonly prompts: ReadonlyMap<string, string>
}

/** Reads the shipped data. Rejects when the installation is incomplete: the System can't work without its texts. */
export async function readShippedData(): Promise<ShippedData> {
  const pack = join(SHIPPED_PACKS, 'default', 'data', 'system')
  const [languages, synonyms, prompts] = await Promise.all([
    readFolder(join(pack, 'lang'), '.json'),
    readFolder(join(pack, 'system', 'synonyms'), '.json'),
    readFolder(join(PACKAGE_ROOT, 'prompts'), '.txt'),
  ])
  return { languages: parseAll(languages), synonyms: parseAll(synonyms), prompts }
}

async function readFolder(folder: string, ending: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return new Map(names.map((name, at) => [basename(name, ending), texts[at] ?? '']))
}

const parseAll = (texts: ReadonlyMap<string, string>): Map<string, unknown> =>
  new Map([...texts].map(([name, text]) => [name, JSON.parse(text) as unknown]))
