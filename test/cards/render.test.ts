import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { renderChat, renderPlain, type RenderOptions } from '../../lib/cards/render/index.js'
import type { CardButton, CardView } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText, plainText, type Component } from '../../lib/text/index.js'
import { shippedLanguages } from '../support/catalogues.js'
import { allParts } from '../support/component.js'
import { HOSTILE_TEXTS } from '../support/hostile-texts.js'
import { anyText } from '../text/any-text.js'

const languages = shippedLanguages()
function options(over: Partial<RenderOptions> = {}): RenderOptions {
  let issued = 0
  return { lang: 'en_us', languages, token: () => `tok${(issued += 1)}`, ...over }
}

/** The first page. */
const chat = (view: CardView, options: RenderOptions): Component => renderChat(view, options).component

const press: CardButton = {
  label: { key: 'system.request.waiting' },
  hover: { key: 'system.request.thinking' },
  action: { kind: 'server', module: identifier('system:help'), params: {} },
}
const suggest: CardButton = {
  label: { key: 'system.request.thinking' },
  action: { kind: 'suggest', command: '/system ask ' },
}
const view: CardView = {
  title: { key: 'system.request.nearest' },
  lines: [
    { kind: 'message', message: { key: 'system.failure.busy' }, tone: 'bad' },
    { kind: 'text', text: 'first\nsecond §cred' },
    { kind: 'row', label: { key: 'system.request.waiting' }, value: '12 §a%s' },
    { kind: 'row', label: { key: 'system.request.waiting' }, value: { key: 'system.request.thinking' } },
    { kind: 'item', item: identifier('minecraft:diamond'), name: 'Diamond', count: 3 },
    { kind: 'item', item: identifier('minecraft:stone'), name: 'Stone' },
  ],
  buttons: [press, suggest],
}
const text = (key: string): string => languages.text({ key }, 'en_us')

void t.test('a card in the chat', (t) => {
  const card = chat(view, options({ itemKey: (item) => `block.${item.replace(':', '.')}` }))
  t.strictSame(componentText(card).split('\n'), [
    text('system.request.nearest'),
    text('system.failure.busy'),
    'first',
    'second red',
    `${text('system.request.waiting')}: 12 %s`,
    `${text('system.request.waiting')}: ${text('system.request.thinking')}`,
    'Diamond × 3',
    'Stone',
    `[${text('system.request.waiting')}] [${text('system.request.thinking')}]`,
  ])
  const parts = allParts(card)
  const [title, , busy, , literal] = card.extra ?? []
  t.match(title, { color: 'aqua', bold: true })
  t.match(busy, { color: 'red' })
  t.strictSame(literal, { color: 'white', text: 'first\nsecond red' })
  const items = parts.filter((part) => 'translate' in part)
  t.match(items, [
    { translate: 'block.minecraft.diamond', fallback: 'Diamond' },
    { translate: 'block.minecraft.stone', fallback: 'Stone' },
  ])
  t.match(items[0]?.hoverEvent, { action: 'show_text', contents: { text: 'minecraft:diamond' } })
  const clicks = parts.flatMap((part) => (part.clickEvent === undefined ? [] : [part]))
  t.strictSame(
    clicks.map((part) => part.clickEvent),
    [
      { action: 'run_command', value: '/system act tok1' },
      { action: 'suggest_command', value: '/system ask ' },
    ],
  )
  t.strictSame(clicks[0]?.hoverEvent, {
    action: 'show_text',
    contents: { text: text('system.request.thinking') },
  })
  t.equal(clicks[1]?.hoverEvent, undefined)
  t.end()
})

void t.test('the same card as lines', (t) => {
  t.strictSame(renderPlain(view, options()), [
    text('system.request.nearest'),
    text('system.failure.busy'),
    'first',
    'second red',
    `${text('system.request.waiting')}: 12 %s`,
    `${text('system.request.waiting')}: ${text('system.request.thinking')}`,
    'Diamond (minecraft:diamond) × 3',
    'Stone (minecraft:stone)',
    `[${text('system.request.waiting')}] /system act tok1 – ${text('system.request.thinking')}`,
    `[${text('system.request.thinking')}] /system ask `,
  ])
  t.end()
})

