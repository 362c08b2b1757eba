import type { CommerceRegistries } from './catalogue.js'
import type { PlayerId } from '../core/ids.js'
import type { Audit, ItemLane, ItemView } from '../inventory/index.js'
import type { Display } from './display.js'
import type { Trade } from './trade.js'

/** What features that sell and give are made of. */
export interface Market {
  readonly registries: CommerceRegistries
  readonly trade: Trade
  readonly display: Display
  /** What moves items. */
  readonly lane: () => Pick<ItemLane, 'mode' | 'give' | 'take'>
  /** Writes a line of the audit log. */
  readonly tell: Audit
  /** What is kept of a player who is here. */
  readonly kept: (player: PlayerId) => ItemView | null
}
