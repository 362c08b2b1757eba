import { z } from 'zod'
import { identifierSchema, namedSchema, vanillaIdSchema } from '../codec/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import type { Condition, ConditionType } from './condition-type.js'

const GAME_MODES = ['survival', 'creative', 'adventure', 'spectator'] as const
const DAY_TICKS = 24_000
const MAX_INNER = 64

type Of<M> = Condition & M
const oneOrMore = <T extends z.ZodType>(schema: T) => z.union([schema, z.array(schema).min(1).max(64)])
const listOf = <T>(value: T | readonly T[]): readonly T[] =>
  Array.isArray(value) ? (value as readonly T[]) : [value as T]

/** A kind of ours; its members were decoded by the schema that it gives itself. */
const kind = <M>(
  name: string,
  members: ConditionType['members'],
  test: ConditionType<Of<M>>['test'],
): ConditionType => ({
  id: identifier(`system:${name}`),
  members,
  test: (condition, situation, inner) => test(condition as Of<M>, situation, inner),
})

interface Inner {
  readonly conditions: readonly Condition[]
}

const allOf = kind<Inner>(
  'all_of',
  (inner) => ({ conditions: z.array(inner).max(MAX_INNER) }),
  ({ conditions }, _situation, test) => conditions.every(test),
)

const anyOf = kind<Inner>(
  'any_of',
  (inner) => ({ conditions: z.array(inner).max(MAX_INNER) }),
  ({ conditions }, _situation, test) => conditions.some(test),
)

const not = kind<{ readonly condition: Condition }>(
  'not',
  (inner) => ({ condition: inner }),
  ({ condition }, _situation, test) => !test(condition),
)

/** Any System, or this one. */
const hasSystem = kind<{ readonly system?: Identifier }>(
  'has_system',
  () => ({ system: identifierSchema.optional() }),
  ({ system }, situation) => situation.system !== null && (system ?? situation.system) === situation.system,
)

const permission = kind<{ readonly level: number }>(
  'permission',
  () => ({ level: z.int().min(0).max(4) }),
  ({ level }, { permissionLevel }) => permissionLevel >= level,
)

const gameMode = kind<{ readonly gamemode: string | readonly string[] }>(
  'gamemode',
  () => ({ gamemode: oneOrMore(z.enum(GAME_MODES)) }),
  ({ gamemode }, { facts }) => facts !== undefined && listOf(gamemode).includes(facts.gameMode),
)

const dimension = kind<{ readonly dimension: Identifier | readonly Identifier[] }>(
  'dimension',
  () => ({ dimension: oneOrMore(vanillaIdSchema) }),
  (condition, { facts }) => facts !== undefined && listOf(condition.dimension).includes(facts.dimension),
)

interface Range {
  readonly min?: number
  readonly max?: number
}

/** Experience levels, both ends included. */
const level = kind<Range>(
  'level',
  () => ({ min: z.int().min(0).optional(), max: z.int().min(0).optional() }),
  ({ min = 0, max = Infinity }, { facts }) => facts !== undefined && facts.level >= min && facts.level <= max,
)

/** An item or `#tag` in the player's own inventory. */
const hasItem = kind<{ readonly item: string; readonly count?: number }>(
  'has_item',
  () => ({
    item: namedSchema,
    count: z.int().min(1).max(2_368).optional(),
  }),
  ({ item, count = 1 }, situation) => {
    const tag = item.startsWith('#') ? situation.itemTag(item.slice(1) as Identifier) : undefined
    const counts = (id: Identifier): boolean => (item.startsWith('#') ? tag?.has(id) === true : id === item)
    let carried = 0
    for (const stack of situation.facts?.inventory ?? []) if (counts(stack.id)) carried += stack.count
    return carried >= count
  },
)

/** Never met until players have advancements. */
const hasAdvancement = kind(
  'has_advancement',
  () => ({ advancement: vanillaIdSchema }),
  () => false,
)

/** Never met until there are quest books. */
const questCompleted = kind(
  'quest_completed',
  () => ({ quest: z.string().min(1).max(64) }),
  () => false,
)

const dayTicks = z
  .int()
  .min(0)
  .max(DAY_TICKS - 1)

/** Ticks of the day, both ends included; `min` above `max` goes over midnight. */
const time = kind<Range>(
  'time',
  () => ({ min: dayTicks.optional(), max: dayTicks.optional() }),
  ({ min = 0, max = DAY_TICKS - 1 }, { dayTime }) =>
    min <= max ? dayTime >= min && dayTime <= max : dayTime >= min || dayTime <= max,
)

/** The kinds that are always there. */
export const BUILT_IN_CONDITIONS: readonly ConditionType[] = [
  allOf,
  anyOf,
  not,
  hasSystem,
  permission,
  gameMode,
  dimension,
  level,
  hasItem,
  hasAdvancement,
  questCompleted,
  time,
]
