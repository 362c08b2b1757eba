import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'

const count = z.int().min(0)

/** What minecraft-data says of an item. Categories, burn times and sources are not in it. */
export const itemFactsSchema = z.strictObject({
  id: identifierSchema,
  /** The client's English name; several items may share one (music discs). */
  name: z.string().max(128),
  /** The client's language key of the name. */
  translationKey: z.string().max(256),
  stackSize: z.int().min(1),
  /** Uses until it breaks; absent for what doesn't wear. */
  durability: z.int().min(1).optional(),
  /** Half drumsticks and saturation points that eating gives. */
  food: z.strictObject({ points: count, saturation: z.number().min(0) }).optional(),
  /** Materials that mend it on an anvil. */
  repairedWith: z.array(identifierSchema).max(32).optional(),
  /** A block has the same id, so it can be placed. */
  block: z.boolean(),
  /** The data has at least one crafting recipe that makes it. */
  craftable: z.boolean(),
})
export type ItemFacts = z.infer<typeof itemFactsSchema>

/** What a card needs to name an item. */
export const itemNameSchema = itemFactsSchema.pick({ id: true, name: true, translationKey: true })
export type ItemName = z.infer<typeof itemNameSchema>

/** The name part of an item's facts. */
export const itemNameOf = ({ id, name, translationKey }: ItemName): ItemName => ({ id, name, translationKey })
