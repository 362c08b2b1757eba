import { z } from 'zod'
import { vanillaIdSchema } from '../codec/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import type { Cost, CostTypes } from '../costs/index.js'
import type { DataRegistry, Holder, Reference, RegistryType } from '../registry/index.js'
import type { Reward, RewardTypes } from '../rewards/index.js'
import type { ModuleType } from '../systems/index.js'

/** Largest sum of weights: what one draw of a random number reaches. */
const MAX_TOTAL = 2 ** 48 - 1
const MAX_PRIZES = 512
const MAX_REFERENCES = 512

/** What all three kinds of entries are shown as. */
interface Shown {
  /** A translation key, or the words themselves; null: it is called after what it gives. */
  readonly title: string | null
  readonly description: string | null
  /** What it looks like in a window; null: its first item. */
  readonly icon: Identifier | null
}

/** One of the rewards for signing in. */
export interface SigninReward extends Shown {
  readonly weight: number
  readonly rewards: readonly Reward[]
}

/** Something that is sold at a price. */
export interface Sold extends Shown {
  readonly costs: readonly Cost[]
}

export interface Offer extends Sold {
  readonly rewards: readonly Reward[]
}

export interface Prize {
  readonly title: string | null
  readonly weight: number
  readonly rewards: readonly Reward[]
}

/** A lottery: one prize of it comes out of each draw. */
export interface Pool extends Sold {
  readonly prizes: readonly Prize[]
}

/** What packs put up: server only, nothing of it is sent as it is. */
export interface CommerceRegistries {
  readonly rewards: RegistryType<SigninReward>
  readonly offers: RegistryType<Offer>
  readonly pools: RegistryType<Pool>
}

const title = z.string().min(1).max(128).nullable().default(null)
const shown = {
  title,
  description: z.string().max(512).nullable().default(null),
  icon: vanillaIdSchema.nullable().default(null),
}
const weight = z.int().min(1).max(MAX_TOTAL)

export const weightOf = (entries: readonly { readonly weight: number }[]): number =>
  entries.reduce((total, { weight }) => total + weight, 0)

/** Made before all kinds are registered: the schemas ask for them when the first entry is decoded. */
export function commerceRegistries(costs: CostTypes, rewards: RewardTypes): CommerceRegistries {
  const price = z.lazy(() => costs.schema())
  const reward = z.lazy(() => rewards.schema())
  const prize = z.strictObject({ title, weight, rewards: reward })
  return {
    rewards: {
      id: identifier('system:signin_rewards'),
      folder: 'system/signin_rewards',
      schema: z.strictObject({ ...shown, weight: weight.default(1), rewards: reward }),
      references: (entry) => rewards.references(entry.rewards, ['rewards']),
    },
    offers: {
      id: identifier('system:shop_offers'),
      folder: 'system/shop_offers',
      schema: z.strictObject({ ...shown, costs: price, rewards: reward }),
      references: (entry) => [
        ...costs.references(entry.costs, ['costs']),
        ...rewards.references(entry.rewards, ['rewards']),
      ],
    },
    pools: {
      id: identifier('system:lottery_pools'),
      folder: 'system/lottery_pools',
      schema: z.strictObject({
        ...shown,
        costs: price,
        prizes: z
          .array(prize)
          .min(1)
          .max(MAX_PRIZES)
          .refine((prizes) => weightOf(prizes) <= MAX_TOTAL, {
            message: 'the weights are more than 2^48 - 1',
          }),
      }),
      references: (entry) => [
        ...costs.references(entry.costs, ['costs']),
        ...entry.prizes.flatMap((prize, at) => [
          ...rewards.references(prize.rewards, ['prizes', at, 'rewards']),
        ]),
      ],
    },
  }
}

/** One of the three catalogues: which module type shows it, and how its configurations name entries. */
export interface Catalogue<T> {
  /** Id of the module type. */
  readonly type: Identifier
  /** Member of a configuration: ids and `#tags`; absent the whole catalogue, empty nothing. */
  readonly member: string
  readonly registry: RegistryType<T>
}

const reference = z.string().regex(/^#?[a-z0-9_.-]+:[a-z0-9_./-]+$/, 'neither an identifier nor a #tag')

/** The module type that packs configure a catalogue by. */
export function catalogueType<T>(
  { type, member, registry }: Catalogue<T>,
  { modules, parameters = {} }: Pick<ModuleType, 'modules' | 'parameters'>,
): ModuleType {
  return {
    id: type,
    modules,
    parameters: { ...parameters, [member]: z.array(reference).max(MAX_REFERENCES).optional() },
    references: (given) =>
      refsOf(given, member)?.map((ref, at): Reference => ({
        registry: registry.id,
        ref,
        pointer: [member, at],
      })) ?? [],
  }
}

const refsOf = (
  parameters: Readonly<Record<string, unknown>>,
  member: string,
): readonly string[] | undefined => parameters[member] as readonly string[] | undefined

/**
 * What a player sees of a catalogue: the union over the configurations that are open to the player, each entry once, in the
 * order of the catalogue. The one view of lists, searches, quotes, confirmations and charges.
 */
export function visible<T>(
  entries: DataRegistry<T>,
  configurations: readonly { readonly parameters: Readonly<Record<string, unknown>> }[],
  { member }: Pick<Catalogue<T>, 'member'>,
): readonly Holder<T>[] {
  if (configurations.length === 0) return []
  const lists = configurations.map(({ parameters }) => refsOf(parameters, member))
  if (lists.includes(undefined)) return entries.values()
  const named = new Set(lists.flatMap((refs) => entries.resolve(refs ?? [])))
  return entries.values().filter((holder) => named.has(holder))
}
