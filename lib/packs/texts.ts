import { isJsonObject, utf8Bytes, type Json } from '../core/json.js'
import { isPhrase, MAX_VARIANTS, PHRASE_UNITS } from '../lexical/index.js'
import { catalogueProblem, overrideFault, type PromptRule } from '../text/index.js'
import { PACK_LIMITS } from './limits.js'
import type { PackData } from './pack-data.js'
import { count, listed, type Fault, type Problems } from './problems.js'

/** What is wrong in a file of texts. */
interface TextFault {
  readonly pointer: string
  readonly reason: string
}
/** A file of texts: name of its pack, and its path there. */
type TextFile = Pick<Fault, 'pack' | 'file'>
type Kind = 'sentences' | 'synonyms' | 'prompts'

const REACHED: Readonly<Record<Kind, string>> = {
  sentences:
    `more than ${count(PACK_LIMITS.sentences)} sentences, ${count(PACK_LIMITS.languageSentences)} in one language, ` +
    `${count(PACK_LIMITS.textUnits)} characters of them or ${PACK_LIMITS.languages} languages`,
  synonyms:
    `more than ${count(PACK_LIMITS.phrases)} phrases of synonyms, ${count(PACK_LIMITS.variants)} words for them, ` +
    `${MAX_VARIANTS} for one or ${PACK_LIMITS.synonymTables} languages`,
  prompts: `more than ${PACK_LIMITS.prompts} prompts`,
}
const PROMPT_FAULT = {
  pointer: '',
  reason: `is empty or longer than ${PACK_LIMITS.promptBytes} bytes`,
}
const NO_OBJECT = { pointer: '', reason: 'is not an object' }