void t.test('a row may have several values, an item among them, and a command', (t) => {
  const rows: CardView = {
    title: null,
    lines: [
      {
        kind: 'row',
        label: { key: 'system.request.waiting' },
        value: [
          { item: identifier('minecraft:diamond'), name: 'Diamond', count: 3 },
          { key: 'system.request.thinking' },
          'x §c',
        ],
        tone: 'muted',
        suggest: '/system item ',
      },
    ],
    buttons: [],
  }
  const label = text('system.request.waiting')
  const card = chat(rows, options())
  t.equal(componentText(card), `${label}: Diamond × 3, ${text('system.request.thinking')}, x `)
  t.match(
    allParts(card).find(({ clickEvent }) => clickEvent !== undefined),
    { text: label, clickEvent: { action: 'suggest_command', value: '/system item ' } },
  )
  t.strictSame(
    allParts(card).flatMap(({ hoverEvent }) => hoverEvent?.contents ?? []),
    [{ text: 'minecraft:diamond', color: 'gray' }],
  )
  t.strictSame(renderPlain(rows, options()), [
    `${label}: Diamond (minecraft:diamond) × 3, ${text('system.request.thinking')}, x  /system item `,
  ])
  t.end()
})

void t.test('every hover text of the chat is written out in lines', (t) => {
  const hovers = allParts(chat(view, options())).flatMap((part) =>
    part.hoverEvent === undefined ? [] : [componentText(part.hoverEvent.contents)],
  )
  const lines = renderPlain(view, options()).join('\n')
  t.equal(hovers.length, 3)
  for (const hover of hovers) t.ok(lines.includes(hover), hover)
  t.end()
})

void t.test('a card of one line is that line', (t) => {
  const one: CardView = { title: null, lines: [{ kind: 'text', text: 'hi', tone: 'good' }], buttons: [] }
  t.strictSame(chat(one, options()), { text: 'hi', color: 'green' })
  t.strictSame(renderPlain(one, options()), ['hi'])
  t.strictSame(chat({ title: null, lines: [], buttons: [] }, options()), { text: '' })
  t.end()
})

void t.test('the reader has their own language', (t) => {
  const chinese = chat(view, options({ lang: 'zh_tw' }))
  t.match(componentText(chinese), /你想找的是这些吗？\n[^\n]*稍后再试。/)
  t.match(renderPlain(view, options({ lang: 'zh_cn' })), ['你想找的是这些吗？'])
  t.end()
})

void t.test('a suggested command is one clean line of the chat box', (t) => {
  const command = `/system ask §c${'😀'.repeat(200)}\nsecond`
  const card = chat(
    { title: null, lines: [], buttons: [{ ...suggest, action: { kind: 'suggest', command } }] },
    options(),
  )
  const value = card.clickEvent?.value ?? ''
  t.equal(value, `/system ask ${'😀'.repeat(122)}`)
  t.end()
})

/** A view that shows the text in every place that takes outside text. */
const everywhere = (outside: string): CardView => ({
  title: { key: 'system.failure.unknown_item', params: { query: outside } },
  lines: [
    { kind: 'text', text: outside },
    { kind: 'message', message: { key: 'system.card.row', params: { label: outside, value: outside } } },
    { kind: 'row', label: { key: 'system.request.waiting' }, value: outside },
    { kind: 'item', item: identifier('minecraft:stick'), name: outside, count: 2 },
  ],
  buttons: [{ ...press, label: { key: 'system.card.row', params: { label: outside, value: outside } } }],
})

void t.test('markup of outside texts is shown and does nothing', (t) => {
  for (const [given, shown] of HOSTILE_TEXTS) {
    const card = chat(everywhere(given), options())
    const lines = componentText(card).split('\n')
    t.equal(lines[1], shown, given)
    t.equal(lines[2], `${shown}: ${shown}`)
    t.equal(lines[4], `${shown} × 2`)
    t.equal(lines[5], `[${shown}: ${shown}]`)
    t.strictSame(clickValues(card), ['/system act tok1'])
    t.equal(renderPlain(everywhere(given), options())[1], shown)
  }
  t.end()
})

void t.test('any outside text is shown inertly', (t) => {
  const inert = fc.property(anyText, (outside) => {
    const card = chat(everywhere(outside), options())
    const shown = plainText(outside)
    assert.ok(
      componentText(card).includes(`\n${plainText(outside, { newlines: 'keep' })}\n${shown}: ${shown}\n`),
    )
    assert.deepEqual(clickValues(card), ['/system act tok1'])
    assert.doesNotMatch(componentText(card), /§/)
    assert.doesNotMatch(renderPlain(everywhere(outside), options()).join(''), /[§\p{Cc}]/u)
  })
  t.doesNotThrow(() => fc.assert(inert, { seed: 4, numRuns: 500 }))
  t.end()
})

function clickValues(card: Component): string[] {
  return allParts(card).flatMap((part) => (part.clickEvent === undefined ? [] : [part.clickEvent.value]))
}
