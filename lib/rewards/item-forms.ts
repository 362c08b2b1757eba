import { z } from 'zod'
import { identifierSchema, vanillaIdSchema } from '../codec/index.js'
import { parseSnbt } from '../codec/nbt/index.js'
import type { Result } from '../core/result.js'
import type { ItemLine } from '../inventory/index.js'

/** Stacks of one kind in one reward: 36 slots of 64. */
const MAX_COUNT = 36 * 64
const MAX_LORE = 32

/** Checked where the pack is read, so that its author is told the place. */
const snbtSchema = z
  .string()
  .max(16_384)
  .superRefine((text, context) => {
    const read = parseSnbt(text)
    if (read.ok && read.value.type === 'compound') return
    const { line = 1, column = 1, reason = 'a compound is wanted' } = read.ok ? {} : read.failure.params
    const message = `isn't SNBT: line ${String(line)}, column ${String(column)}: ${String(reason)}`
    context.addIssue({ code: 'custom', message })
  })

/** An item as packs describe it, whatever the version of the game: plain members first, the game's own form for the rest. */
export const customItemSchema = z.strictObject({
  item: vanillaIdSchema,
  count: z.int().min(1).max(MAX_COUNT).default(1),
  /** Plain text; shown without slant. */
  name: z.string().min(1).max(256).optional(),
  lore: z.array(z.string().max(256)).min(1).max(MAX_LORE).optional(),
  /** Levels by id, such as `minecraft:sharpness`. */
  enchantments: z.record(identifierSchema, z.int().min(1).max(255)).optional(),
  /** Of 1.20.5 and later, as vanilla's JSON has them: those that the server's version and we know. */
  components: z.record(identifierSchema, z.json()).optional(),
  /** Before 1.20.5: the item's tag, as SNBT. */
  nbt: snbtSchema.optional(),
})
/** A stack or several of an item, with what is its own. */
export type CustomItem = z.infer<typeof customItemSchema>

/** Turns descriptions into what the inventory holds: the host's side. */
export interface ItemForms {
  /** `system:unknown_item` for one that the version hasn't; `system:item_form` for what it can't be given. */
  lineOf(item: CustomItem): Result<ItemLine>
}
