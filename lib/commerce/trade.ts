import type { FailureCode } from '../core/failure.js'
import type { Chance } from '../core/chance.js'
import type { Clock } from '../core/clock.js'
import type { Identifier, PlayerId } from '../core/ids.js'
import { fail, ok, orThrow, type Result } from '../core/result.js'
import { fingerprintOf, type ToolCall } from '../agent/index.js'
import {
  assignCosts,
  type Assignment,
  type Bill,
  type CostSituation,
  type CostTypes,
  type Means,
} from '../costs/index.js'
import {
  orderLine,
  orderOf,
  ORDERS,
  reserveOrder,
  type ExternalAnswer,
  type ExternalCosts,
  type Order,
  type PlayerInventories,
  type Sale,
  type ShownPrice,
} from '../inventory/index.js'
import type { Content, Holder } from '../registry/index.js'
import {
  balanceOf,
  debit,
  type ItemForms,
  type Promised,
  type Reward,
  type RewardTypes,
} from '../rewards/index.js'
import type { ModuleConfiguration } from '../systems/index.js'
import { visible, type Catalogue, type Sold } from './catalogue.js'
import type { Market } from './market.js'
import type { Prices, Asked } from './price.js'
import type { Quote, Quotes } from './quotes.js'

/** What one confirmation buys. */
interface Outcome {
  readonly rewards: readonly Reward[]
  readonly odds: Sale['odds']
}

/** A catalogue that is sold from. */
export interface Seller<T extends Sold> extends Catalogue<T> {
  /** Every reward that could come out, each as it is promised: all must be usable before anything is charged. */
  all(entry: T): readonly (readonly Reward[])[]
  /** What comes out this time. */
  outcome(entry: T, chance: Chance): Outcome
}

/** A price and, where it can be paid, the quote to confirm. */
export interface Preview<T extends Sold> {
  readonly holder: Holder<T>
  readonly asked: Asked
  readonly quote: Quote | null
}

export interface TradeParts {
  readonly clock: Clock
  readonly chance: Chance
  readonly costs: CostTypes
  readonly rewards: RewardTypes
  readonly prices: Prices
  readonly quotes: Quotes
  readonly forms: ItemForms
  readonly inventories: PlayerInventories
  readonly lane: Market['lane']
  readonly kept: Market['kept']
  readonly tell?: Market['tell']
  /** What packs say now. */
  readonly content: () => Content
  /** The player's open configurations by that content; none for who has no System. */
  readonly open: (player: PlayerId) => readonly Holder<ModuleConfiguration>[]
}

/** Prices, quotes and purchases, for everything that sells. */
export class Trade implements ExternalCosts {
  readonly #parts: TradeParts
  /** Bills of orders whose charge is under way. */
  readonly #bills = new Map<string, Bill>()

  constructor(parts: TradeParts) {
    this.#parts = parts
  }

  /** What the player sees of a catalogue now. */
  entries<T>(player: PlayerId, catalogue: Catalogue<T>): readonly Holder<T>[] {
    const registry = this.#parts.content().registry(catalogue.registry)
    return visible(registry, this.#configurations(player, catalogue.type), catalogue)
  }

  /** What the player's open configurations of a module type say about one member. */
  parameters(player: PlayerId, type: Identifier, member: string): readonly unknown[] {
    return this.#configurations(player, type).flatMap(({ parameters }) => parameters[member] ?? [])
  }

  #configurations(player: PlayerId, type: Identifier): readonly ModuleConfiguration[] {
    const open = this.#parts.open(player).map(({ value }) => value)
    return open.filter((configuration) => configuration.type === type)
  }

  /** What rewards are now, by value. `system:reward_unusable`. */
  promise(rewards: readonly Reward[]): Result<Promised> {
    return this.#parts.rewards.promise(rewards, this.#parts.forms)
  }

  /** The same with what each costs now, as far as that can be told at once; null: it is told when it is looked at. */
  glance<T extends Sold>(
    player: PlayerId,
    seller: Seller<T>,
  ): readonly { readonly holder: Holder<T>; readonly shown: readonly ShownPrice[] | null }[] {
    const means = this.#means(player)
    const base = means.ok ? this.#situation(player, means.value) : null
    return this.entries(player, seller).map((holder) => {
      const situation = base === null ? null : { ...base, seller: seller.type, entry: holder.id }
      const shown = situation === null ? null : this.#parts.prices.glance(holder.value.costs, situation)
      return { holder, shown }
    })
  }

