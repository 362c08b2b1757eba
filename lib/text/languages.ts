import type { Component, Message, MessageParam } from './component.js'
import { componentText, concat } from './compose.js'
import { plain, plainText } from './plain.js'

/** A template cut at its placeholders, once, before any value is known. */
type Piece = { readonly literal: string } | { readonly param: string }
/** Templates by key. */
type Templates = Readonly<Record<string, string>>

const PLACEHOLDER = /\{([A-Za-z][A-Za-z0-9_]*)\}/g
/** What a language calls itself. */
const NAME_KEY = 'system.language'
/** Longest language word a client may make us look at. */
const MAX_LANGUAGE_LENGTH = 32
/** Missing keys that are remembered so that each is reported once. */
const MAX_REPORTED = 1_024

/** The names of a template's placeholders, each once, in order of appearance. */
export function placeholders(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))]
}

/**
 * The sentences of every language. Values are put into a template that was cut up beforehand: they are never
 * scanned for placeholders, nor used as a replacement pattern.
 */
export class Languages {
  #catalogues = new Map<string, Catalogue>()
  /** Sentences that stand before those of the catalogues, and can be exchanged. */
  #over: ReadonlyMap<string, Catalogue> = new Map()
  readonly #fallback: string
  readonly #onMissing: (key: string, lang: string) => void
  readonly #reported = new Set<string>()
  /** Made when it is first wanted; null: there may be others now. */
  #named: ReadonlyMap<string, string> | null = null
  #revision = 0

  /** `onMissing` hears of each key that even the fallback language lacks, once. */
  constructor(
    catalogues: ReadonlyMap<string, Templates>,
    fallback = 'en_us',
    onMissing: (key: string, lang: string) => void = () => {},
  ) {
    for (const [lang, templates] of catalogues) this.#catalogues.set(fold(lang), new Catalogue([templates]))
    this.#fallback = fold(fallback)
    this.#onMissing = onMissing
  }

  /** Another number whenever sentences may have changed. */
  get revision(): number {
    return this.#revision
  }

