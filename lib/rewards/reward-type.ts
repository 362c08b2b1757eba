import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { Goods, ItemTransaction } from '../inventory/index.js'
import type { Reference } from '../registry/index.js'
import { customItemSchema, type ItemForms } from './item-forms.js'

/** A reward as a pack names it: its type and that type's members. JSON values only: it is kept as it is. */
export interface Reward {
  readonly type: string
}

export const shownRewardSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('item'),
    item: customItemSchema.pick({ item: true, count: true, name: true }).loose(),
  }),
  z.strictObject({ kind: z.literal('xp'), points: z.int().min(0) }),
  z.strictObject({ kind: z.literal('resource'), resource: identifierSchema, amount: z.int().min(0) }),
  z.strictObject({ kind: z.literal('feature'), feature: identifierSchema }),
  /** In the words of another plugin. */
  z.strictObject({ kind: z.literal('other'), text: z.string() }),
])
/** One thing that players read of a reward. */
export type ShownReward = z.infer<typeof shownRewardSchema>

/**
 * A kind of reward. What it gives into the inventory (`goods`) is worked out when it is promised, and kept by value; what it
 * books in the store (`book`) happens in the transaction of its claim. All are synchronous and have no other effect.
 */
export interface RewardType<R extends Reward = Reward> {
  readonly id: Identifier
  /** Members beside `type`. */
  members(): z.ZodRawShape
  /** What a reward names in packs; pointers begin at the reward. */
  references?(reward: R): Iterable<Reference>
  goods?(reward: R, forms: ItemForms): Result<Goods>
  /** A failure leaves it owed: the rest is claimed, and this waits in the inbox. */
  book?(tx: ItemTransaction, reward: R): Result<void>
  /** Takes back what was booked, where the price came back to the player; a failure is told to admins. */
  unbook?(tx: ItemTransaction, reward: R): Result<void>
  shown(reward: R): readonly ShownReward[]
}
