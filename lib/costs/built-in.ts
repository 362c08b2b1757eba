import { z } from 'zod'
import { identifierSchema, namedSchema } from '../codec/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import { fail, ok } from '../core/result.js'
import type { Reference } from '../registry/index.js'
import type { Cost, CostType } from './cost-type.js'
import { pointsOfLevels } from './experience.js'

/** All that 36 slots of stacks hold. */
const MAX_ITEMS = 36 * 64
/** What vanilla's experience can be. */
const MAX_POINTS = 2 ** 31 - 1
const MAX_LEVELS = 21_863

type Of<M> = Cost & M

/** A kind of ours; its members were decoded by the schema that it gives itself. */
const kind = <M>(name: string, members: CostType['members'], type: Omit<CostType<Of<M>>, 'id' | 'members'>) =>
  ({ id: identifier(`system:${name}`), members, ...type }) as unknown as CostType

const free = kind('free', () => ({}), { price: () => ok([]) })

interface ItemCost {
  /** An id or `#tag`. */
  readonly item: string
  readonly count: number
  readonly components?: 'any'
}

const item = kind<ItemCost>(
  'item',
  () => ({
    item: namedSchema,
    count: z.int().min(1).max(MAX_ITEMS).default(1),
    /** Absent: only stacks without anything of their own. */
    components: z.literal('any').optional(),
  }),
  {
    references: ({ item }) => (item.startsWith('#') ? [tagReference(item)] : []),
    price: ({ item, count, components }, situation) => {
      const isTag = item.startsWith('#')
      const items = isTag ? situation.itemTag(item.slice(1) as Identifier) : new Set([item])
      if (items === undefined) return fail('system:price_unknown')
      const part = { kind: 'items', items, isAnyData: components === 'any', count } as const
      return ok([{ part, shown: { kind: 'item', item, count } }])
    },
  },
)

const tagReference = (ref: string): Reference => ({
  registry: identifier('minecraft:item'),
  ref,
  pointer: ['item'],
})

const levels = kind<{ readonly levels: number }>(
  'xp_levels',
  () => ({ levels: z.int().min(1).max(MAX_LEVELS) }),
  {
    price: ({ levels }, { xp }) => {
      const points = pointsOfLevels(xp, levels)
      return ok([{ part: { kind: 'xp', points }, shown: { kind: 'levels', levels, points } }])
    },
  },
)

const points = kind<{ readonly points: number }>(
  'xp_points',
  () => ({ points: z.int().min(1).max(MAX_POINTS) }),
  {
    price: ({ points }) => ok([{ part: { kind: 'xp', points }, shown: { kind: 'points', points } }]),
  },
)

const resource = kind<{ readonly resource: Identifier; readonly amount: number }>(
  'resource',
  () => ({ resource: identifierSchema, amount: z.int().min(1) }),
  {
    price: ({ resource, amount }) =>
      ok([{ part: { kind: 'resource', resource, amount }, shown: { kind: 'resource', resource, amount } }]),
  },
)

/** The kinds that are always there. */
export const BUILT_IN_COSTS: readonly CostType[] = [free, item, levels, points, resource]
