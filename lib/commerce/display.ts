import { z } from 'zod'
import type { CardItem, CardValue } from '../cards/index.js'
import { identifierSchema, vanillaIdSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import type { ItemLine, ShownPrice } from '../inventory/index.js'
import type { Reward, RewardTypes, ShownReward } from '../rewards/index.js'
import { headUnits } from '../text/index.js'

const count = z.int().min(0)
const MAX_TEXT = 512
const text = z.string().max(MAX_TEXT)
/** A key of the language files, or the words themselves. */
const words = z.string().max(256)

const item = z.strictObject({ kind: z.literal('item'), item: vanillaIdSchema, name: words, count })
const resource = z.strictObject({ kind: z.literal('resource'), name: words, amount: count })
const other = z.strictObject({ kind: z.literal('other'), text })

/** One part of a price on a card. */
export const cardPriceSchema = z.strictObject({
  part: z.discriminatedUnion('kind', [
    item,
    resource,
    other,
    z.strictObject({ kind: z.literal('tag'), tag: words, count }),
    z.strictObject({ kind: z.literal('levels'), levels: count, points: count }),
    z.strictObject({ kind: z.literal('points'), points: count }),
  ]),
  /** The player hasn't as much. */
  isMissing: z.boolean(),
})
export type CardPrice = z.infer<typeof cardPriceSchema>

/** One thing that is given, on a card. */
export const cardThingSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...item.shape, custom: words.nullable() }),
  resource,
  other,
  z.strictObject({ kind: z.literal('xp'), points: count }),
  z.strictObject({ kind: z.literal('feature'), feature: identifierSchema }),
])
export type CardThing = z.infer<typeof cardThingSchema>
/** More than what can be promised together is: 64 kinds of stacks, and what is booked. */
const MAX_THINGS = 128
/** All that is given together. */
export const cardThingsSchema = z.array(cardThingSchema).max(MAX_THINGS)

interface DisplayParts {
  readonly rewards: RewardTypes
  /** English name of an item. */
  readonly nameOf: (item: string) => string
  /** Whether language files have the key. */
  readonly hasText: (key: string) => boolean
}

/** Turns prices and rewards into what cards hold: names are looked up here, cards are built from data alone. */
export class Display {
  readonly #parts: DisplayParts

  constructor(parts: DisplayParts) {
    this.#parts = parts
  }

  prices(shown: readonly ShownPrice[], missing: readonly number[] = []): CardPrice[] {
    return shown.map((price, at) => ({ part: this.#price(price), isMissing: missing.includes(at) }))
  }

  /** What reads the same is one line; of an entry that gives more than can be given, its first. */
  things(rewards: readonly Reward[]): CardThing[] {
    const things = new Map<string, CardThing>()
    for (const [at, shown] of this.#parts.rewards.shown(rewards).entries()) {
      const thing = this.#thing(shown)
      const key = thing.kind === 'item' ? `${thing.item} ${thing.custom ?? ''}` : `${at}`
      const before = things.get(key)
      const isSame = thing.kind === 'item' && before?.kind === 'item'
      things.set(key, isSame ? { ...thing, count: before.count + thing.count } : thing)
    }
    return [...things.values()].slice(0, MAX_THINGS)
  }

  /** What an inbox entry or order holds by value. */
  goods(lines: readonly ItemLine[], xp: number, booked: readonly { readonly value: unknown }[]): CardThing[] {
    return [
      ...lines.map(({ item, count }) =>
        this.#thing({ kind: 'item', item: { item: item as Identifier, count } }),
      ),
      ...(xp > 0 ? [{ kind: 'xp' as const, points: xp }] : []),
      ...this.things(booked.map(({ value }) => value as Reward)),
    ].slice(0, MAX_THINGS)
  }

  /** What a named currency is called: `resource.<namespace>.<path>` of the language files, else the id. */
  resource(id: string): string {
    const key = `resource.${id.replace(/[:/]/g, '.')}`
    return this.#parts.hasText(key) ? key : id
  }

  /** The title of an entry: its own, else what it gives first. */
  title(own: string | null, things: readonly CardThing[]): string {
    if (own !== null && own !== '') return own
    const [first] = things
    if (first === undefined) return '—'
    if (first.kind === 'item') return first.custom ?? first.name
    return first.kind === 'resource' ? first.name : first.kind === 'xp' ? 'system.goods.xp_name' : '—'
  }

  #price(price: ShownPrice): CardPrice['part'] {
    if (price.kind === 'resource')
      return { kind: 'resource', name: this.resource(price.resource), amount: price.amount }
    if (price.kind === 'other') return { kind: 'other', text: price.text }
    if (price.kind !== 'item') return price
    const { item, count } = price
    if (item.startsWith('#')) return { kind: 'tag', tag: this.#tag(item), count }
    return { kind: 'item', item: item as Identifier, name: this.#parts.nameOf(item), count }
  }

  /** Vanilla's way to name tags: `tag.item.<namespace>.<path>`. */
  #tag(ref: string): string {
    const key = `tag.item.${ref.slice(1).replace(/[:/]/g, '.')}`
    return this.#parts.hasText(key) ? key : ref
  }

  #thing(shown: ShownReward): CardThing {
    switch (shown.kind) {
      case 'item': {
        const { item, count, name } = shown.item
        return { kind: 'item', item, name: this.#parts.nameOf(item), count, custom: name ?? null }
      }
      case 'resource':
        return { kind: 'resource', name: this.resource(shown.resource), amount: shown.amount }
      case 'other':
        return { kind: 'other', text: headUnits(shown.text, MAX_TEXT) }
      case 'xp':
      case 'feature':
        return shown
    }
  }
}

const KEY = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/

/** A text of packs on a card: keys of language files are sentences, all else is shown literally. */
export const worded = (text: string): CardValue & (string | { readonly key: string }) =>
  KEY.test(text) ? { key: text } : text

/** What an entry is pictured by: its own icon, else the first item. */
export function iconOf(own: Identifier | null, things: readonly CardThing[]): CardItem | null {
  if (own !== null) return { item: own, name: own }
  const first = things.find((thing) => thing.kind === 'item')
  return first === undefined ? null : { item: first.item, name: first.name, count: first.count }
}

/** One part of a price as a value. */
export function priceValue({ part }: CardPrice): CardValue {
  switch (part.kind) {
    case 'item':
      return { item: part.item, name: part.name, count: part.count }
    case 'tag':
      return { key: 'system.goods.any_of', params: { count: part.count, tag: worded(part.tag) } }
    case 'levels':
      return { key: 'system.goods.levels', params: { levels: part.levels, points: part.points } }
    case 'points':
      return { key: 'system.goods.xp', params: { points: part.points } }
    case 'resource':
      return { key: 'system.goods.resource', params: { amount: part.amount, name: worded(part.name) } }
    case 'other':
      return part.text
  }
}

/** One thing as a value. */
export function thingValue(thing: CardThing): CardValue {
  switch (thing.kind) {
    case 'item': {
      const plain = { item: thing.item, name: thing.name, count: thing.count }
      return thing.custom === null
        ? plain
        : { key: 'system.goods.custom', params: { count: thing.count, name: worded(thing.custom) } }
    }
    case 'xp':
      return { key: 'system.goods.xp', params: { points: thing.points } }
    case 'resource':
      return { key: 'system.goods.resource', params: { amount: thing.amount, name: worded(thing.name) } }
    case 'feature':
      return { key: 'system.goods.feature', params: { feature: thing.feature } }
    case 'other':
      return thing.text
  }
}
