import { z } from 'zod'
import type { CardAction, CardButton, CardEntry, CardLine } from '../cards/index.js'
import { identifierSchema, vanillaIdSchema } from '../codec/index.js'
import type { FailureCode } from '../core/failure.js'
import { identifier, type Identifier } from '../core/ids.js'
import type { Holder } from '../registry/index.js'
import { failureMessage, type Message } from '../text/index.js'
import type { Sold } from './catalogue.js'
import {
  cardPriceSchema,
  cardThingsSchema,
  iconOf,
  priceValue,
  thingValue,
  worded,
  type CardPrice,
  type CardThing,
  type Display,
} from './display.js'

const words = z.string().max(512)

/** One entry of a catalogue on a card. */
export const soldSchema = z.strictObject({
  id: identifierSchema,
  title: words,
  description: words.nullable(),
  icon: z.strictObject({ item: vanillaIdSchema, name: words, count: z.int().min(1).optional() }).nullable(),
  /** What it costs; null: that is worked out when it is looked at. */
  price: z.array(cardPriceSchema).max(36).nullable(),
  /** What it gives, or the best of it. */
  things: cardThingsSchema,
})
export type SoldCard = z.infer<typeof soldSchema>

/** The entry as one of a list. */
export function soldEntry(sold: SoldCard, action: CardAction): CardEntry {
  return {
    ...(sold.icon === null ? {} : { icon: sold.icon as NonNullable<CardEntry['icon']> }),
    title: worded(sold.title),
    about: [
      ...(sold.description === null ? [] : [worded(sold.description)]),
      ...sold.things.filter((thing) => !isSaid(thing, sold.title)).map(thingValue),
      ...(sold.price === null || sold.price.length === 0 ? [] : [{ key: 'system.goods.for' }]),
      ...(sold.price ?? []).map(priceValue),
    ],
    action,
  }
}

/** One of an item by which the entry is called anyway. */
const isSaid = (thing: CardThing, title: string): boolean =>
  thing.kind === 'item' && thing.count === 1 && (thing.custom ?? thing.name) === title

/** What stands beside the word for prices. */
export const priceLines = (price: readonly CardPrice[]): CardLine[] =>
  price.length === 0
    ? [{ kind: 'row', label: { key: 'system.goods.price' }, value: { key: 'system.goods.free' } }]
    : price.map((part) => ({
        kind: 'row',
        label: { key: part.isMissing ? 'system.goods.price_missing' : 'system.goods.price' },
        value: priceValue(part),
        tone: part.isMissing ? 'bad' : 'normal',
      }))

/** What is given, one line each. */
export const thingLines = (things: readonly CardThing[]): CardLine[] =>
  things.map((thing): CardLine => ({ kind: 'entry', ...pictured([thing]), title: thingValue(thing) }))

/** A press that asks a module. */
export const asks = (module: Identifier, params: Readonly<Record<string, string>> = {}): CardAction => ({
  kind: 'server',
  module,
  params,
})

/** The picture of a list's entry: the first item of what it is about. */
export function pictured(things: readonly CardThing[]): Pick<CardEntry, 'icon'> {
  const icon = iconOf(null, things)
  return icon === null ? {} : { icon }
}

/** Why something can't be had, as a line. */
export const failureLines = (code: FailureCode | null): CardLine[] =>
  code === null ? [] : [{ kind: 'message', message: failureMessage({ code, params: {} }), tone: 'bad' }]

/** The buttons below a price: confirm and leave it, or look again where it can't be paid. */
export function confirmButtons(of: {
  readonly module: Identifier
  readonly entry: Identifier
  readonly quote: string | null
  readonly label: Message
  readonly again: CardAction
}): CardButton[] {
  if (of.quote === null) return [{ id: 'again', label: { key: 'system.shop.again' }, action: of.again }]
  const action = asks(of.module, { quote: of.quote, entry: of.entry })
  return [
    { id: 'confirm', icon: identifier('minecraft:emerald'), label: of.label, action },
    { id: 'cancel', label: { key: 'system.shop.cancel' }, action: { kind: 'local', show: 'close' } },
  ]
}

/** An entry of a catalogue as cards hold it. */
export function soldOf(
  { id, value }: Holder<Pick<Sold, 'title' | 'description' | 'icon'>>,
  { things, price }: Pick<SoldCard, 'things' | 'price'>,
  display: Display,
): SoldCard {
  const { title, description, icon } = value
  return { id, title: display.title(title, things), description, icon: iconOf(icon, things), price, things }
}

/** Whether all words of the query stand in what the entry is called or gives. */
export function hasWords({ id, title, things }: SoldCard, query: string): boolean {
  const names = things.map((thing) => (thing.kind === 'item' ? `${thing.item} ${thing.name}` : ''))
  const text = [id, title, ...names].join(' ').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
