import type { WindowSlot } from '../../../lib/cards/render/index.js'
import { wellFormed, type Component } from '../../../lib/text/index.js'
import { encodeComponent, textEra } from '../text/index.js'
import type { SquidServer } from '../types.js'

/** Stands in for an item that the version doesn't have. */
const UNKNOWN_ICON = 'paper'
/** Of all text of one item; 54 of them stay below a megabyte. */
const ITEM_BUDGET_BYTES = 16_384
const NAME_BUDGET_BYTES = 1_024
/** All of vanilla's flags: no lines about enchantments, attributes and the like. */
const HIDE_ALL = 127

/** Items as they are sent, for windows and books. */
export interface WireItems {
  /** A slot that shows something. */
  slot(slot: WindowSlot): unknown
  /** A written book whose pages are components of the version. */
  book(book: { readonly title: string; readonly pages: readonly Component[] }): unknown
}

/** Each page's share; a hundred of them stay below a megabyte. */
const PAGE_BUDGET_BYTES = 8_192

/** The forms of the server's version. */
export function wireItems(serv: Pick<SquidServer, 'supportFeature' | 'registry'>): WireItems {
  const { itemsByName } = serv.registry
  const idOf = (path: string): number =>
    (Object.hasOwn(itemsByName, path) ? itemsByName[path]?.id : undefined) ?? idOf(UNKNOWN_ICON)
  const era = textEra(serv)
  // texts within items became NBT later than those of the chat
  const isModern = serv.supportFeature('itemsWithComponents')
  const encode = (text: Component, budgetBytes: number): unknown =>
    encodeComponent(text, { ...era, nbt: isModern }, budgetBytes)
  const form = isModern ? MODERN : TAGGED
  return {
    slot: ({ icon, count, name, lore, isMarked = false }) => {
      const [namespace, path = ''] = icon.split(':')
      return form.item({
        id: namespace === 'minecraft' ? idOf(path) : idOf(UNKNOWN_ICON),
        count,
        name: encode(name, NAME_BUDGET_BYTES),
        lore: fitting(lore, encode),
        isMarked,
      })
    },
    book: ({ title, pages }) =>
      form.book({
        id: idOf('written_book'),
        title: wellFormed(title),
        pages: pages.map((page) => encode(page, PAGE_BUDGET_BYTES)),
      }),
  }
}

function fitting(lines: readonly Component[], encode: (line: Component, left: number) => unknown): unknown[] {
  const encoded: unknown[] = []
  let left = ITEM_BUDGET_BYTES
  for (const line of lines) {
    if (left < NAME_BUDGET_BYTES) break
    const one = encode(line, NAME_BUDGET_BYTES)
    left -= JSON.stringify(one).length
    encoded.push(one)
  }
  return encoded
}

interface Look {
  readonly id: number
  readonly count: number
  readonly name: unknown
  readonly lore: readonly unknown[]
  readonly isMarked: boolean
}

interface Book {
  readonly id: number
  readonly title: string
  readonly pages: readonly unknown[]
}

interface ItemForm {
  item(look: Look): unknown
  book(book: Book): unknown
}

/** From 1.20.5 on items carry data components. */
const MODERN: ItemForm = {
  item: ({ id, count, name, lore, isMarked }) =>
    modern(id, count, [
      { type: 'custom_name', data: name },
      ...(lore.length === 0 ? [] : [{ type: 'lore', data: lore }]),
      ...(isMarked ? [{ type: 'enchantment_glint_override', data: true }] : []),
      { type: 'hide_additional_tooltip' },
      { type: 'attribute_modifiers', data: { attributes: [], showTooltip: false } },
    ]),
  book: ({ id, title, pages }) =>
    modern(id, 1, [
      {
        type: 'written_book_content',
        data: {
          rawTitle: title,
          filteredTitle: undefined,
          author: '',
          generation: 0,
          pages: pages.map((content) => ({ content, filteredContent: undefined })),
          resolved: true,
        },
      },
    ]),
}

const modern = (itemId: number, itemCount: number, components: readonly unknown[]): unknown => ({
  present: true,
  itemId,
  itemCount,
  addedComponentCount: components.length,
  removedComponentCount: 0,
  components,
  removeComponents: [],
})

/** Before, a tag. */
const TAGGED: ItemForm = {
  item: ({ id, count, name, lore, isMarked }) =>
    tagged(id, count, {
      display: {
        type: 'compound',
        value: {
          Name: { type: 'string', value: name },
          ...(lore.length === 0 ? {} : { Lore: strings(lore) }),
        },
      },
      HideFlags: { type: 'int', value: HIDE_ALL },
      ...(isMarked ? { Enchantments: { type: 'list', value: { type: 'compound', value: [{}] } } } : {}),
    }),
  book: ({ id, title, pages }) =>
    tagged(id, 1, {
      title: { type: 'string', value: title },
      author: { type: 'string', value: '' },
      resolved: { type: 'byte', value: 1 },
      pages: strings(pages),
    }),
}

const strings = (value: readonly unknown[]): unknown => ({ type: 'list', value: { type: 'string', value } })

const tagged = (itemId: number, itemCount: number, value: unknown): unknown => ({
  present: true,
  itemId,
  itemCount,
  nbtData: { type: 'compound', name: '', value },
})
