import { canonicalJson } from '../../lib/core/json.js'
import { fail, ok } from '../../lib/core/result.js'
import type { PlayerInventories } from '../../lib/inventory/index.js'
import type { CustomItem, ItemForms } from '../../lib/rewards/index.js'
import { plain } from '../../lib/text/index.js'
import { toPlain } from './shield/index.js'
import { encodeComponent, textEra } from './text/index.js'
import type { SquidServer } from './types.js'

/** Members that can't be turned into what the game holds: those of one era in the other, and forms that only vanilla knows. */
const REFUSED = { modern: ['enchantments', 'components', 'nbt'], tagged: ['components', 'nbt'] } as const

/** Larger than any text that a pack may give. */
const TEXT_BYTES = 8_192

type Form = (item: CustomItem) => Readonly<Record<string, unknown>>

/** What items described in packs are in this version of the game. */
export function itemForms(
  serv: Pick<SquidServer, 'supportFeature' | 'registry'>,
  inventories: () => PlayerInventories,
): ItemForms {
  const isModern = serv.supportFeature('itemsWithComponents')
  const refused = REFUSED[isModern ? 'modern' : 'tagged']
  const era = { ...textEra(serv), nbt: isModern }
  // the client would make it slanted
  const text = (line: string): unknown => encodeComponent(plain(line, { italic: false }), era, TEXT_BYTES)
  const version = String(serv.registry.version.minecraftVersion)
  const form = isModern ? modern(text, version) : tagged(text)
  // every prize of a pool is looked at before each draw; entries of a catalogue are the same objects until a reload
  const known = new WeakMap<CustomItem, string>()
  const dataOf = (item: CustomItem): string => {
    const found = known.get(item)
    if (found !== undefined) return found
    const members = form(item)
    const data = Object.keys(members).length === 0 ? '' : canonicalJson(toPlain(members))
    known.set(item, data)
    return data
  }
  return {
    lineOf(item) {
      if (inventories().maxStack(item.item) === null) return fail('system:unknown_item', { query: item.item })
      const own = refused.find((member) => item[member] !== undefined)
      if (own !== undefined) return fail('system:item_form', { item: item.item, member: own })
      return ok({ item: item.item, count: item.count, data: dataOf(item) })
    },
  }
}

/** From 1.20.5 on: components in the wire's form. */
const modern =
  (text: (line: string) => unknown, version: string): Form =>
  ({ name, lore }) => {
    const components = [
      ...(name === undefined ? [] : [{ type: 'custom_name', data: text(name) }]),
      ...(lore === undefined ? [] : [{ type: 'lore', data: lore.map(text) }]),
    ]
    return components.length === 0 ? {} : { version, components }
  }

/** Before: a tag. */
const tagged =
  (text: (line: string) => unknown): Form =>
  ({ item, name, lore, enchantments }) => {
    const display = {
      ...(name === undefined ? {} : { Name: { type: 'string', value: text(name) } }),
      ...(lore === undefined
        ? {}
        : { Lore: { type: 'list', value: { type: 'string', value: lore.map(text) } } }),
    }
    const levels = Object.entries(enchantments ?? {}).map(([id, lvl]) => ({
      id: { type: 'string', value: id },
      lvl: { type: 'short', value: lvl },
    }))
    const list = { type: 'list', value: { type: 'compound', value: levels } }
    const key = item === 'minecraft:enchanted_book' ? 'StoredEnchantments' : 'Enchantments'
    const nbt = {
      ...(Object.keys(display).length === 0 ? {} : { display: { type: 'compound', value: display } }),
      ...(levels.length === 0 ? {} : { [key]: list }),
    }
    return Object.keys(nbt).length === 0 ? {} : { nbt }
  }
