import type { CommerceRegistries } from './catalogue.js'
import type { Display } from './display.js'
import type { Trade } from './trade.js'

/** What features that sell and give are made of. */
export interface Market {
  readonly registries: CommerceRegistries
  readonly trade: Trade
  readonly display: Display
}
