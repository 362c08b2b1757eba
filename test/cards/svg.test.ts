/** Pictures of cards: what the card says is text in them and never anything else. */
import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { bookSvg, chatSvg, windowSvg } from '../../lib/cards/render/index.js'
import type { Component } from '../../lib/text/index.js'
import { HOSTILE_TEXTS } from '../support/hostile-texts.js'

const ELEMENTS = new Map<string, readonly string[]>([
  ['svg', ['xmlns', 'width', 'height', 'viewBox', 'font-family', 'font-size', 'xml:space']],
  ['g', ['transform']],
  ['rect', ['x', 'y', 'width', 'height', 'rx', 'fill', 'fill-opacity', 'stroke']],
  [
    'text',
    'x y fill font-size font-weight font-style text-anchor text-decoration textLength lengthAdjust'.split(
      ' ',
    ),
  ],
])
const TAG = /^<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<>&]*")*)(\/?)>/
const CHARACTERS = /^(?:[^<>&]|&(?:amp|lt|gt|quot|#39);)+/
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/u
const REFERENCES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/** The texts of a document, which must be well-formed and hold nothing but the elements of a drawing; throws else. */
function textsOf(svg: string): readonly string[] {
  const open: string[] = []
  const texts: string[] = []
  if (FORBIDDEN.test(svg)) throw new Error('a character that XML has not')
  for (let rest = svg.trimEnd(); rest !== '';) {
    const [tag, closes, name = '', attributes = '', isEmpty] = TAG.exec(rest) ?? []
    const [characters] = CHARACTERS.exec(rest) ?? []
    if (tag === undefined && characters === undefined) throw new Error(`no XML: ${rest.slice(0, 80)}`)
    if (characters !== undefined) {
      if (open.at(-1) === 'text')
        texts.push(characters.replace(/&[^;]+;/g, (reference) => REFERENCES[reference] ?? ''))
      else if (characters.trim() !== '' || open.length === 0) throw new Error(`text beside: ${characters}`)
    } else if (closes === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`)
    } else {
      checkElement(name, attributes)
      if (isEmpty !== '/') open.push(name)
    }
    rest = rest.slice((tag ?? characters ?? '').length)
  }
  if (open.length > 0) throw new Error(`${open.join()} stays open`)
  return texts
}

function checkElement(element: string, attributes: string): void {
  const names = [...attributes.matchAll(/ ([a-zA-Z:-]+)=/g)].map(([, name = '']) => name)
  const known = ELEMENTS.get(element)
  if (known === undefined || names.some((name) => !known.includes(name)))
    throw new Error(`<${element} ${names.join(' ')}> is no drawing`)
  if (new Set(names).size !== names.length) throw new Error(`<${element}> says something twice`)
}

const slot = (name: Component, more: object = {}) =>
  ({ icon: identifier('minecraft:apple'), count: 1, name, lore: [], ...more }) as const
const windowOf = (name: Component): string =>
  windowSvg({ title: name, rows: 1, slots: new Map([[0, slot(name)]]) })

/** Lines end where a blank was. */
const unspaced = (text: string): string => text.replace(/\s+/g, '')

void t.test('hostile text is text', (t) => {
  const mean: readonly (readonly [string, string])[] = [
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['"/><a href="javascript:x">', '"/><a href="javascript:x">'],
    [']]> <![CDATA[ <!-- --> <?x?>', ']]> <![CDATA[ <!-- --> <?x?>'],
    ['&#x0; &lt; &amp; &x;', '&#x0; &lt; &amp; &x;'],
    ['a\u0000\u0007\u001b\ufffe\uffffb', 'ab'],
    ['half \ud83d', 'half \ufffd'],
    ['😀 𠀀 钻石剑', '😀 𠀀 钻石剑'],
  ]
  for (const [given, shown] of mean) {
    const component: Component = { text: given }
    for (const svg of [chatSvg(component), bookSvg(component)])
      t.equal(unspaced(textsOf(svg).join('')), unspaced(shown), given)
    t.strictSame(textsOf(windowOf(component)), [shown, 'Ap', 'Ap', shown], given)
  }
  for (const [given] of HOSTILE_TEXTS) t.ok(textsOf(windowOf({ text: given })), given)
  t.end()
})

void t.test('a style can bring nothing but its look, and no click or hover', (t) => {
  const component = {
    text: 'x',
    color: '#"/><script>',
    clickEvent: { action: 'run_command', value: '/secret <b>' },
    hoverEvent: { action: 'show_text', contents: { text: 'hidden' } },
  } as unknown as Component
  const svg = chatSvg(component)
  t.strictSame(textsOf(svg), ['x'])
  t.notMatch(svg, /script|secret|hidden/)
  t.match(chatSvg({ text: 'x', color: '#01fFab' }), 'fill="#01fFab"')
  t.match(chatSvg({ translate: '<k>', fallback: '<f>' }), '&lt;f&gt;')
  t.end()
})

void t.test('text without a blank goes on in the next line, all of it, within the panel', (t) => {
  const letters = 'W<'.repeat(20_000)
  const svg = chatSvg({ text: letters })
  t.equal(textsOf(svg).join(''), letters)
  const [, width] = /viewBox="0 0 (\d+) /.exec(svg) ?? []
  const ends = [...svg.matchAll(/<text x="(\d+)" y="\d+" textLength="(\d+)"/g)].map(
    ([, x, length]) => Number(x) + Number(length),
  )
  // as many pairs of 11 pixels as 320 hold, and the padding
  t.equal(Number(width), 29 * 11 + 20)
  t.equal(Math.max(...ends), 10 + 29 * 11 - 1)
  t.equal(svg, chatSvg({ text: letters }))
  t.end()
})

void t.test('a window has every slot, counts from two on, and marks', (t) => {
  const slots = new Map([
    [0, slot({ text: 'one' }, { lore: [{ text: 'first' }, { text: 'second' }] })],
    [8, slot({ text: 'many' }, { count: 64, isMarked: true, token: 'secret-token' })],
  ])
  const svg = windowSvg({ title: { text: 'Shop' }, rows: 2, slots })
  t.strictSame(textsOf(svg), ['Shop', 'Ap', 'Ap', '64', 'Ap', 'one', 'first', 'second', 'Ap', '64', 'many'])
  t.equal(svg.match(/width="18"/g)?.length, 18)
  t.notMatch(svg, 'secret-token')
  t.match(svg, '#e0a526')
  t.end()
})

void t.test('each run stands where the one before it ends', (t) => {
  const svg = chatSvg({
    text: 'ab ',
    extra: [
      { text: ' il', color: 'green' },
      { text: 'W', bold: true },
    ],
  })
  // 6 + 6 + 4, a blank of 4; 2 + 3; one pixel is the gap behind the last letter
  t.strictSame(
    [...svg.matchAll(/<text x="(\d+)" y="19" textLength="(\d+)"/g)].map(([, x, length]) => [x, length]),
    [
      ['10', '11'],
      ['30', '4'],
      ['35', '6'],
    ],
  )
  t.end()
})
