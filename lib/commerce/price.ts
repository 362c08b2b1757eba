import { failure, toFailure, type Failure } from '../core/failure.js'
import type { Clock } from '../core/clock.js'
import { fail, ok, type Result } from '../core/result.js'
import { within } from '../core/within.js'
import {
  assignCosts,
  isExternalType,
  priceOf,
  type Bill,
  type Cost,
  type CostPart,
  type CostSituation,
  type CostTypes,
  type ExternalCostType,
  type Means,
} from '../costs/index.js'
import { MAX_BOOKED, type ShownPrice } from '../inventory/index.js'
import { headUnits } from '../text/index.js'

/** How long a cost outside may take to name its price. */
const PREPARE_MS = 10_000
const MAX_TEXT = 256

/** What is to be paid outside of this server. */
export interface ExternalPrice {
  readonly type: ExternalCostType
  readonly bill: Bill
}

/** A price with every amount settled: it is worked out once, and exactly this is taken. */
export interface Price {
  readonly parts: readonly CostPart[]
  readonly external: ExternalPrice | null
  /** One for each cost but `free`, those of `parts` first. */
  readonly shown: readonly ShownPrice[]
}

/** A price, why it can't be paid now, and which of `shown` the player lacks. */
export interface Asked {
  readonly price: Price
  readonly failure: Failure | null
  readonly missing: readonly number[]
}

/** Works prices out. */
export class Prices {
  readonly #types: CostTypes
  readonly #clock: Clock

  constructor(types: CostTypes, clock: Clock) {
    this.#types = types
    this.#clock = clock
  }

  /** A failure: there is no price at all now. Changes nothing. */
  async ask(
    costs: readonly Cost[],
    situation: CostSituation & { readonly language: string },
    means: Means,
  ): Promise<Result<Asked>> {
    const parts: CostPart[] = []
    const shown: ShownPrice[] = []
    let external: ExternalPrice | null = null
    for (const cost of costs) {
      const type = this.#types.of(cost)
      if (type === undefined) return fail('system:price_unknown', {}, `${cost.type} is unknown`)
      if (isExternalType(type)) {
        const bill = await this.#prepare(type, cost, situation)
        if (!bill.ok) return bill
        external = { type, bill: bill.value }
        continue
      }
      const priced = priceOf(type, cost, situation)
      if (!priced.ok) return priced
      for (const one of priced.value) {
        parts.push(one.part)
        shown.push(one.shown)
      }
    }
    const assigned = assignCosts(parts, means)
    const missing = 'missing' in assigned ? [...assigned.missing] : []
    if (external !== null) {
      if (external.bill.isShort === true) missing.push(shown.length)
      shown.push({ kind: 'other', type: external.type.id, text: external.bill.text })
    }
    if (shown.length > MAX_BOOKED) return fail('system:price_unknown', {}, 'more parts than an order holds')
    const lacking = missing.length === 0 ? null : failure('system:cost_missing')
    return ok({ price: { parts, external, shown }, failure: lacking, missing })
  }

  /** What is shown of a price that nobody outside has to be asked about; null otherwise, and where there is none now. */
  glance(costs: readonly Cost[], situation: CostSituation): readonly ShownPrice[] | null {
    const shown: ShownPrice[] = []
    for (const cost of costs) {
      const type = this.#types.of(cost)
      if (type === undefined || isExternalType(type)) return null
      const priced = priceOf(type, cost, situation)
      if (!priced.ok) return null
      shown.push(...priced.value.map((one) => one.shown))
    }
    return shown.length > MAX_BOOKED ? null : shown
  }

  async #prepare(
    type: ExternalCostType,
    cost: Cost,
    about: CostSituation & { readonly language: string },
  ): Promise<Result<Bill>> {
    const { player, seller, entry, language } = about
    try {
      const asked = type.prepare(cost, { player, seller, entry, language })
      const late = fail('system:price_unknown', {}, `${type.id} took too long`)
      const bill = await within(asked, { clock: this.#clock, ms: PREPARE_MS, late })
      if (!bill.ok) return bill
      if (typeof bill.value.text !== 'string') throw new TypeError(`${type.id} named no price`)
      return ok({ ...bill.value, text: headUnits(bill.value.text, MAX_TEXT) })
    } catch (thrown) {
      return fail('system:price_unknown', {}, toFailure(thrown))
    }
  }
}
