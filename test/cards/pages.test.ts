import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  renderBook,
  renderChat,
  renderPlain,
  renderWindow,
  type PageOptions,
  type RenderOptions,
} from '../../lib/cards/render/index.js'
import type { CardAction, CardLine, CardValue, CardView } from '../../lib/cards/index.js'
import { modifiedUtf8Bytes } from '../../lib/codec/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText, plainText, type Component } from '../../lib/text/index.js'
import { shippedLanguages } from '../support/catalogues.js'
import { allParts } from '../support/component.js'
import { anyView } from './any-view.js'

const languages = shippedLanguages()
const lang = 'en_us'
const RUNS = { seed: 6, numRuns: 60 }

/** What was drawn on one page of one surface. */
interface Drawn {
  readonly text: string
  /** Tokens that can be used there, in reading order. */
  readonly tokens: readonly string[]
  /** Tokens that were asked for, with what they do. */
  readonly issued: ReadonlyMap<string, CardAction>
  readonly commands: readonly string[]
  readonly parts: readonly Component[]
  readonly pages: number
}

type Draw = (view: CardView, options: PageOptions) => Omit<Drawn, 'issued'>

const clicks = (parts: readonly Component[]): readonly string[] =>
  parts.flatMap(allParts).flatMap(({ clickEvent }) => (clickEvent === undefined ? [] : [clickEvent.value]))
const actTokens = (commands: readonly string[]): readonly string[] => [
  ...new Set(commands.flatMap((command) => /^\/system act (tok\d+)$/.exec(command)?.[1] ?? [])),
]

const SURFACES: Readonly<Record<string, Draw>> = {
  chat(view, options) {
    const { component, pages } = renderChat(view, options)
    const commands = clicks([component])
    return {
      text: componentText(component),
      tokens: actTokens(commands),
      commands,
      parts: [component],
      pages,
    }
  },
  book(view, options) {
    const { pages, volumes } = renderBook(view, options)
    const commands = clicks(pages)
    const text = pages.map(componentText).join('\n')
    return { text, tokens: actTokens(commands), commands, parts: pages, pages: volumes }
  },
  window(view, options) {
    const { window, pages } = renderWindow(view, options)
    const slots = [...window.slots.values()]
    const parts = slots.flatMap(({ name, lore }) => [name, ...lore])
    const tokens = [...new Set(slots.flatMap(({ token }) => token ?? []))]
    return { text: parts.map(componentText).join('\n'), tokens, commands: clicks(parts), parts, pages }
  },
  plain(view, options) {
    const lines = renderPlain(view, options)
    const text = lines.join('\n')
    const tokens = [...new Set([...text.matchAll(/\/system act (tok\d+)/g)].map(([, token]) => token ?? ''))]
    const last = /^(\d+)\/(\d+)$/m.exec(lines.filter((line) => /^\d+\/\d+$/.test(line)).at(-1) ?? '')
    return {
      text,
      tokens,
      commands: [text],
      parts: lines.map((line) => ({ text: line })),
      pages: Number(last?.[2] ?? 1),
    }
  },
}

function drawn(surface: string, view: CardView, page: number): Drawn {
  const issued = new Map<string, CardAction>()
  const options: PageOptions = {
    lang,
    languages,
    page,
    token: (action) => {
      const token = `tok${issued.size}`
      issued.set(token, action)
      return token
    },
  }
  const result = SURFACES[surface]?.(view, options)
  assert.ok(result !== undefined)
  return { ...result, issued }
}

function allPages(surface: string, view: CardView): readonly Drawn[] {
  const first = drawn(surface, view, 0)
  return [first, ...Array.from({ length: first.pages - 1 }, (_, index) => drawn(surface, view, index + 1))]
}

/** All that a card says, whatever the surface. */
function said(view: CardView): string {
  const text = (message: Parameters<typeof languages.text>[0]): string => languages.text(message, lang)
  const valueText = (value: CardValue): string => {
    if (typeof value === 'string') return plainText(value)
    if ('key' in value) return text(value)
    return 'item' in value ? plainText(value.name) : componentText(value)
  }
  const lineText = (line: CardLine): string => {
    if (line.kind === 'message') return text(line.message)
    if (line.kind === 'text') return plainText(line.text, { newlines: 'keep' })
    if (line.kind === 'item') return plainText(line.name)
    if (line.kind === 'entry') return [line.title, ...(line.about ?? [])].map(valueText).join('\n')
    if (line.kind === 'section') return text(line.label)
    if (line.kind === 'progress') return line.label === undefined ? '' : text(line.label)
    if (line.kind === 'separator') return ''
    const values = Array.isArray(line.value)
      ? (line.value as readonly CardValue[])
      : [line.value as CardValue]
    return [text(line.label), ...values.map(valueText)].join('\n')
  }
  return [
    view.title === null ? '' : text(view.title),
    ...view.lines.map(lineText),
    ...view.buttons.map(({ label }) => text(label)),
  ].join('\n')
}

/** How often each character stands in the text, blanks left out. */
function census(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const point of text) if (point.trim() !== '') counts.set(point, (counts.get(point) ?? 0) + 1)
  return counts
}

const actionsOf = (view: CardView): readonly CardAction[] => [
  ...view.lines.flatMap((line) => (line.kind === 'entry' ? (line.action ?? []) : [])),
  ...view.buttons.map(({ action }) => action),
]

for (const surface of Object.keys(SURFACES)) {
  void t.test(`${surface}: everything a card says is on its pages`, (t) => {
    const nothingLost = fc.property(anyView, (view) => {
      const wanted = said(view)
      fc.pre(wanted.length < 60_000)
      const found = census(
        allPages(surface, view)
          .map(({ text }) => text)
          .join('\n'),
      )
      for (const [point, count] of census(wanted))
        assert.ok((found.get(point) ?? 0) >= count, `${count} of ${JSON.stringify(point)}`)
    })
    t.doesNotThrow(() => fc.assert(nothingLost, RUNS))
    t.end()
  })

  void t.test(`${surface}: tokens are asked for what is drawn and for nothing else`, (t) => {
    const exact = fc.property(anyView, (view) => {
      const pages = allPages(surface, view)
      for (const { tokens, issued } of pages) assert.deepEqual([...issued.keys()], tokens)
      const reached = new Set(pages.flatMap(({ issued }) => [...issued.values()]))
      for (const action of actionsOf(view))
        if (action.kind !== 'suggest') assert.ok(reached.has(action), JSON.stringify(action))
    })
    t.doesNotThrow(() => fc.assert(exact, RUNS))
    t.end()
  })

  void t.test(`${surface}: the first page for none, the last for one that isn't there`, (t) => {
    const view: CardView = {
      title: null,
      lines: [{ kind: 'text', text: 'word '.repeat(9_000) }],
      buttons: [],
    }
    const first = drawn(surface, view, 0)
    t.ok(first.pages > 1)
    for (const page of [-1, NaN, 0.5]) t.equal(drawn(surface, view, page).text, first.text)
    t.equal(drawn(surface, view, 1e9).text, drawn(surface, view, first.pages - 1).text)
    t.end()
  })
}
