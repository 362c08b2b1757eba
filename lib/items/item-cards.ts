import { z } from 'zod'
import type { CardButton, CardItem, CardLine, CardType, CardValue } from '../cards/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import { translate, type Component, type Message } from '../text/index.js'
import { itemFactsSchema, itemNameSchema, type ItemFacts, type ItemName } from './item-facts.js'

export const ITEM_MODULE = identifier('system:item_query')
export const RECIPE_MODULE = identifier('system:recipe_query')

/** The item's name in the client's own language. */
export const nameComponent = ({ name, translationKey }: ItemName): Component =>
  translate(translationKey, name)

/** A button that asks an item module about one item. */
export const askButton = (label: Message, module: typeof ITEM_MODULE, item: ItemName): CardButton => ({
  label,
  action: { kind: 'server', module, params: { query: item.id } },
})

/** What a paged card needs to turn its pages. */
interface Paging {
  readonly module: typeof ITEM_MODULE
  readonly query: string
  readonly page: number
  /** Entries after this page. */
  readonly more: number
}

/** Buttons to the neighbouring pages; pressing one replaces the card. */
export function pageButtons({ module, query, page, more }: Paging): CardButton[] {
  const to = (label: Message, target: number): CardButton => ({
    label,
    action: { kind: 'server', module, params: { query, page: String(target) } },
  })
  return [
    ...(page > 0 ? [to({ key: 'system.item.previous' }, page - 1)] : []),
    ...(more > 0 ? [to({ key: 'system.item.more', params: { count: more } }, page + 1)] : []),
  ]
}

const yesNo = (value: boolean): Message => ({ key: value ? 'system.item.yes' : 'system.item.no' })

/** Clients name it in their own language; the words of the id are for those that don't know the item. */
const material = (item: Identifier): CardItem => ({
  item,
  name: item.replace(/^minecraft:/, '').replaceAll('_', ' '),
})

function factLines(item: ItemFacts): CardLine[] {
  const row = (name: string, value: CardValue | readonly CardValue[]): CardLine => ({
    kind: 'row',
    label: { key: `system.item.${name}` },
    value,
  })
  const { durability, food, repairedWith = [] } = item
  return [
    row('stack_size', String(item.stackSize)),
    ...(durability === undefined ? [] : [row('durability', String(durability))]),
    ...(food === undefined
      ? []
      : [row('food', String(food.points)), row('saturation', String(Math.round(food.saturation * 10) / 10))]),
    ...(repairedWith.length === 0 ? [] : [row('repaired_with', repairedWith.map(material))]),
    row('placeable', yesNo(item.block)),
  ]
}

/** One item's facts. */
export const itemCardType: CardType<ItemFacts> = {
  id: identifier('system:item'),
  schema: itemFactsSchema,
  build: (item) => ({
    title: { key: 'system.item.title', params: { item: nameComponent(item) } },
    lines: [
      { kind: 'row', label: { key: 'system.item.id' }, value: item.id, tone: 'muted' },
      ...factLines(item),
    ],
    buttons: item.craftable ? [askButton({ key: 'system.item.recipe' }, RECIPE_MODULE, item)] : [],
  }),
  memoryFact: (item) => `Showed the facts of ${item.id}.`,
}

const listSchema = z.strictObject({
  /** Which module the entries open. */
  target: z.enum(['item', 'recipe']),
  query: z.string().max(100),
  page: z.int().min(0),
  matches: z.array(itemNameSchema).max(8),
  more: z.int().min(0),
})
export type ItemList = z.infer<typeof listSchema>

/** Several matches of a query, one button each. */
export const itemListCardType: CardType<ItemList> = {
  id: identifier('system:item_list'),
  schema: listSchema,
  build: ({ target, query, page, matches, more }) => {
    const module = target === 'item' ? ITEM_MODULE : RECIPE_MODULE
    return {
      title: { key: 'system.item.list_title', params: { query } },
      lines: [],
      buttons: [
        ...matches.map((match) => openButton(match, module)),
        ...pageButtons({ module, query, page, more }),
      ],
    }
  },
  memoryFact: ({ query, matches, more }) =>
    `Listed ${matches.length + more} items that match "${query}": ${matches.map(({ id }) => id).join(', ')}.`,
}

/** The hover holds the id: some items share a name. */
const openButton = (item: ItemName, module: typeof ITEM_MODULE): CardButton => ({
  ...askButton({ key: 'system.item.open', params: { item: nameComponent(item) } }, module, item),
  // above what leads to other pages, however many there are
  place: 'body',
  hover: { key: 'system.item.open_hover', params: { id: item.id } },
})

const unknownSchema = z.strictObject({
  target: z.enum(['item', 'recipe']),
  query: z.string().max(100),
  nearest: z.array(itemNameSchema).min(1).max(5),
})
export type UnknownItem = z.infer<typeof unknownSchema>

/** Says that nothing has the name, and what may have been meant. */
export const unknownItemCardType: CardType<UnknownItem> = {
  id: identifier('system:item_unknown'),
  schema: unknownSchema,
  build: ({ target, query, nearest }) => ({
    title: null,
    lines: [
      { kind: 'message', tone: 'bad', message: { key: 'system.item.unknown', params: { query } } },
      { kind: 'message', tone: 'muted', message: { key: 'system.item.nearest' } },
    ],
    buttons: nearest.map((item) => openButton(item, target === 'item' ? ITEM_MODULE : RECIPE_MODULE)),
  }),
  memoryFact: ({ query }) => `Found no item called "${query}".`,
}
