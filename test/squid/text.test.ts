import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import t from 'tap'
import type { CardView } from '../../lib/cards/index.js'
import { renderChat } from '../../lib/cards/render/index.js'
import { componentText, plain, translate, type Component } from '../../lib/text/index.js'
import {
  encodeComponent,
  itemKeys,
  modifiedUtf8Bytes,
  toNbt,
  type TextEra,
} from '../../plugins/squid/text/index.js'
import { identifier } from '../../lib/core/ids.js'
import { shippedLanguages } from '../support/catalogues.js'
import { decodeComponent, simplify } from '../support/component.js'
import { HOSTILE_TEXTS } from '../support/hostile-texts.js'
import { anyText } from '../text/any-text.js'

const require = createRequire(import.meta.url)
interface Codec {
  createPacketBuffer(packet: unknown): Buffer
  parsePacketBuffer(packet: Buffer): { data: { params: Record<string, unknown> } }
}
const protocol = require('minecraft-protocol') as {
  createSerializer(options: unknown): Codec
  createDeserializer(options: unknown): Codec
}
const VANILLA = new Set(['item.minecraft.diamond', 'block.minecraft.stone'])
const era = (over: Partial<TextEra> = {}): TextEra => ({
  nbt: true,
  systemChat: true,
  fallback: true,
  hasKey: (key) => VANILLA.has(key),
  ...over,
})
const NBT = era()
const JSON_NEW = era({ nbt: false })
const JSON_OLD = era({ nbt: false, systemChat: false, fallback: false })

/** What arrives: the field after the real serializer and parser of the version. */
function travel(content: unknown, version = '1.21.4'): { bytes: number; content: unknown } {
  const packet = protocol
    .createSerializer({ state: 'play', isServer: true, version })
    .createPacketBuffer({ name: 'system_chat', params: { content, isActionBar: false } })
  const parsed = protocol
    .createDeserializer({ state: 'play', isServer: false, version })
    .parsePacketBuffer(packet)
  return { bytes: packet.length, content: parsed.data.params['content'] }
}
const arrive = (component: Component, over: TextEra): Component =>
  decodeComponent(travel(encodeComponent(component, over), over.nbt ? '1.21.4' : '1.20.1').content)

void t.test('plain data as NBT', (t) => {
  const cases: [Parameters<typeof toNbt>[0], unknown][] = [
    ['x', 'x'],
    [true, 1],
    [false, 0],
    [7, 7],
    [1.5, 1.5],
    [3e12, 3e12],
    [-(2 ** 31), -2147483648],
    [5_000_000_000n, [1, 705032704]],
    [{ a: undefined, b: null, c: [] }, { c: [] }],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      [1, 2, null],
      [1, 2],
    ],
    [
      ['a', { text: 'b' }, 7, true],
      [{ text: 'a' }, { text: 'b' }, { '': 7 }, { '': 1 }],
    ],
    [
      [[1], ['a']],
      [[1], ['a']],
    ],
  ]
  for (const [value, wanted] of cases) {
    t.strictSame(simplify(toNbt(value)), wanted)
    const sent = simplify(travel(toNbt({ value })).content) as { value: unknown }
    // the parser gives longs as a subclass of Array
    t.same(sent.value, wanted, 'through the real serializer')
  }
  const own = toNbt(JSON.parse('{"__proto__":"x"}') as Record<string, string>)
  t.strictSame(Object.getOwnPropertyNames(own.value), ['__proto__'], 'a key like any other')
  t.end()
})

void t.test('a component arrives as it was sent', (t) => {
  const card: Component = {
    text: '',
    extra: [
      plain('Answer 😀 钻石', { color: '#55ffaa', bold: true, italic: false }),
      {
        ...translate('item.minecraft.diamond', 'Diamond'),
        hoverEvent: { action: 'show_text', contents: { text: 'id', italic: true } },
      },
      { text: '[Run]', clickEvent: { action: 'run_command', value: '/system act x' }, insertion: 'y' },
      { translate: 'k', with: [{ text: 'a' }, { translate: 'block.minecraft.stone' }] },
    ],
  }
  for (const over of [NBT, JSON_NEW]) t.strictSame(arrive(card, over), card)
  t.equal(typeof encodeComponent(card, JSON_NEW), 'string')
  t.end()
})

void t.test('clients without fallbacks get readable text', (t) => {
  const card: Component = {
    text: '',
    extra: [
      translate('item.minecraft.diamond', 'Diamond'),
      { ...translate('item.mod.ruby', '100% Ruby'), color: 'red', extra: [{ text: '!' }] },
      { text: 'h', hoverEvent: { action: 'show_text', contents: translate('item.mod.opal', 'Opal') } },
      { translate: 'block.minecraft.stone', with: [translate('item.mod.jade', 'Jade')] },
    ],
  }
  t.strictSame(decodeComponent(encodeComponent(card, JSON_OLD)).extra, [
    { translate: 'item.minecraft.diamond' },
    { color: 'red', extra: [{ text: '!' }], text: '100% Ruby' },
    { text: 'h', hoverEvent: { action: 'show_text', contents: { text: 'Opal' } } },
    { translate: 'block.minecraft.stone', with: [{ text: 'Jade' }] },
  ])
  t.end()
})

void t.test('hostile texts and any text arrive literally', (t) => {
  for (const [given, shown] of HOSTILE_TEXTS)
    for (const over of [NBT, JSON_NEW, JSON_OLD]) t.strictSame(arrive(plain(given), over), { text: shown })
  const literal = fc.property(anyText, fc.boolean(), (text, nbt) => {
    const component = plain(text, {}, { newlines: 'keep' })
    assert.deepEqual(arrive(component, nbt ? NBT : JSON_NEW), component)
  })
  t.doesNotThrow(() => fc.assert(literal, { seed: 5, numRuns: 500 }))
  t.end()
})

