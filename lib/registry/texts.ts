import { utf8Bytes } from '../core/json.js'
import { synonymsSchema, type Synonyms } from '../lexical/index.js'
import { PACK_LIMITS, type PackData } from '../packs/index.js'
import { catalogueProblem } from '../text/index.js'
import type { ContentParts } from './content.js'
import type { Decoding } from './decoding.js'
import { faultOf, pointerOf } from './reasons.js'

/** Of one prompt. */
export const MAX_PROMPT_BYTES = PACK_LIMITS.promptBytes

/** The index of local routing takes no more. */
const MAX_TABLES = 48
const MAX_PHRASES = 4_096
const tableSchema = synonymsSchema.refine(
  (table) => Object.keys(table).length <= MAX_PHRASES,
  `has more than ${MAX_PHRASES} phrases`,
)
const TOO_MANY = { path: [], reason: `is one language more than the ${MAX_TABLES} that synonyms may have` }

type Texts = Pick<ContentParts, 'languages' | 'synonyms' | 'prompts'>

/** Texts that can be used. What can't is named; the package's own texts stand in its place. */
export async function decodeTexts(
  { lang, synonyms, prompts }: PackData['texts'],
  { problems, options }: Omit<Decoding, 'data'>,
): Promise<Texts> {
  const languages = new Map<string, Readonly<Record<string, string>>>()
  for (const [language, sentences] of lang) {
    const kept: [string, string][] = []
    for (const [key, sentence] of Object.entries(sentences)) {
      const reason = catalogueProblem(key, sentence)
      if (reason === null) kept.push([key, sentence])
      else problems.add({ pack: '', file: `lang/${language}.json`, pointer: pointerOf([key]), reason })
      if (kept.length % CHUNK === 0) await options.yield()
    }
    languages.set(language, Object.fromEntries(kept))
  }
  const tables = new Map<string, Synonyms>()
  for (const [language, table] of synonyms) {
    const parsed = tableSchema.safeParse(table)
    const { path, reason } = parsed.success ? TOO_MANY : faultOf(parsed.error.issues)
    if (parsed.success && tables.size < MAX_TABLES) tables.set(language, parsed.data)
    else problems.add({ pack: '', file: `synonyms/${language}.json`, pointer: pointerOf(path), reason })
    await options.yield()
  }
  const usable = new Map<string, string>()
  for (const [name, text] of prompts) {
    if (text.trim() !== '' && utf8Bytes(text) <= MAX_PROMPT_BYTES) usable.set(name, text)
    else problems.add({ pack: '', file: `prompts/${name}.txt`, pointer: '', reason: PROMPT_REASON })
  }
  return { languages, synonyms: tables, prompts: usable }
}

const CHUNK = 256
const PROMPT_REASON = `is empty or longer than ${MAX_PROMPT_BYTES} bytes`
