import { z } from 'zod'
import { CardTypes, type CardView } from '../../../lib/cards/index.js'
import {
  renderBook,
  renderChat,
  renderWindow,
  type RenderOptions,
  type WindowPage,
} from '../../../lib/cards/render/index.js'
import { CARD_TEMPLATES } from '../../../lib/cards/templates/index.js'
import type { Identifier } from '../../../lib/core/ids.js'
import { faultText, problemLine, readShippedData } from '../../../lib/registry/index.js'
import { Languages, parseCatalogue, type Component } from '../../../lib/text/index.js'
import { addBuiltInCards } from '../../squid/built-in-content.js'
import { packPlaces } from '../../squid/packs/index.js'
import { loadPacks } from '../validate/validate.js'

/** What is to be looked at. */
export interface Look {
  readonly type: Identifier
  readonly data: unknown
  /** Folders and zips, read on the System's own as a server would. */
  readonly packs: readonly string[]
  readonly lang: string
  readonly version: string
}

/** A card as players see it. */
export interface Seen {
  /** Whether a pack gives the card its form. */
  readonly isTemplate: boolean
  /** Whether its type is one of the System's, so that its data are decoded and its buttons are there. */
  readonly isKnown: boolean
  readonly chat: readonly Component[]
  readonly windows: readonly WindowPage[]
  /** Of all volumes. */
  readonly book: readonly Component[]
  /** What is wrong, one line each. */
  readonly findings: readonly string[]
}

/** Pages that are drawn. */
const MOST_PAGES = 50

/** Draws the card on every page; null: no pack has a template of that id, and the System no such type. */
export async function lookAt({ type, data, packs, lang, version }: Look): Promise<Seen | null> {
  const findings: string[] = []
  const { content, problems } = await loadPacks(packPlaces(null, packs), version)
  for (const problem of problems)
    if (problem.file.includes(`/${CARD_TEMPLATES.folder}/`)) findings.push(problemLine(problem))
  const types = new CardTypes([], (_, cause) => findings.push(reasonOf(cause)))
  addBuiltInCards(types)
  const isKnown = types.has(type)
  const template = content.registry(CARD_TEMPLATES).get(type)?.value
  if (!isKnown && template === undefined && findings.length === 0) return null
  if (!isKnown) types.register({ id: type, schema: z.unknown(), build: () => NOTHING })
  types.useTemplates((id) => content.registry(CARD_TEMPLATES).get(id)?.value)
  const view = types.view({ type, data })
  const languages = await languagesOf(content.languages, findings)
  const options: RenderOptions = { lang, languages, token: () => 'token' }
  const chat = pagesOf((page) => {
    const { component, pages } = renderChat(view, { ...options, page })
    return { drawn: component, pages }
  })
  const windows = pagesOf((page) => {
    const { window, pages } = renderWindow(view, { ...options, page })
    return { drawn: window, pages }
  })
  const volumes = pagesOf((page) => {
    const { pages, volumes } = renderBook(view, { ...options, page })
    return { drawn: pages, pages: volumes }
  })
  return { isTemplate: template !== undefined, isKnown, chat, windows, book: volumes.flat(), findings }
}

const NOTHING: CardView = { title: null, lines: [], buttons: [] }

function pagesOf<T>(render: (page: number) => { readonly drawn: T; readonly pages: number }): readonly T[] {
  const first = render(0)
  const others = Array.from(
    { length: Math.min(first.pages, MOST_PAGES) - 1 },
    (_, at) => render(at + 1).drawn,
  )
  return [first.drawn, ...others]
}

async function languagesOf(
  overlay: ReadonlyMap<string, Readonly<Record<string, string>>>,
  findings: string[],
): Promise<Languages> {
  const { languages: shipped } = await readShippedData()
  const catalogues = [...shipped].flatMap(([name, json]) => {
    const parsed = parseCatalogue(json)
    return parsed.ok ? [[name, parsed.value] as const] : []
  })
  const languages = new Languages(new Map(catalogues), 'en_us', (key) => findings.push(`no text for ${key}`))
  languages.overlay(overlay)
  return languages
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) return `the data: ${faultText(cause.issues)}`
  return `the template: ${cause instanceof Error ? cause.message : String(cause)}`
}
