import type { CardType } from '../cards/index.js'
import type { AgentModule } from './module.js'
import type { Tool } from './tool.js'

/** What a feature or another plugin adds to a System before it starts. Each throws for a programming error. */
export interface Registration {
  tool<I, O>(tool: Tool<I, O>): void
  module<A>(module: AgentModule<A>): void
  cardType<D>(type: CardType<D>): void
}

/** A feature: everything it consists of, registered by one call. */
export type Feature = (registration: Registration) => void
