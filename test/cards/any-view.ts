import fc from 'fast-check'
import type { CardAction, CardButton, CardLine, CardView } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { plain, type Component, type Message } from '../../lib/text/index.js'
import { anyText } from '../text/any-text.js'

/** Text of any kind, sometimes long, sometimes without a blank. */
const text = fc.oneof(
  { weight: 6, arbitrary: anyText },
  { weight: 2, arbitrary: fc.constantFrom('שלום עולם', '钻石剑', '😀👩‍🚀', '{"text":"x"}', '§cred', '') },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('x', '钻', '😀', 'il ', '\u0301'), fc.nat(600))
      .map(([unit, count]) => unit.repeat(count)),
  },
)
const message: fc.Arbitrary<Message> = text.map((param) => ({
  key: 'system.card.row',
  params: { label: param, value: 'v' },
}))
const identified = fc.constantFrom(identifier('minecraft:diamond'), identifier('minecraft:stone'))
const item = fc.record(
  { item: identified, name: text, count: fc.oneof(fc.nat(700), fc.constantFrom(-1, 0.5, NaN)) },
  { requiredKeys: ['item', 'name'] },
)
const component: fc.Arbitrary<Component> = fc
  .record({
    inner: text,
    hover: text,
    bold: fc.boolean(),
  })
  .map(({ inner, hover, bold }) => ({
    text: '',
    bold,
    extra: [
      { ...plain(inner), color: 'yellow', hoverEvent: { action: 'show_text', contents: plain(hover) } },
      plain(inner),
    ],
  }))
const value = fc.oneof(message, component, item, text)
const action: fc.Arbitrary<CardAction> = fc.oneof(
  fc.constant<CardAction>({ kind: 'server', module: identifier('system:help'), params: {} }),
  text.map((command): CardAction => ({ kind: 'suggest', command: `/system ${command}` })),
  fc.constantFrom<CardAction>({ kind: 'local', show: { page: 1 } }, { kind: 'local', show: 'close' }),
)
const tone = fc.constantFrom('normal', 'muted', 'good', 'bad', 'accent')
const line = fc.oneof(
  fc.record({ kind: fc.constant('message'), message, tone }),
  fc.record({ kind: fc.constant('text'), text, tone }),
  fc.record(
    {
      kind: fc.constant('row'),
      label: message,
      value: fc.oneof(value, fc.array(value, { maxLength: 4 })),
      suggest: text,
    },
    { requiredKeys: ['kind', 'label', 'value'] },
  ),
  item.map((shown) => ({ kind: 'item' as const, ...shown })),
  fc.record(
    {
      kind: fc.constant('entry'),
      icon: item,
      title: value,
      about: fc.array(value, { maxLength: 4 }),
      action,
      isMarked: fc.boolean(),
    },
    { requiredKeys: ['kind', 'title'] },
  ),
  fc.record(
    { kind: fc.constant('progress'), label: message, share: fc.double() },
    { requiredKeys: ['kind', 'share'] },
  ),
  fc.constant({ kind: 'separator' }),
  fc.record({ kind: fc.constant('section'), label: message }),
) as fc.Arbitrary<CardLine>
const button = fc.record(
  { label: message, hover: message, place: fc.constantFrom('body', 'footer'), action },
  { requiredKeys: ['label', 'action'] },
) as fc.Arbitrary<CardButton>

/** Any card: lines of every kind with any text, many or none of them. */
export const anyView: fc.Arbitrary<CardView> = fc.record({
  title: fc.option(message),
  lines: fc.array(line, { maxLength: 12, size: 'max' }),
  buttons: fc.array(button, { maxLength: 15, size: 'max' }),
})
