import { commerceRegistries, Display, Prices, Quotes, Trade, type Market } from '../../lib/commerce/index.js'
import { secureChance } from '../../lib/core/chance.js'
import { randomIds } from '../../lib/core/ids.js'
import { CostTypes } from '../../lib/costs/index.js'
import type { ItemCatalogue } from '../../lib/items/index.js'
import { Bookkeeping, RewardTypes } from '../../lib/rewards/index.js'
import { AuditStream } from './tracing.js'
import type { Runtime, RuntimeParts } from './runtime.js'

/** What sells and what is given. */
export interface Commerce extends Market {
  readonly costs: CostTypes
  readonly rewards: RewardTypes
  readonly quotes: Quotes
  readonly bookkeeping: Bookkeeping
  /** What is told of every movement of value. */
  readonly audit: AuditStream
}

/** Opened before anything is registered; `late` is asked when the first player wants something. */
export function openCommerce(
  {
    clock,
    logger,
    items,
    languages,
    catalogue,
  }: Pick<RuntimeParts, 'clock' | 'logger' | 'items' | 'languages'> & {
    readonly catalogue: ItemCatalogue
  },
  late: () => Pick<Runtime, 'store' | 'items' | 'access' | 'content'>,
): Commerce {
  const [costs, rewards] = [new CostTypes(), new RewardTypes()]
  const quotes = new Quotes({ clock, ids: randomIds, lives: items.lives })
  const lane: Market['lane'] = () => late().items.lane
  const kept: Market['kept'] = (player) => late().store.online(player)
  const audit = new AuditStream(clock)
  const trade = new Trade({
    clock,
    chance: items.chance ?? secureChance,
    costs,
    rewards,
    quotes,
    prices: new Prices(costs, clock),
    forms: items.forms,
    inventories: items.inventories,
    lane,
    kept,
    tell: audit.write,
    content: () => late().content(),
    open: (player) => late().access.open(player),
  })
  const registries = commerceRegistries(costs, rewards)
  const display = openDisplay(rewards, { languages, catalogue })
  const bookkeeping = new Bookkeeping(rewards, logger)
  return {
    costs,
    rewards,
    registries,
    quotes,
    trade,
    display,
    lane,
    kept,
    bookkeeping,
    audit,
    tell: audit.write,
  }
}

function openDisplay(
  rewards: RewardTypes,
  { languages, catalogue }: Pick<RuntimeParts, 'languages'> & { readonly catalogue: ItemCatalogue },
): Display {
  const names = new Map<string, string>(catalogue.items.map(({ id, name }) => [id, name]))
  return new Display({
    rewards,
    nameOf: (item) => names.get(item) ?? item,
    hasText: (key) => languages.has(key, 'en_us'),
  })
}