/** What packs say in words: judged as it is read, and bounded, since all of it goes to the main thread. */
export class PackTexts {
  readonly #lang = new Map<string, Map<string, string>>()
  readonly #synonyms = new Map<string, Map<string, Set<string>>>()
  readonly #prompts = new Map<string, string>()
  readonly #brokenPrompts: string[] = []
  readonly #promptRules: ReadonlyMap<string, PromptRule>
  readonly #left = {
    sentences: PACK_LIMITS.sentences as number,
    units: PACK_LIMITS.textUnits as number,
    phrases: PACK_LIMITS.phrases as number,
    variants: PACK_LIMITS.variants as number,
  }
  /** What found no room: the file of the first, and how many. */
  readonly #cut = new Map<Kind, { readonly file: TextFile; count: number }>()

  /** `prompts`: what texts in the place of a prompt must and may fill in; of others nothing is known. */
  constructor(prompts: Readonly<Record<string, PromptRule>> = {}) {
    this.#promptRules = new Map(Object.entries(prompts))
  }

  /** Adds the sentences of a file; later ones stand in the place of earlier ones. */
  addSentences(language: string, file: TextFile, value: Json): TextFault | null {
    if (!isJsonObject(value)) return NO_OBJECT
    const known = this.#lang.get(language)
    const hasRoom = known !== undefined || this.#lang.size < PACK_LIMITS.languages
    const sentences = known ?? new Map<string, string>()
    const bad = new BadKeys()
    for (const [key, sentence] of Object.entries(value)) {
      const reason = typeof sentence === 'string' ? catalogueProblem(key, sentence) : 'no text'
      if (typeof sentence !== 'string' || reason !== null) bad.add(key, reason ?? '')
      else if (!hasRoom || !this.#setSentence(sentences, key, sentence)) this.#cutOff('sentences', file)
    }
    if (sentences.size > 0) this.#lang.set(language, sentences)
    return bad.fault()
  }

  #setSentence(sentences: Map<string, string>, key: string, sentence: string): boolean {
    const before = sentences.get(key)
    const units = sentence.length - (before?.length ?? -key.length)
    if (units > this.#left.units) return false
    if (before === undefined) {
      if (this.#left.sentences === 0 || sentences.size >= PACK_LIMITS.languageSentences) return false
      this.#left.sentences -= 1
    }
    this.#left.units -= units
    sentences.set(key, sentence)
    return true
  }

  /** Lists of one phrase in several files are one list: a pack that adds words doesn't take others away. */
  addSynonyms(language: string, file: TextFile, value: Json): TextFault | null {
    if (!isJsonObject(value)) return NO_OBJECT
    const known = this.#synonyms.get(language)
    const hasRoom = known !== undefined || this.#synonyms.size < PACK_LIMITS.synonymTables
    const table = known ?? new Map<string, Set<string>>()
    const bad = new BadKeys()
    for (const [phrase, variants] of Object.entries(value)) {
      if (!isPhrase(phrase) || !areVariants(variants)) bad.add(phrase, NO_VARIANTS)
      else if (!hasRoom || !this.#addVariants(table, phrase, variants)) this.#cutOff('synonyms', file)
    }
    if (table.size > 0) this.#synonyms.set(language, table)
    return bad.fault()
  }

  /** Whether all of them have room. */
  #addVariants(table: Map<string, Set<string>>, phrase: string, variants: readonly string[]): boolean {
    const known = table.get(phrase)
    if (this.#left.variants === 0 || (known === undefined && this.#left.phrases === 0)) return false
    const list = known ?? new Set<string>()
    if (known === undefined) {
      this.#left.phrases -= 1
      table.set(phrase, list)
    }
    for (const variant of variants) {
      if (list.has(variant)) continue
      if (list.size >= MAX_VARIANTS || this.#left.variants === 0) return false
      list.add(variant)
      this.#left.variants -= 1
    }
    return true
  }

  addPrompt(name: string, file: TextFile, text: string): TextFault | null {
    const fault = this.#promptFault(name, text)
    if (fault !== null) {
      if (this.#brokenPrompts.length < PACK_LIMITS.prompts) this.#brokenPrompts.push(name)
      return fault
    }
    if (this.#prompts.size < PACK_LIMITS.prompts) this.#prompts.set(name, text)
    else this.#cutOff('prompts', file)
    return null
  }

  #promptFault(name: string, text: string): TextFault | null {
    if (text.trim() === '' || utf8Bytes(text) > PACK_LIMITS.promptBytes) return PROMPT_FAULT
    const rule = this.#promptRules.get(name)
    const reason = rule === undefined ? null : overrideFault(text, rule)
    return reason === null ? null : { pointer: '', reason }
  }

  #cutOff(kind: Kind, file: TextFile): void {
    const cut = this.#cut.get(kind)
    if (cut === undefined) this.#cut.set(kind, { file, count: 1 })
    else cut.count += 1
  }

  /** Says once, when all are read, what was left out. */
  report(problems: Problems): void {
    for (const [kind, cut] of this.#cut) {
      const reason = `the packs hold ${REACHED[kind]}; ${count(cut.count)} are left out`
      problems.add({ ...cut.file, reason })
    }
  }

  /** All of them, in a form that costs the thread which receives it little at a time. */
  texts(): PackData['texts'] {
    const lang = new Map<string, readonly string[]>()
    for (const [language, sentences] of this.#lang) lang.set(language, chunksOf(sentences))
    const synonyms = new Map<string, readonly string[]>()
    for (const [language, table] of this.#synonyms)
      synonyms.set(language, chunksOf(new Map([...table].map(([phrase, words]) => [phrase, [...words]]))))
    return { lang, synonyms, prompts: this.#prompts, brokenPrompts: this.#brokenPrompts }
  }
}

const NO_VARIANTS = `is no list of 1 to ${MAX_VARIANTS} phrases of at most ${PHRASE_UNITS} characters`

const areVariants = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_VARIANTS && value.every(isPhrase)

/** Keys of a file that can't be used, with the reason of the first. */
class BadKeys {
  readonly #keys: string[] = []
  #reason = ''

  add(key: string, reason: string): void {
    if (this.#keys.push(key) === 1) this.#reason = reason
  }

  fault(): TextFault | null {
    const [first] = this.#keys
    if (first === undefined) return null
    const pointer = `/${first.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return { pointer, reason: `${this.#reason}, left out: ${listed(this.#keys)}` }
  }
}

/** Sentences or phrases of one text. */
const CHUNK = 256

function chunksOf(all: ReadonlyMap<string, Json>): string[] {
  const entries = [...all]
  const chunks: string[] = []
  for (let from = 0; from < entries.length; from += CHUNK)
    chunks.push(JSON.stringify(Object.fromEntries(entries.slice(from, from + CHUNK))))
  return chunks
}
