import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { advance } from '../../lib/cards/render/font.js'
import {
  renderBook,
  renderChat,
  renderPlain,
  renderWindow,
  type PageOptions,
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
const RUNS = { seed: 6, numRuns: 40, endOnFailure: true }

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
    const parts = [window.title, ...slots.flatMap(({ name, lore }) => [name, ...lore])]
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

const bytes = (component: Component): number => modifiedUtf8Bytes(JSON.stringify(component))

/** The rows that a text takes at least, on paper that is so many pixels wide, when words may be broken anywhere. */
const rows = (component: Component, width: number): number =>
  componentText(component)
    .split('\n')
    .reduce((sum, line) => {
      let pixels = 0
      // a blank at which a line ends takes no room
      for (const glyph of line) if (glyph !== ' ') pixels += advance(glyph.codePointAt(0) ?? 0, false)
      return sum + Math.max(1, Math.ceil(pixels / width))
    }, 0)

void t.test('no page exceeds what its surface holds', (t) => {
  const options = { lang, languages, token: () => 'x'.repeat(22) }
  const bounded = fc.property(anyView, fc.nat(3), (view, page) => {
    const chat = renderChat(view, { ...options, page }).component
    assert.ok(bytes(chat) <= 16_384 && rows(chat, 320) <= 20, `${bytes(chat)} bytes`)
    const book = renderBook(view, { ...options, page })
    assert.ok(book.title.length <= 32 && book.pages.length > 0 && book.pages.length <= 100)
    assert.ok(book.pages.reduce((sum, part) => sum + bytes(part), 0) <= 262_144)
    for (const part of book.pages)
      assert.ok(bytes(part) <= 8_192 && rows(part, 114) <= 14, componentText(part))
    const { window } = renderWindow(view, { ...options, page })
    let size = 0
    for (const [index, { name, lore, count }] of window.slots) {
      size += [name, ...lore].reduce((sum, part) => sum + bytes(part), 0)
      assert.ok(index >= 0 && index < 9 * window.rows && lore.length <= 20)
      assert.ok(Number.isInteger(count) && count >= 1 && count <= 64)
    }
    assert.ok(size <= 131_072 + 9 * 16_384)
  })
  t.doesNotThrow(() => fc.assert(bounded, { ...RUNS, numRuns: 150 }))
  t.end()
})

void t.test('500 items, 60 buttons and 40,000 characters without a blank are pages', (t) => {
  const press: CardAction = { kind: 'server', module: identifier('system:help'), params: {} }
  const view: CardView = {
    title: { key: 'system.help.title' },
    lines: [
      ...Array.from({ length: 500 }, (_, index) => ({
        kind: 'entry' as const,
        icon: { item: identifier('minecraft:diamond'), name: 'Diamond' },
        title: `entry ${index}`,
        action: press,
      })),
      { kind: 'text', text: '钻'.repeat(40_000) },
    ],
    buttons: Array.from({ length: 60 }, () => ({ label: { key: 'system.card.close' }, action: press })),
  }
  const chat = drawn('chat', view, 0)
  t.equal(chat.issued.size, 10 + 9 + 1, 'ten entries, nine buttons, the way on')
  const last = drawn('chat', view, 1e9)
  t.ok(last.issued.size > 9 + 1, 'the buttons that not every page has come last')
  const window = drawn('window', view, 0)
  t.equal(window.issued.size, 45 + 6 + 2)
  const book = renderBook(view, { lang, languages, token: () => 't' })
  t.ok(book.volumes > 1)
  t.equal(componentText(book.pages.at(-1) ?? { text: '' }).includes('1/'), true, 'the last page leads on')
  t.equal(drawn('plain', view, 0).issued.size > 0, true)
  t.end()
})

void t.test('a book writes out what it cannot type, and turns to its sections', (t) => {
  const view: CardView = {
    title: {
      key: 'system.card.row',
      params: { label: 'A title that no list of books can show', value: 'x' },
    },
    lines: [
      { kind: 'section', label: { key: 'system.card.close' } },
      { kind: 'text', text: 'long '.repeat(200), tone: 'normal' },
      { kind: 'section', label: { key: 'system.card.more' } },
    ],
    buttons: [{ label: { key: 'system.card.back' }, action: { kind: 'suggest', command: '/system ask ' } }],
  }
  const { title, pages } = renderBook(view, { lang, languages, token: () => 't' })
  t.equal(title, 'A title that no list of books c…')
  const [first] = pages.map(componentText)
  t.match(first, 'A title that no list of books can show')
  t.match(first, '/system ask')
  t.strictSame(clicks(pages.slice(0, 1)), ['2', String(pages.length)])
  t.notOk(
    pages.flatMap(allParts).some(({ color }) => color === 'white'),
    'dark on paper',
  )
  t.end()
})

void t.test('all of a card in lines has its sections one after the other', (t) => {
  const view: CardView = {
    title: null,
    lines: [
      { kind: 'section', label: { key: 'system.card.close' } },
      { kind: 'text', text: 'one' },
      { kind: 'section', label: { key: 'system.card.more' } },
      { kind: 'text', text: 'two' },
    ],
    buttons: [],
  }
  const lines = renderPlain(view, { lang, languages, token: () => 't', page: 'all' })
  t.strictSame(lines, [
    languages.text({ key: 'system.card.close' }, lang),
    'one',
    languages.text({ key: 'system.card.more' }, lang),
    'two',
  ])
  t.end()
})
