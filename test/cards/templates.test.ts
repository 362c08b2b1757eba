/** Card templates of packs: what each kind of node becomes, and that no template shows or does what it must not. */
import t from 'tap'
import { z } from 'zod'
import {
  cardOf,
  CardTypes,
  type CardButton,
  type CardData,
  type CardType,
  type CardView,
} from '../../lib/cards/index.js'
import { renderBook, renderChat, renderPlain, renderWindow } from '../../lib/cards/render/index.js'
import { CARD_TEMPLATES, type CardTemplate } from '../../lib/cards/templates/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText, Languages } from '../../lib/text/index.js'
import { catalogue } from '../support/catalogues.js'
import { HOSTILE_TEXTS } from '../support/hostile-texts.js'

const buy: CardButton = {
  id: 'buy',
  label: { key: 'shop.buy' },
  action: { kind: 'server', module: identifier('shop:buy'), params: { what: 'apple' } },
}
const help: CardButton = {
  label: { key: 'shop.help' },
  action: { kind: 'server', module: identifier('system:help'), params: {} },
}
/** A card of anything, with two buttons and an entry that can be pressed. */
const offer: CardType<Record<string, unknown>> = {
  id: identifier('shop:offer'),
  schema: z.record(z.string(), z.unknown()),
  summary: { key: 'shop.summary' },
  build: () => ({
    title: { key: 'shop.title' },
    lines: [{ kind: 'entry', title: 'one', action: help.action }],
    buttons: [buy, help],
  }),
}
const data = {
  name: 'Apple',
  id: 'apple',
  price: 3,
  stock: { left: 4, of: 8 },
  sellers: [{ name: 'Ann' }, { name: 'Bob' }],
  nothing: [],
  secret: 'not for readers',
}

const decoded = (template: unknown): CardTemplate => CARD_TEMPLATES.schema.parse(template)

/** What a reader gets of the card, and what was told of it. */
function drawn(
  template: unknown,
  of: CardData = cardOf(offer, data),
): CardView & { readonly told: string[] } {
  const told: string[] = []
  const types = new CardTypes([offer], (_, cause) => told.push(String(cause)))
  const made = decoded(template)
  types.useTemplates(() => made)
  return { ...types.view(of), told }
}
const lines = (...body: readonly object[]): CardView['lines'] => {
  const { told, ...view } = drawn({ body })
  t.strictSame(told, [])
  return view.lines
}

void t.test('each kind of node is a line of the view', async (t) => {
  t.strictSame(
    lines(
      { type: 'text', text: '{name} for {price}', tone: 'good' },
      { type: 'text', text: { translate: 'shop.for', with: { what: '{name}', price: '{price}' } } },
      { type: 'text', text: { client: 'item.minecraft.{id}', fallback: '{name}' } },
      { type: 'items', items: [{ item: '{id}', name: '{name}', count: 'price' }, { item: 'oak_log' }] },
      { type: 'icons', label: 'Price', icons: [{ item: 'emerald', count: 2 }] },
      {
        type: 'row',
        label: { translate: 'shop.left' },
        value: ['{stock.left}', { item: '{id}' }],
        tone: 'bad',
        suggest: '/buy {id} ',
      },
      { type: 'progress', value: 'stock.left', max: 'stock.of', label: 'Left' },
      { type: 'progress', value: 0.25 },
      { type: 'progress', value: 1, max: 0 },
      { type: 'separator' },
      { type: 'section', label: 'Sellers', nodes: [{ type: 'text', text: 'in it' }] },
    ),
    [
      { kind: 'text', text: 'Apple for 3', tone: 'good' },
      { kind: 'message', message: { key: 'shop.for', params: { what: 'Apple', price: '3' } } },
      {
        kind: 'message',
        message: {
          key: 'system.card.words',
          params: { words: { translate: 'item.minecraft.apple', fallback: 'Apple' } },
        },
      },
      { kind: 'item', item: 'minecraft:apple', name: 'Apple', count: 3 },
      { kind: 'item', item: 'minecraft:oak_log', name: 'oak log' },
      {
        kind: 'row',
        label: { key: 'system.card.words', params: { words: 'Price' } },
        value: [{ item: 'minecraft:emerald', name: 'emerald', count: 2 }],
      },
      {
        kind: 'row',
        label: { key: 'shop.left' },
        value: ['4', { item: 'minecraft:apple', name: 'apple' }],
        tone: 'bad',
        suggest: '/buy apple ',
      },
      { kind: 'progress', label: { key: 'system.card.words', params: { words: 'Left' } }, share: 0.5 },
      { kind: 'progress', share: 0.25 },
      { kind: 'progress', share: 0 },
      { kind: 'separator' },
      { kind: 'section', label: { key: 'system.card.words', params: { words: 'Sellers' } } },
      { kind: 'text', text: 'in it' },
    ],
  )
})