  /**
   * Names the price of an entry, and a quote where the player could pay it. `system:offer_gone`, `system:reward_unusable`,
   * `system:price_unknown`: there is nothing to show.
   */
  async preview<T extends Sold>(
    seller: Seller<T>,
    { player, language }: Pick<ToolCall, 'player' | 'language'>,
    id: Identifier,
  ): Promise<Result<Preview<T>>> {
    const entry = this.#find(player, seller, id)
    if (entry === undefined) return fail('system:offer_gone')
    const usable = this.#usable(seller, entry.value)
    if (!usable.ok) return usable
    const means = this.#means(player)
    if (!means.ok) return means
    const situation = { ...this.#situation(player, means.value), seller: seller.type, entry: id, language }
    const asked = await this.#parts.prices.ask(entry.value.costs, situation, means.value)
    if (!asked.ok) return asked
    const { price, failure: lacking } = asked.value
    if (lacking !== null) return ok({ holder: entry, asked: asked.value, quote: null })
    const quote = { seller: seller.type, entry: id, hash: fingerprintOf(entry.value), price }
    return ok({ holder: entry, asked: asked.value, quote: this.#parts.quotes.issue(player, quote) })
  }

  /**
   * A confirmed quote, with every way in which it can end. A value is the id of an order, which says the rest: COMPLETED,
   * FAILED, PAYMENT_UNKNOWN, or RESERVED until the next save or login decides. A failure: nothing was reserved or taken.
   */
  async purchase<T extends Sold>(
    seller: Seller<T>,
    { player, commit }: Pick<ToolCall, 'player' | 'commit'>,
    id: string,
  ): Promise<Result<string>> {
    // pressed again: there is one order of this id, whatever became of it
    if (this.#order(player, id) !== undefined) return ok(id)
    const quote = this.#parts.quotes.take(player, seller.type, id)
    if (quote === null) return fail('system:quote_gone')
    const current = this.#current(player, seller, quote)
    if (!current.ok) return current
    const entry = current.value
    const usable = this.#usable(seller, entry.value)
    if (!usable.ok) return usable
    const means = this.#means(player)
    if (!means.ok) return means
    const paid = assignCosts(quote.price.parts, means.value)
    if (!('assignment' in paid)) return fail('system:cost_missing')
    // from here on the result stands: it is in the order before anything is taken
    const outcome = seller.outcome(entry.value, this.#parts.chance)
    const promised = this.#parts.rewards.promise(outcome.rewards, this.#parts.forms)
    if (!promised.ok) return promised
    const order = this.#orderOf(quote, { entry, outcome, promised: promised.value, paid: paid.assignment })
    await commit((tx) => {
      for (const { resource, amount } of order.reserved) orThrow(debit(tx, resource as Identifier, amount))
      orThrow(reserveOrder(tx, order))
      return { order: id }
    })
    this.#parts.tell?.(orderLine(player, orderOf(order)))
    await this.#charge(seller, player, quote)
    return ok(id)
  }

  /** Whatever this answers is in the order's state. */
  async #charge<T extends Sold>(seller: Seller<T>, player: PlayerId, quote: Quote): Promise<void> {
    const { id, price } = quote
    if (price.external !== null) this.#bills.set(id, price.external.bill)
    try {
      await this.#parts.lane().take(player, id, () => this.#refusal(player, seller, quote))
    } finally {
      this.#bills.delete(id)
    }
  }

  #orderOf<T extends Sold>(
    { id, seller, price }: Quote,
    {
      entry,
      outcome,
      promised,
      paid,
    }: { entry: Holder<T>; outcome: Outcome; promised: Promised; paid: Assignment },
  ) {
    const sale: Sale = {
      entry: entry.id,
      title: entry.value.title ?? '',
      price: [...price.shown],
      odds: outcome.odds,
      at: this.#parts.clock.now(),
    }
    return {
      id,
      source: seller,
      costs: paid.costs,
      reserved: [...paid.reserved],
      gives: promised.goods,
      booked: [...promised.booked],
      entry: `${id}-goods`,
      isIrreversible: false,
      externalType: price.external?.type.id ?? null,
      sale,
    }
  }

  /** The entry as it was quoted. A failure: the quote may not be charged now. */
  #current<T extends Sold>(player: PlayerId, seller: Seller<T>, quote: Quote): Result<Holder<T>> {
    if (!this.#parts.quotes.isCurrent(player, quote)) return fail('system:quote_gone')
    const entry = this.#find(player, seller, quote.entry)
    if (entry === undefined) return fail('system:offer_gone')
    return fingerprintOf(entry.value) === quote.hash ? ok(entry) : fail('system:offer_changed')
  }

  /** Asked again before anything is taken. */
  #refusal<T extends Sold>(player: PlayerId, seller: Seller<T>, quote: Quote): FailureCode | null {
    const current = this.#current(player, seller, quote)
    return current.ok ? null : current.failure.code
  }

  #find<T extends Sold>(player: PlayerId, seller: Seller<T>, id: string): Holder<T> | undefined {
    return this.entries(player, seller).find((holder) => holder.id === id)
  }

  #usable<T extends Sold>(seller: Seller<T>, entry: T): Result<void> {
    for (const rewards of seller.all(entry)) {
      const promised = this.#parts.rewards.promise(rewards, this.#parts.forms)
      if (!promised.ok) return promised
    }
    return ok(undefined)
  }

  #situation(player: PlayerId, { xp }: Means): Pick<CostSituation, 'player' | 'xp' | 'itemTag'> {
    const content = this.#parts.content()
    return { player, xp, itemTag: (tag) => content.tagged('item', tag) }
  }

  #means(player: PlayerId): Result<Means> {
    if (this.#parts.lane().mode === 'off') return fail('system:no_world')
    const inventory = this.#parts.inventories.find(player)
    const kept = this.#parts.kept(player)
    if (inventory === null || kept === null) return fail('system:disconnected')
    return ok({
      slots: inventory.slots(),
      xp: inventory.xp(),
      balance: (resource) => balanceOf(kept, resource),
    })
  }

  #order(player: PlayerId, id: string): Order | undefined {
    return this.#parts
      .kept(player)
      ?.get(ORDERS)
      .find((order) => order.id === id)
  }

  charge(player: PlayerId, order: Order): Promise<ExternalAnswer> {
    const type = this.#parts.costs.external(order.externalType ?? '')
    const bill = this.#bills.get(order.id)
    // without its bill it isn't known what to charge; whether it was is asked next
    if (type === undefined || bill === undefined) return Promise.resolve('unknown')
    return type.charge(order.id, bill, originOf(player, order))
  }

  status(player: PlayerId, order: Order): Promise<ExternalAnswer> {
    const type = this.#parts.costs.external(order.externalType ?? '')
    return type?.status(order.id, originOf(player, order)) ?? Promise.resolve('unknown')
  }
}

const originOf = (player: PlayerId, { source, sale }: Order) => ({
  player,
  seller: source as Identifier,
  entry: (sale?.entry ?? source) as Identifier,
})