  #changed(): void {
    this.#named = null
    this.#revision += 1
  }

  /** Adds sentences to a language. A key that it has already is a programming error and throws a TypeError. */
  add(lang: string, templates: Templates): void {
    const before = this.#catalogues.get(fold(lang)) ?? new Catalogue([])
    for (const key of Object.keys(templates))
      if (before.has(key)) throw new TypeError(`the text ${key} of ${lang} is there already`)
    this.#catalogues.set(fold(lang), before.with(templates))
    this.#changed()
  }

  /** Lets these sentences stand before all others, in the place of those that did so before. */
  overlay(catalogues: ReadonlyMap<string, Templates>): void {
    this.#over = new Map([...catalogues].map(([lang, templates]) => [fold(lang), new Catalogue([templates])]))
    this.#reported.clear()
    this.#changed()
  }

  /** Remembers the sentences there are now; the returned function takes out those that were added later. */
  mark(): () => void {
    const catalogues = new Map(this.#catalogues)
    return () => {
      this.#catalogues = catalogues
      this.#changed()
    }
  }

  /** The languages there are texts for, each with what it calls itself: its own `system.language`, else its code. */
  get named(): ReadonlyMap<string, string> {
    this.#named ??= new Map(
      this.available.map((lang) => [lang, literalOf(this.#piecesOf(NAME_KEY, lang)) ?? lang]),
    )
    return this.#named
  }

  /** The languages there are texts for. */
  get available(): readonly string[] {
    return [...new Set([...this.#catalogues.keys(), ...this.#over.keys()])]
  }

  /** The language used for a client's word: itself, else the same language of another region, else the fallback. */
  resolve(lang: string): string {
    const wanted = fold(lang)
    if (this.#catalogues.has(wanted)) return wanted
    const beside = sibling(this.#catalogues, wanted)
    if (beside !== undefined) return beside
    return this.#over.has(wanted) ? wanted : (sibling(this.#over, wanted) ?? this.#fallback)
  }

  /** Whether the sentence exists in that language or in the fallback. */
  has(key: string, lang: string): boolean {
    return this.#pieces(key, lang) !== undefined
  }

  /** The sentence as a component; parameters that are components stay components, an unknown key shows itself. */
  render(message: Message, lang: string): Component {
    const parts: Component[] = []
    let literal = ''
    for (const piece of this.#piecesOrKey(message.key, lang)) {
      const param = valueOf(piece, message.params)
      const value = typeof param === 'object' && 'key' in param ? this.render(param, lang) : param
      if (typeof value === 'string') literal += value
      else {
        if (literal !== '') parts.push(plain(literal, {}, { newlines: 'keep' }))
        literal = ''
        parts.push(value)
      }
    }
    if (literal !== '' || parts.length === 0) parts.push(plain(literal, {}, { newlines: 'keep' }))
    return parts.length === 1 ? concat(parts) : { text: '', extra: parts }
  }

  /** The sentence as text, for the console and logs. */
  text(message: Message, lang: string): string {
    return componentText(this.render(message, lang))
  }

  #piecesOrKey(key: string, lang: string): readonly Piece[] {
    const pieces = this.#pieces(key, lang)
    if (pieces !== undefined) return pieces
    if (!this.#reported.has(key) && this.#reported.size < MAX_REPORTED) {
      this.#reported.add(key)
      this.#onMissing(key, lang)
    }
    return [{ literal: key }]
  }

  /** A pack with a few sentences in a language must not take from its readers what a language beside it has. */
  #pieces(key: string, lang: string): readonly Piece[] | undefined {
    const wanted = fold(lang)
    if (this.#catalogues.has(wanted))
      return this.#piecesOf(key, wanted) ?? this.#piecesOf(key, this.#fallback)
    for (const candidate of [wanted, sibling(this.#catalogues, wanted), sibling(this.#over, wanted)]) {
      const found = candidate === undefined ? undefined : this.#piecesOf(key, candidate)
      if (found !== undefined) return found
    }
    return this.#piecesOf(key, this.#fallback)
  }

  #piecesOf(key: string, lang: string): readonly Piece[] | undefined {
    return this.#over.get(lang)?.get(key) ?? this.#catalogues.get(lang)?.get(key)
  }
}

/** The same language of another region. */
function sibling(known: ReadonlyMap<string, unknown>, wanted: string): string | undefined {
  const primary = wanted.split('_', 1)[0] ?? wanted
  for (const lang of known.keys())
    if (lang !== wanted && (lang === primary || lang.startsWith(`${primary}_`))) return lang
  return undefined
}

/** Sentences of one language, each cut up when it is first wanted: packs bring thousands. */
class Catalogue {
  readonly #templates: readonly Templates[]
  readonly #pieces = new Map<string, readonly Piece[]>()

  constructor(templates: readonly Templates[]) {
    this.#templates = templates
  }

  with(templates: Templates): Catalogue {
    return new Catalogue([...this.#templates, templates])
  }

  has(key: string): boolean {
    return this.#templates.some((templates) => Object.hasOwn(templates, key))
  }

  get(key: string): readonly Piece[] | undefined {
    const before = this.#pieces.get(key)
    if (before !== undefined) return before
    const template = this.#templates.find((templates) => Object.hasOwn(templates, key))?.[key]
    if (template === undefined) return undefined
    const pieces = cut(template)
    this.#pieces.set(key, pieces)
    return pieces
  }
}

/** A client's language word in the form of file names: `zh-CN` is `zh_cn`. */
const fold = (lang: string): string => lang.slice(0, MAX_LANGUAGE_LENGTH).toLowerCase().replaceAll('-', '_')

/** A sentence without placeholders, cleaned. */
function literalOf(pieces: readonly Piece[] | undefined): string | undefined {
  const [only] = pieces ?? []
  return only !== undefined && 'literal' in only ? plainText(only.literal, { limit: 64 }) : undefined
}

function cut(template: string): readonly Piece[] {
  // split with one capture group: literals at even, names at odd places
  return template
    .split(PLACEHOLDER)
    .map((text, index) => (index % 2 === 0 ? { literal: text } : { param: text }))
    .filter((piece) => !('literal' in piece && piece.literal === ''))
}

/** A parameter's own text is cleaned before it joins the sentence, so that it can't complete a code begun there. */
function valueOf(piece: Piece, params: Message['params']): string | Component | Message {
  if ('literal' in piece) return piece.literal
  const value: MessageParam | undefined =
    params !== undefined && Object.hasOwn(params, piece.param) ? params[piece.param] : undefined
  if (value === undefined) return `{${piece.param}}`
  return typeof value === 'object' ? value : plainText(String(value))
}
