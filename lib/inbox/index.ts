import type { Feature } from '../agent/index.js'
import type { Market } from '../commerce/index.js'
import { claimTool } from './claims.js'
import { inboxCardType, ordersCardType } from './inbox-cards.js'
import { claimModule, inboxModule, ordersModule } from './inbox-modules.js'

export { inboxCardType, ordersCardType } from './inbox-cards.js'

/** What waits for players, and what they ordered. Open to everybody who has a System: what is owed stays to be had. */
export function inboxFeature(market: Market): Feature {
  return (registration) => {
    registration.tool(claimTool(market))
    registration.cardType(inboxCardType)
    registration.cardType(ordersCardType)
    registration.module(inboxModule(market))
    registration.module(claimModule(market))
    registration.module(ordersModule(market))
  }
}
