import type { Feature } from '../agent/index.js'
import { catalogueType, confirmTool, type CommerceRegistries, type Market } from '../commerce/index.js'
import type { ModuleType } from '../systems/index.js'
import { PURCHASE_MODULE, QUOTE_MODULE, SHOP_MODULE, shopCardType, shopQuoteCardType } from './shop-cards.js'
import { shopModule, shopPurchaseModule, shopQuoteModule } from './shop-modules.js'
import { shopConfirmType, shopSeller, shopTools } from './shop-tools.js'

export { shopCardType, shopQuoteCardType } from './shop-cards.js'

/** What packs configure: `offers` names what is sold. */
export const shopModuleType = (registries: CommerceRegistries): ModuleType =>
  catalogueType(shopSeller({ registries }), { modules: [SHOP_MODULE, QUOTE_MODULE, PURCHASE_MODULE] })

/** A shop: offers, quotes, purchases. */
export function shopFeature(market: Market): Feature {
  return (registration) => {
    const seller = shopSeller(market)
    const tools = shopTools(market, seller)
    registration.registry(market.registries.offers)
    registration.moduleType(shopModuleType(market.registries))
    registration.tool(tools.query)
    registration.tool(tools.quote)
    registration.tool(confirmTool(shopConfirmType, seller, market))
    registration.cardType(shopCardType)
    registration.cardType(shopQuoteCardType)
    registration.module(shopModule)
    registration.module(shopQuoteModule)
    registration.module(shopPurchaseModule(market))
  }
}
