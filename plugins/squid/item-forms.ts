import { identifier } from '../../lib/core/ids.js'
import { fail, ok } from '../../lib/core/result.js'
import type { PlayerInventories } from '../../lib/inventory/index.js'
import type { CustomItem, ItemForms } from '../../lib/rewards/index.js'

/** Members that make an item another than its plain one. */
const OWN_MEMBERS = ['name', 'lore', 'enchantments', 'components', 'nbt'] as const

/** What items described in packs are in this version of the game. */
export function itemForms(inventories: () => PlayerInventories): ItemForms {
  return {
    lineOf(item: CustomItem) {
      if (inventories().maxStack(item.item) === null) return fail('system:unknown_item', { query: item.item })
      const own = OWN_MEMBERS.find((member) => item[member] !== undefined)
      if (own !== undefined) return fail('system:item_form', { item: item.item, member: own })
      return ok({ item: identifier(item.item), count: item.count, data: '' })
    },
  }
}