void t.test('a list repeats its nodes for each element; conditions leave nodes out', async (t) => {
  const shown = lines(
    { type: 'list', each: 'sellers', nodes: [{ type: 'text', text: '{number}. {it.name} sells {name}' }] },
    {
      type: 'list',
      each: 'sellers',
      as: 'a',
      nodes: [
        {
          type: 'list',
          each: 'sellers',
          as: 'b',
          nodes: [{ type: 'text', text: '{a.name}{b.name}{index}' }],
        },
      ],
    },
    { type: 'text', when: 'nothing', text: 'no' },
    { type: 'text', when: '!nothing', text: 'none' },
    { type: 'text', when: 'gone.deeper', text: '{gone.deeper}' },
    { type: 'text', text: '{sellers.1.name} of {sellers.length}' },
  )
  t.strictSame(
    shown.map((line) => (line.kind === 'text' ? line.text : line)),
    [
      '1. Ann sells Apple',
      '2. Bob sells Apple',
      'AnnAnn0',
      'AnnBob1',
      'BobAnn0',
      'BobBob1',
      'none',
      'Bob of 2',
    ],
  )
})

void t.test('what stands in a grid has a place of its own', async (t) => {
  const shown = lines({
    type: 'grid',
    nodes: [
      { type: 'text', text: 'a', tone: 'good' },
      { type: 'text', text: { translate: 'b' } },
      { type: 'row', label: { translate: 'c' }, value: 'd' },
      { type: 'items', items: [{ item: 'apple' }] },
    ],
  })
  t.strictSame(shown, [
    { kind: 'entry', title: 'a', tone: 'good' },
    { kind: 'entry', title: { key: 'b' } },
    { kind: 'entry', title: { key: 'c' }, about: ['d'] },
    { kind: 'item', item: 'minecraft:apple', name: 'apple' },
  ])
})

void t.test(
  'a template arranges the buttons that the type built, and invents none that ask the server',
  async (t) => {
    const view = drawn({
      body: [
        { type: 'button', press: '1', label: 'Help!', icon: 'minecraft:book', place: 'body', hover: 'h' },
        { type: 'button', press: 'gone' },
        { type: 'button', press: '7' },
        { type: 'button', press: { suggest: '/ask {name}' }, label: { translate: 'shop.ask' } },
        { type: 'button', press: { show: 'close' }, label: 'x' },
        {
          type: 'entry',
          icon: { item: 'apple' },
          title: '{name}',
          about: ['{price}'],
          press: 'entry:0',
          marked: true,
        },
        { type: 'entry', title: 'b', press: 'entry:1' },
      ],
    })
    t.strictSame(view.told, [])
    t.strictSame(view.buttons, [
      {
        action: help.action,
        label: { key: 'system.card.words', params: { words: 'Help!' } },
        hover: { key: 'system.card.words', params: { words: 'h' } },
        icon: 'minecraft:book',
        place: 'body',
      },
      { action: { kind: 'suggest', command: '/ask Apple' }, label: { key: 'shop.ask' } },
      {
        action: { kind: 'local', show: 'close' },
        label: { key: 'system.card.words', params: { words: 'x' } },
      },
      buy,
    ])
    t.strictSame(view.lines, [
      {
        kind: 'entry',
        icon: { item: 'minecraft:apple', name: 'apple' },
        title: 'Apple',
        about: ['3'],
        action: help.action,
        isMarked: true,
      },
      { kind: 'entry', title: 'b' },
    ])
    t.strictSame(drawn({ body: [{ type: 'button', press: 'buy' }], otherButtons: 'hidden' }).buttons, [buy])
    for (const press of [
      { kind: 'server', module: 'a:b', params: {} },
      { server: 'a:b' },
      { show: 'all' },
      -1,
    ])
      t.notOk(CARD_TEMPLATES.schema.safeParse({ body: [{ type: 'button', press, label: 'x' }] }).success)
  },
)

