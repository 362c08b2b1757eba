import { z } from 'zod'
import { identifierSchema, isOwnKind } from '../codec/index.js'
import type { Identifier, PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { guarded } from '../core/synchronous.js'
import { shownPriceSchema, type ExternalAnswer } from '../inventory/index.js'
import type { Reference } from '../registry/index.js'

/** A cost as a pack names it: its type and that type's members. */
export interface Cost {
  readonly type: string
}

/** Who is to pay, and for what. */
export interface CostOrigin {
  readonly player: PlayerId
  /** The module that sells: `system:shop`, `system:lottery`, or another plugin's. */
  readonly seller: Identifier
  /** The offer or pool. */
  readonly entry: Identifier
}

/** What a price is worked out from: one player at one moment, read once. */
export interface CostSituation extends CostOrigin {
  /** Total experience points. */
  readonly xp: number
  /** The items of a tag, by its id without `#`; undefined when no pack has it. */
  itemTag(id: Identifier): ReadonlySet<Identifier> | undefined
}

/** Ids of items; made by code, so that nothing of it is copied. */
const itemsSchema = z.custom<ReadonlySet<string>>((items) => items instanceof Set)

const partSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('items'),
    /** Any of these, mixed as it comes. */
    items: itemsSchema,
    /** Whether customised stacks (named, damaged, enchanted …) pay too. */
    isAnyData: z.boolean(),
    count: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal('xp'), points: z.int().min(0) }),
  z.strictObject({ kind: z.literal('resource'), resource: identifierSchema, amount: z.int().min(1) }),
])
/** One part of a price, with its amount settled. */
export type CostPart = z.infer<typeof partSchema>

const pricedSchema = z.array(z.strictObject({ part: partSchema, shown: shownPriceSchema }))
/** A part, and how players read it. */
export type PricedPart = z.infer<typeof pricedSchema>[number]

interface Described {
  readonly id: Identifier
  /** Members beside `type`. */
  members(): z.ZodRawShape
}

/**
 * A kind of cost that the inventory, the experience or the ledger pays. `price` is synchronous, reads nothing but what it is
 * given, and is asked once: the quote keeps what it said. A failure means that there is no price now; it is shown.
 */
export interface CostType<C extends Cost = Cost> extends Described {
  /** What a cost names in packs; pointers begin at the cost. */
  references?(cost: C): Iterable<Reference>
  price(cost: C, situation: CostSituation): Result<readonly PricedPart[]>
}

/** What a cost asks for now. `system:price_unknown`: its kind throws, or what it answers is no price. */
export function priceOf<C extends Cost>(
  type: CostType<C>,
  cost: C,
  situation: CostSituation,
): Result<readonly PricedPart[]> {
  const priced = guarded('system:price_unknown', () => type.price(cost, situation))
  if (!priced.ok || isOwnKind(type)) return priced
  const read = pricedSchema.safeParse(priced.value)
  return read.success ? ok(read.data) : fail('system:price_unknown', {}, `${type.id}: ${read.error.message}`)
}

/** What an outside cost asks for, made once for a quote and charged as it is. */
export interface Bill {
  /** How it is shown, in the player's language, such as `12 coins`: 256 characters at most. */
  readonly text: string
  /** Whatever the type needs to charge it; kept in memory only. */
  readonly amount: unknown
  /** The player has less than this: it is shown, and can't be bought. */
  readonly isShort?: boolean
}

/**
 * A kind of cost that is kept outside of this server's files, such as the balance of an economy plugin: at most one an offer,
 * charged last. All three may wait, for 10 s at most; what throws, hangs or answers nonsense counts as unknown.
 */
export interface ExternalCostType<C extends Cost = Cost> extends Described {
  /** Read-only and repeatable. A failure means that there is no price now; it is shown. */
  prepare(cost: C, about: CostOrigin & { readonly language: string }): Promise<Result<Bill>>
  /** Takes the bill for the order, once however often it is called with that id. */
  charge(order: string, bill: Bill, origin: CostOrigin): Promise<ExternalAnswer>
  /** Whether the order was charged: after an unclear answer, and after a restart. */
  status(order: string, origin: CostOrigin): Promise<ExternalAnswer>
}

export type AnyCostType = CostType | ExternalCostType

export const isExternalType = (type: AnyCostType): type is ExternalCostType => 'charge' in type
