import { z } from 'zod'
import { isOwnKind, Kinds, kindSchema } from '../codec/index.js'
import { encodeTree } from '../codec/nbt/index.js'
import { fail, ok, type Result } from '../core/result.js'
import { guarded } from '../core/synchronous.js'
import {
  goodsSchema,
  mergeLines,
  NO_GOODS,
  type Booked,
  type Goods,
  type ItemLine,
  type ItemTransaction,
} from '../inventory/index.js'
import type { Reference } from '../registry/index.js'
import { BUILT_IN_REWARDS } from './built-in.js'
import type { ItemForms } from './item-forms.js'
import { shownRewardSchema, type Reward, type RewardType, type ShownReward } from './reward-type.js'

/** Parts of one reward. */
const MAX_REWARDS = 16
/** What vanilla's experience can be. */
const MAX_POINTS = 2 ** 31 - 1

/** What a reward is when it is promised: by value, whatever packs say later. */
export interface Promised {
  readonly goods: Goods
  readonly booked: readonly Booked[]
}

/** The kinds of rewards: ours, and those of extensions. Filled at start-up, before a schema is asked for. */
export class RewardTypes {
  readonly #kinds = new Kinds<RewardType, readonly Reward[]>('reward', BUILT_IN_REWARDS, rewardsSchema)

  /** Throws a TypeError for a bad id, one that is taken, or members that can't be described. */
  add(type: RewardType): void {
    if (type.goods === undefined) this.#kinds.add(type, ['shown', 'book'])
    else this.#kinds.add(type, ['shown', 'goods'])
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    return this.#kinds.mark()
  }

  /** A reward: 1 to 16 parts. */
  schema(): z.ZodType<readonly Reward[]> {
    return this.#kinds.schema()
  }

  /** What the parts are worth together. `system:reward_unusable`: one can't be given as it is, with what is wrong. */
  promise(rewards: readonly Reward[], forms: ItemForms): Result<Promised> {
    const lines: ItemLine[] = []
    const booked: Booked[] = []
    let xp = 0
    for (const reward of rewards) {
      const type = this.#kinds.of(reward.type)
      if (type === undefined) return fail('system:reward_unusable', {}, `${reward.type} is unknown`)
      const goods = goodsOf(type, reward, forms)
      if (!goods.ok) return fail('system:reward_unusable', {}, goods.failure)
      lines.push(...goods.value.lines)
      xp += goods.value.xp
      if (type.book !== undefined) booked.push({ type: type.id, value: reward })
    }
    const merged = mergeLines(lines)
    // held against the inbox's own schema, whoever made it: what can't be kept is not to be sold
    const kept = goodsSchema.safeParse({ lines: merged, xp })
    const isWritable = merged.every(
      ({ data }) => data === '' || encodeTree({ type: 'string', value: data }).ok,
    )
    if (!kept.success || !isWritable || xp > MAX_POINTS)
      return fail('system:reward_unusable', {}, 'more than one entry of the inbox holds')
    return ok({ goods: { lines: merged, xp }, booked })
  }

  /** Books a promised part. A failure: it isn't, and nothing of it is. */
  book(tx: ItemTransaction, { type, value }: Booked): Result<void> {
    const found = this.#kinds.of(type)
    if (found?.book === undefined) return fail('system:reward_unusable', {}, `${type} is unknown`)
    return guarded('system:reward_unusable', () => found.book?.(tx, value as Reward) ?? ok(undefined))
  }

  /** Takes a booked part back. */
  unbook(tx: ItemTransaction, { type, value }: Booked): Result<void> {
    const found = this.#kinds.of(type)
    if (found?.unbook === undefined) return fail('system:reward_unusable', {}, `${type} can't be taken back`)
    return guarded('system:reward_unusable', () => found.unbook?.(tx, value as Reward) ?? ok(undefined))
  }

  /** What players read; a kind that is gone, or says nothing that can be shown, is shown by its name. */
  shown(rewards: readonly Reward[]): readonly ShownReward[] {
    return rewards.flatMap((reward): readonly ShownReward[] => {
      try {
        const type = this.#kinds.of(reward.type)
        if (type !== undefined && isOwnKind(type)) return type.shown(reward)
        return shownSchema.parse(type?.shown(reward))
      } catch {
        return [{ kind: 'other', text: reward.type }]
      }
    })
  }

  /** What decoded rewards name in packs. */
  *references(rewards: readonly Reward[], pointer: readonly (string | number)[]): Iterable<Reference> {
    for (const [at, reward] of rewards.entries())
      for (const reference of this.#kinds.of(reward.type)?.references?.(reward) ?? [])
        yield { ...reference, pointer: [...pointer, at, ...reference.pointer] }
  }
}

const shownSchema = z.array(shownRewardSchema)

const rewardsSchema = (types: readonly RewardType[]): z.ZodType<readonly Reward[]> =>
  z.array(kindSchema(types)).min(1).max(MAX_REWARDS)

/** What a kind gives into the inventory, whatever its author wrote. */
function goodsOf(type: RewardType, reward: Reward, forms: ItemForms): Result<Goods> {
  if (type.goods === undefined) return ok(NO_GOODS)
  const goods = guarded('system:reward_unusable', () => type.goods?.(reward, forms) as Result<Goods>)
  if (!goods.ok || isOwnKind(type)) return goods
  const read = goodsSchema.safeParse(goods.value)
  return read.success
    ? ok(read.data)
    : fail('system:reward_unusable', {}, `${type.id}: ${read.error.message}`)
}