void t.test('title and surface are those of the type unless the template has its own', async (t) => {
  t.match(drawn({ body: [] }), { title: { key: 'shop.title' } })
  t.equal(drawn({ body: [], title: null }).title, null)
  t.match(drawn({ body: [], title: { translate: 'a' }, surface: 'window' }), {
    title: { key: 'a' },
    surface: 'window',
  })
  t.match(drawn({ body: [], title: 'Of {name}' }).title, { params: { words: 'Of Apple' } })
})

void t.test('the type says what may be named, if it wants to', async (t) => {
  const types = new CardTypes([{ ...offer, parameters: ({ name }) => ({ called: name }) }])
  types.useTemplates(() => decoded({ body: [{ type: 'text', text: '{called}' }] }))
  t.strictSame(types.view(cardOf(offer, data)).lines, [{ kind: 'text', text: 'Apple' }])
  types.useTemplates(() => decoded({ body: [{ type: 'text', text: '{secret}' }] }))
  t.match(types.view(cardOf(offer, data)).lines, [{ message: offer.summary }])
})

void t.test('the data of a card that has a template are decoded once', async (t) => {
  let decodings = 0
  const schema = offer.schema.refine(() => (decodings += 1) > 0)
  const types = new CardTypes([{ ...offer, schema }])
  types.useTemplates(() => decoded({ body: [{ type: 'text', text: '{name}' }] }))
  t.strictSame(types.view(cardOf(offer, data)).lines, [{ kind: 'text', text: 'Apple' }])
  t.equal(decodings, 1)
})

void t.test(
  'a template that can not be filled leaves the summary and the buttons; it is told of once',
  async (t) => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ type: 'text', text: '{gone}' }, /\/body\/0: \{gone\} is not there, not a text/],
      [{ type: 'text', text: '{stock}' }, /\{stock\} is of the type object/],
      [{ type: 'text', text: '{sellers}' }, /\{sellers\} is a list/],
      [{ type: 'text', text: '{__proto__.x}{constructor.name}' }, /__proto__\.x\} is not there/],
      [{ type: 'text', text: '{__proto__}' }, /\{__proto__\} is not there/],
      [{ type: 'text', text: '{constructor}' }, /\{constructor\} is not there/],
      [{ type: 'text', text: '{constructor.name}' }, /constructor\.name\} is not there/],
      [{ type: 'text', text: '{name.length}' }, /name\.length\} is not there/],
      [{ type: 'list', each: 'name', nodes: [] }, /name is of the type string, not a list/],
      [
        { type: 'list', each: 'sellers', nodes: [{ type: 'separator' }, { type: 'text', text: '{it}' }] },
        /\/body\/0\/nodes\/1: \{it\}/,
      ],
      [{ type: 'progress', value: 'name' }, /name is of the type string, not a number/],
      [{ type: 'items', items: [{ item: 'A {name}' }] }, /minecraft:A Apple is no id/],
      [{ type: 'text', text: { client: '{name} x', fallback: '' } }, /Apple x is no key/],
      [{ type: 'button', press: { show: 'close' } }, /needs a label/],
    ]
    for (const [node, reason] of cases) {
      const view = drawn({ body: [{ type: 'text', text: 'x' }, node].slice(1), title: null })
      t.match(view.told, [reason])
      t.strictSame(
        [view.title, view.lines, view.buttons],
        [null, [{ kind: 'message', message: { key: 'shop.summary' }, tone: 'muted' }], [buy, help]],
      )
      t.notMatch(JSON.stringify(view.lines), /not for readers/)
    }
    const told: unknown[] = []
    const types = new CardTypes([offer], (_, cause) => told.push(cause))
    const broken = decoded({ body: [{ type: 'text', text: '{gone}' }] })
    types.useTemplates(() => broken)
    types.view(cardOf(offer, data))
    types.view(cardOf(offer, data))
    t.equal(told.length, 1)
    types.useTemplates(() => undefined)
    t.match(
      types.view(cardOf(offer, data)).title,
      { key: 'shop.title' },
      'without a template the type says all',
    )
  },
)