void t.test('text that went around plain still serializes', (t) => {
  const raw: Component = {
    text: 'a\ud83d',
    extra: [],
    insertion: '\ude00',
    clickEvent: { action: 'copy_to_clipboard', value: '\ud800' },
    hoverEvent: {
      action: 'show_text',
      contents: { translate: 'k', fallback: '\udfff', with: [], extra: [] },
    },
  }
  for (const over of [NBT, JSON_NEW])
    t.strictSame(arrive(raw, over), {
      text: 'a\ufffd',
      insertion: '\ufffd',
      clickEvent: { action: 'copy_to_clipboard', value: '\ufffd' },
      hoverEvent: { action: 'show_text', contents: { translate: 'k', fallback: '\ufffd' } },
    })
  t.end()
})

void t.test('what is too big is cut with an ellipsis before it is written', (t) => {
  const button: Component = { text: '[x]', clickEvent: { action: 'run_command', value: '/x' } }
  const big: [string, Component][] = [
    ['a 60 kB answer without spaces', { text: '', extra: [{ text: 'a'.repeat(60_000) }, button] }],
    ['a string above 65,535 bytes', { text: '钻'.repeat(30_000) }],
    ['emoji', { text: '😀'.repeat(30_000) }],
    ['quotes and controls', { text: '"\\\u0001'.repeat(30_000) }],
    ['many parts', { text: '', extra: Array.from({ length: 5_000 }, () => button) }],
    [
      'a huge hover',
      { text: 'x', hoverEvent: { action: 'show_text', contents: { text: 'y'.repeat(90_000) } } },
    ],
    ['a huge key', { translate: 'k'.repeat(90_000) }],
  ]
  for (const [what, component] of big)
    for (const over of [NBT, JSON_NEW]) {
      const sent = travel(encodeComponent(component, over), over.nbt ? '1.21.4' : '1.20.1')
      t.ok(sent.bytes <= 32_768, `${what}: ${sent.bytes} bytes`)
      const shown = componentText(decodeComponent(sent.content))
      t.ok(shown.endsWith('…'), what)
      t.notMatch(shown, '\ufffd', `${what}: no pair is split`)
      if (!/huge|many/.test(what)) t.ok(shown.length > 5_000, `${what}: what fits is shown`)
    }
  const cut = decodeComponent(encodeComponent({ text: 'x'.repeat(99_999) }, NBT, 10_000_000))
  t.ok(modifiedUtf8Bytes(componentText(cut)) <= 65_535, 'no budget allows an unwritable string')
  t.strictSame(decodeComponent(encodeComponent({ text: 'short' }, NBT, 0)), {
    text: '',
    extra: [{ text: '' }, { text: '…' }],
  })
  t.end()
})

void t.test('any tree fits any budget', (t) => {
  const { tree } = fc.letrec<{ tree: Component }>((tie) => ({
    tree: fc.record(
      {
        text: fc.oneof(
          anyText,
          anyText.map((text) => text.repeat(40)),
        ),
        bold: fc.boolean(),
        color: fc.constantFrom('red', '#123456'),
        extra: fc.array(tie('tree'), { maxLength: 4, depthIdentifier: 'tree' }),
        hoverEvent: fc.record({
          action: fc.constant('show_text' as const),
          contents: fc.record({ text: anyText }),
        }),
      },
      { requiredKeys: ['text'] },
    ) as fc.Arbitrary<Component>,
  }))
  const bounded = fc.property(
    tree,
    fc.integer({ min: 128, max: 4_096 }),
    fc.boolean(),
    (component, budget, nbt) => {
      const sent = travel(encodeComponent(component, nbt ? NBT : JSON_NEW, budget), nbt ? '1.21.4' : '1.20.1')
      assert.ok(sent.bytes <= budget, `${sent.bytes} of ${budget}`)
    },
  )
  t.doesNotThrow(() => fc.assert(bounded, { seed: 6, numRuns: 500 }))
  t.end()
})

void t.test('depth is bounded and nothing is lost by it', (t) => {
  let deep: Component = { text: 'x' }
  for (let level = 0; level < 40; level += 1) deep = { text: 'x', extra: [deep] }
  const arrived = arrive(deep, NBT)
  t.equal(componentText(arrived), 'x'.repeat(41))
  let depth = 0
  for (let part: Component | undefined = arrived; part !== undefined; part = part.extra?.[0]) depth += 1
  t.equal(depth, 17)
  t.end()
})

void t.test('every page of the longest answer arrives whole', (t) => {
  const answer = '钻石😀!'.repeat(10_000)
  const options = { lang: 'en_us', languages: shippedLanguages(), token: () => 'x' }
  const view: CardView = { title: null, lines: [{ kind: 'text', text: answer }], buttons: [] }
  const { pages } = renderChat(view, options)
  let arrived = ''
  for (let page = 0; page < pages; page += 1) {
    const { component } = renderChat(view, { ...options, page })
    t.strictSame(componentText(arrive(component, NBT)), componentText(component))
    arrived += component.extra?.[0] === undefined ? '' : componentText(component.extra[0])
  }
  t.equal(arrived, answer)
  t.end()
})

void t.test('items and blocks have their own keys', (t) => {
  const key = itemKeys(era({ hasKey: (key) => VANILLA.has(key) }))
  t.equal(key(identifier('minecraft:diamond')), 'item.minecraft.diamond')
  t.equal(key(identifier('minecraft:stone')), 'block.minecraft.stone')
  t.equal(key(identifier('mod:a/b')), 'item.mod.a.b')
  t.end()
})
