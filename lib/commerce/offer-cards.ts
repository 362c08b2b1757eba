import { z } from 'zod'
import type { CardAction, CardEntry, CardLine } from '../cards/index.js'
import { identifierSchema, vanillaIdSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import {
  cardPriceSchema,
  cardThingSchema,
  priceValue,
  thingValue,
  worded,
  type CardPrice,
  type CardThing,
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
  things: z.array(cardThingSchema).max(64),
})
export type SoldCard = z.infer<typeof soldSchema>

/** The entry as one of a list. */
export function soldEntry(sold: SoldCard, action: CardAction): CardEntry {
  return {
    ...(sold.icon === null ? {} : { icon: sold.icon as NonNullable<CardEntry['icon']> }),
    title: worded(sold.title),
    about: [
      ...(sold.description === null ? [] : [worded(sold.description)]),
      ...(sold.price ?? []).map(priceValue),
    ],
    action,
  }
}

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
  things.map((thing): CardLine => {
    const value = thingValue(thing)
    const icon =
      thing.kind === 'item' ? { item: thing.item, name: thing.name, count: thing.count } : undefined
    return { kind: 'entry', ...(icon === undefined ? {} : { icon }), title: value }
  })

/** A press that asks a module. */
export const asks = (module: Identifier, params: Readonly<Record<string, string>> = {}): CardAction => ({
  kind: 'server',
  module,
  params,
})
