import type { Feature } from '../agent/index.js'
import { catalogueType, confirmTool, type CommerceRegistries, type Market } from '../commerce/index.js'
import type { ModuleType } from '../systems/index.js'
import {
  DRAW_MODULE,
  LOTTERY_MODULE,
  lotteryCardType,
  lotteryPoolCardType,
  PREVIEW_MODULE,
} from './lottery-cards.js'
import { lotteryDrawModule, lotteryModule, lotteryPreviewModule } from './lottery-modules.js'
import { drawType, lotterySeller, lotteryTools } from './lottery-tools.js'

export { lotteryCardType, lotteryPoolCardType } from './lottery-cards.js'

/** What packs configure: `pools` names what can be drawn from. */
export const lotteryModuleType = (registries: CommerceRegistries): ModuleType =>
  catalogueType(lotterySeller({ registries }), { modules: [LOTTERY_MODULE, PREVIEW_MODULE, DRAW_MODULE] })

/** Lotteries: prizes with exact odds, drawn before they are paid. */
export function lotteryFeature(market: Market): Feature {
  return (registration) => {
    const seller = lotterySeller(market)
    const tools = lotteryTools(market, seller)
    registration.registry(market.registries.pools)
    registration.moduleType(lotteryModuleType(market.registries))
    registration.tool(tools.query)
    registration.tool(tools.preview)
    registration.tool(confirmTool(drawType, seller, market))
    registration.cardType(lotteryCardType)
    registration.cardType(lotteryPoolCardType)
    registration.module(lotteryModule)
    registration.module(lotteryPreviewModule)
    registration.module(lotteryDrawModule(market))
  }
}
