import type { z } from 'zod'
import type { Identifier } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { Goods, ItemTransaction } from '../inventory/index.js'
import type { Reference } from '../registry/index.js'
import type { CustomItem, ItemForms } from './item-forms.js'

/** A reward as a pack names it: its type and that type's members. JSON values only: it is kept as it is. */
export interface Reward {
  readonly type: string
}

/** One thing that players read of a reward. */
export type ShownReward =
  | { readonly kind: 'item'; readonly item: CustomItem }
  | { readonly kind: 'xp'; readonly points: number }
  | { readonly kind: 'resource'; readonly resource: Identifier; readonly amount: number }
  | { readonly kind: 'feature'; readonly feature: Identifier }
  /** In the words of another plugin. */
  | { readonly kind: 'other'; readonly text: string }

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
