import { parseSnbt, type NbtCompound, type NbtTree } from '../../lib/codec/nbt/index.js'
import { canonicalJson } from '../../lib/core/json.js'
import { fail, ok } from '../../lib/core/result.js'
import type { PlayerInventories } from '../../lib/inventory/index.js'
import type { CustomItem, ItemForms } from '../../lib/rewards/index.js'
import { plain } from '../../lib/text/index.js'
import { carriedCompound, componentForms, enchantmentNumbers, type WireComponent } from './item-components.js'
import { toPlain } from './shield/index.js'
import { encodeComponent, textEra } from './text/index.js'
import type { SquidServer } from './types.js'

/** Larger than any text that a pack may give. */
const TEXT_BYTES = 8_192

/** What is an item's own as stacks hold it; or which member of its description the version can't have. */
type Form = (item: CustomItem) => Readonly<Record<string, unknown>> | { readonly refused: string }

/** What items described in packs are in this version of the game. */
export function itemForms(
  serv: Pick<SquidServer, 'supportFeature' | 'registry'>,
  inventories: () => PlayerInventories,
): ItemForms {
  const form = serv.supportFeature('itemsWithComponents') ? modern(serv) : tagged(serv)
  // every prize of a pool is looked at before each draw; entries of a catalogue are the same objects until a reload
  const known = new WeakMap<CustomItem, ReturnType<ItemForms['lineOf']>>()
  const lineOf: ItemForms['lineOf'] = (item) => {
    if (inventories().maxStack(item.item) === null) return fail('system:unknown_item', { query: item.item })
    const own = form(item)
    if ('refused' in own) return fail('system:item_form', { item: item.item, member: String(own.refused) })
    const data = Object.keys(own).length === 0 ? '' : canonicalJson(toPlain(own))
    return ok({ item: item.item, count: item.count, data })
  }
  return {
    lineOf(item) {
      const line = known.get(item) ?? lineOf(item)
      known.set(item, line)
      return line
    },
  }
}

/** A text as the version's items have it. The client would make it slanted. */
function itemText(serv: Pick<SquidServer, 'supportFeature' | 'registry'>): (line: string) => unknown {
  const era = { ...textEra(serv), nbt: serv.supportFeature('itemsWithComponents') }
  return (line) => encodeComponent(plain(line, { italic: false }), era, TEXT_BYTES)
}

const enchantmentsMember = (item: string, ofBooks: string, ofOthers: string): string =>
  item === 'minecraft:enchanted_book' ? ofBooks : ofOthers

/** From 1.20.5 on: components in the wire's form. */
function modern(serv: Pick<SquidServer, 'supportFeature' | 'registry'>): Form {
  const text = itemText(serv)
  const formOf = componentForms(serv, enchantmentNumbers(serv))
  const version = String(serv.registry.version.minecraftVersion)
  return ({ item, name, lore, enchantments, components = {}, nbt }) => {
    if (nbt !== undefined) return { refused: 'nbt' }
    const made = new Map<string, WireComponent>()
    for (const [id, value] of Object.entries(components)) {
      const component = formOf(id, value)
      if (component === null) return { refused: id }
      made.set(component.type, component)
    }
    if (enchantments !== undefined) {
      const member = enchantmentsMember(item, 'minecraft:stored_enchantments', 'minecraft:enchantments')
      const component = formOf(member, enchantments)
      if (component === null) return { refused: 'enchantments' }
      made.set(component.type, component)
    }
    if (name !== undefined) made.set('custom_name', { type: 'custom_name', data: text(name) })
    if (lore !== undefined) made.set('lore', { type: 'lore', data: lore.map(text) })
    return made.size === 0 ? {} : { version, components: [...made.values()] }
  }
}

const list = (type: 'string' | 'compound', value: readonly unknown[]): NbtTree =>
  ({ type: 'list', value: { type, value } }) as NbtTree

/** Before: a tag. */
function tagged(serv: Pick<SquidServer, 'supportFeature' | 'registry'>): Form {
  const text = itemText(serv)
  const numberOf = enchantmentNumbers(serv)
  return ({ item, name, lore, enchantments = {}, components, nbt }) => {
    if (components !== undefined) return { refused: 'components' }
    const own = nbt === undefined ? {} : compoundOf(nbt)
    if (own === null) return { refused: 'nbt' }
    const levels = Object.entries(enchantments)
    if (levels.some(([id]) => numberOf(id) === null)) return { refused: 'enchantments' }
    const display: NbtCompound = {
      ...(own['display']?.type === 'compound' ? own['display'].value : {}),
      ...(name === undefined ? {} : { Name: { type: 'string', value: String(text(name)) } }),
      ...(lore === undefined ? {} : { Lore: list('string', lore.map(text)) }),
    }
    const enchanted = levels.map(([id, lvl]) => ({
      id: { type: 'string', value: id },
      lvl: { type: 'short', value: lvl },
    }))
    const member = enchantmentsMember(item, 'StoredEnchantments', 'Enchantments')
    const tag: NbtCompound = {
      ...own,
      ...(Object.keys(display).length === 0 ? {} : { display: { type: 'compound', value: display } }),
      ...(levels.length === 0 ? {} : { [member]: list('compound', enchanted) }),
    }
    return Object.keys(tag).length === 0 ? {} : { nbt: tag }
  }
}

function compoundOf(snbt: string): NbtCompound | null {
  const read = parseSnbt(snbt)
  return read.ok ? carriedCompound(read.value) : null
}