void t.test('a value is inserted once and is never anything but text', async (t) => {
  const words = { ...catalogue('en_us'), 'shop.buy': 'Buy', 'shop.help': 'Help' }
  const languages = new Languages(new Map([['en_us', words]]))
  const options = { lang: 'en_us', languages, token: () => 'tok' }
  const body = [
    { type: 'text', text: '{name}' },
    { type: 'text', text: { translate: 'system.card.row', with: { label: '{name}', value: '{name}' } } },
    { type: 'row', label: '{name}', value: '{name}' },
    { type: 'entry', title: '{name}', about: ['{name}'] },
    { type: 'button', press: { suggest: '/say {name}' }, label: '{name}' },
  ]
  for (const name of [
    ...HOSTILE_TEXTS.map(([given]) => given),
    '{secret}',
    '{it.name}',
    '{"text":"x"}',
    '${secret}',
    '$&',
  ]) {
    const view = drawn({ title: 'T {name}', body }, cardOf(offer, { ...data, name }))
    t.strictSame(view.told, [], name)
    const text = [
      componentText(renderChat(view, options).component),
      ...renderBook(view, options).pages.map(componentText),
      ...renderPlain(view, options),
      ...[...renderWindow(view, options).window.slots.values()].map(({ name: label }) =>
        componentText(label),
      ),
    ].join('\n')
    t.notMatch(text, /not for readers|§/, name)
    if (name === '{secret}') t.match(text, /\{secret\}: \{secret\}/)
  }
})

void t.test('what is long ends, and says so', async (t) => {
  const many = Array.from({ length: 100_000 }, (_, at) => ({ name: `n${at}`, many: [] as unknown[] }))
  const text = { type: 'text', text: '{it.name}' }
  const cut = (view: CardView): boolean =>
    JSON.stringify(view.lines.at(-1)).includes('system.card.cut') && view.lines.length <= 2_300
  const of = (extra: object): CardData => cardOf(offer, { ...data, many, ...extra })
  const each = (nodes: readonly object[], over = 'many'): object => ({ type: 'list', each: over, nodes })
  t.ok(cut(drawn({ body: [each([text])] }, of({}))), '100,000 elements')
  t.ok(cut(drawn({ body: [each([])] }, of({}))), 'which are nothing')
  t.ok(cut(drawn({ body: [each([each([each([])])])] }, of({}))), 'of 100,000 each')
  const long = 'x'.repeat(50_000)
  const wide = drawn({ body: [each([{ type: 'text', text: '{long}' }])] }, of({ long }))
  t.ok(cut(wide) && wide.lines.length < 10, 'long texts')
  t.match(drawn({ body: [{ type: 'text', text: '{long}{long}{long}' }] }, of({ long })).told, [/longer than/])
  const buttons = drawn({ body: [each([{ type: 'button', press: { show: 'close' }, label: 'x' }])] }, of({}))
  t.ok(cut(buttons) && buttons.buttons.length <= 300)
  t.strictSame(drawn({ body: [each([text])] }, of({ many: many.slice(0, 1_000) })).lines.length, 1_000)
})
