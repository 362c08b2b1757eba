import type { Logger } from '../../core/logger.js'
import { isJsonObject } from '../../core/json.js'
import { MAX_VARIANTS, foldText, isPhrase, type Synonyms } from '../../lexical/index.js'
import type { RegisteredModule } from '../module.js'
import { complexPhrasing } from './complex-phrasing.js'
import { EXAMPLE_UNITS, EXAMPLES_PER_MODULE } from './compute-jobs.js'
import type { RoutingSettings } from './settings.js'

/** Sentences, of all modules and languages together, that a host may add. */
export const HOST_EXAMPLES = 2_000
/** Languages, and phrases of one, that a host may add synonyms in. */
export const HOST_LANGUAGES = 8
export const HOST_PHRASES = 1_024
/** So many wrong entries are named; the rest is counted. */
const NAMED = 20

/** What of the host's own sentences can be used. */
export interface HostSentences {
  /** By module id. */
  readonly examples: ReadonlyMap<string, readonly string[]>
  readonly synonyms: readonly Synonyms[]
  /** Entries that are left out, each with its reason; they name places, never what stands there. */
  readonly problems: readonly string[]
}

/** Judges the host's entries one by one against the modules that may be routed to locally. */
export function readHostSentences(
  { examples, synonyms }: Pick<RoutingSettings, 'examples' | 'synonyms'>,
  routable: ReadonlyMap<string, Pick<RegisteredModule, 'routing'>>,
  isRegistered: (id: string) => boolean,
): HostSentences {
  const problems: string[] = []
  const used = new Map<string, string[]>()
  let count = 0
  for (const [id, byLanguage] of Object.entries(examples)) {
    const shipped = Object.values(routable.get(id)?.routing.examples ?? {}).flat()
    const sentences: string[] = []
    const problem = routable.has(id)
      ? null
      : isRegistered(id)
        ? 'may not be routed locally'
        : 'is no module here'
    if (problem !== null) {
      problems.push(`examples.${shortened(id)}: ${problem}`)
      continue
    }
    for (const { place, sentence } of listed(id, byLanguage, problems)) {
      const wrong = exampleProblem(sentence)
      if (wrong !== null) problems.push(`${place}: ${wrong}`)
      else if (count >= HOST_EXAMPLES || shipped.length + sentences.length >= EXAMPLES_PER_MODULE)
        problems.push(`${place}: too many sentences`)
      else {
        sentences.push(String(sentence))
        count += 1
      }
    }
    used.set(id, sentences)
  }
  return { examples: used, synonyms: readSynonyms(synonyms, problems), problems }
}

/** Names the entries that are left out. */
export function logHostProblems({ problems }: HostSentences, logger: Logger): void {
  for (const problem of problems.slice(0, NAMED))
    logger.warn(`system-semantic.json: ${problem}; it is skipped`)
  if (problems.length > NAMED)
    logger.warn(`system-semantic.json: ${problems.length - NAMED} more entries are skipped`)
}

function* listed(
  id: string,
  byLanguage: unknown,
  problems: string[],
): Iterable<{ place: string; sentence: unknown }> {
  if (!isJsonObject(byLanguage)) {
    problems.push(`examples.${id}: must be an object of lists by language`)
    return
  }
  for (const [language, sentences] of Object.entries(byLanguage)) {
    const place = `examples.${id}.${shortened(language)}`
    if (!Array.isArray(sentences)) problems.push(`${place}: must be a list`)
    else for (const [at, sentence] of sentences.entries()) yield { place: `${place}[${at}]`, sentence }
  }
}

function exampleProblem(sentence: unknown): string | null {
  if (typeof sentence !== 'string' || sentence.trim() === '') return 'must be a sentence'
  if (sentence.length > EXAMPLE_UNITS) return `longer than ${EXAMPLE_UNITS} characters`
  const complex = complexPhrasing(foldText(sentence))
  return complex === null ? null : `a sentence of its kind (${complex}) is never routed locally`
}

function readSynonyms(byLanguage: Readonly<Record<string, unknown>>, problems: string[]): Synonyms[] {
  const tables: Synonyms[] = []
  for (const [language, table] of Object.entries(byLanguage)) {
    const place = `synonyms.${shortened(language)}`
    if (!isJsonObject(table)) problems.push(`${place}: must be an object of lists by phrase`)
    else if (tables.length >= HOST_LANGUAGES) problems.push(`${place}: too many languages`)
    else tables.push(Object.fromEntries(usablePhrases(place, table, problems)))
  }
  return tables
}

function usablePhrases(
  place: string,
  table: Readonly<Record<string, unknown>>,
  problems: string[],
): [string, string[]][] {
  const usable: [string, string[]][] = []
  for (const [at, [phrase, variants]] of Object.entries(table).entries()) {
    const isRight =
      isPhrase(phrase) &&
      Array.isArray(variants) &&
      variants.length > 0 &&
      variants.length <= MAX_VARIANTS &&
      variants.every(isPhrase)
    if (usable.length >= HOST_PHRASES) problems.push(`${place}[${at}]: too many phrases`)
    else if (isRight) usable.push([phrase, variants])
    else problems.push(`${place}[${at}]: must be a phrase with a list of short ones`)
  }
  return usable
}

/** A key of a file, as a line of the log can hold it. */
const shortened = (key: string): string => JSON.stringify(key.slice(0, 64)).slice(1, -1)
