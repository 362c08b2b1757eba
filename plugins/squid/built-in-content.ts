import { clarifyCard, confirmationCardType, nearestCard } from '../../lib/agent/index.js'
import type { CardTypes } from '../../lib/cards/index.js'
import { CARD_TEMPLATES } from '../../lib/cards/templates/index.js'
import { commerceRegistries, orderCardType, type CommerceRegistries } from '../../lib/commerce/index.js'
import { ConditionTypes } from '../../lib/conditions/index.js'
import { CostTypes } from '../../lib/costs/index.js'
import { silentLogger } from '../../lib/core/logger.js'
import { historyCard, pinListCard, pinnedCard } from '../../lib/conversation/index.js'
import { helpCard } from '../../lib/help/index.js'
import { inboxCardType, ordersCardType } from '../../lib/inbox/index.js'
import {
  itemCardType,
  itemListCardType,
  itemsModuleType,
  recipeCardType,
  unknownItemCardType,
} from '../../lib/items/index.js'
import { lotteryCardType, lotteryModuleType, lotteryPoolCardType } from '../../lib/lottery/index.js'
import { playerInfoCardType, playerModuleType } from '../../lib/player/index.js'
import { answerCard, reasoningModuleType } from '../../lib/questions/index.js'
import { RewardTypes } from '../../lib/rewards/index.js'
import { choiceCardType, settingsCardType } from '../../lib/settings/index.js'
import { shopCardType, shopModuleType, shopQuoteCardType } from '../../lib/shop/index.js'
import { signinCardType, signinModuleType } from '../../lib/signin/index.js'
import { ModuleTypes, systemRegistries, type SystemRegistries } from '../../lib/systems/index.js'
import { usageCardType } from '../../lib/usage/index.js'
import { workbenchCardType } from '../../lib/workbench/index.js'

interface BuiltInRegistries extends SystemRegistries, CommerceRegistries {
  readonly templates: typeof CARD_TEMPLATES
}

/** What packs may hold when no extension adds to it: for tools that have no server. */
export function builtInRegistries(): BuiltInRegistries {
  const modules = new ModuleTypes()
  const commerce = commerceRegistries(new CostTypes(), new RewardTypes())
  const sellers = [signinModuleType(commerce), shopModuleType(commerce), lotteryModuleType(commerce)]
  for (const type of [reasoningModuleType, itemsModuleType, playerModuleType, ...sellers]) modules.add(type)
  return {
    ...commerce,
    ...systemRegistries(modules, new ConditionTypes(silentLogger)),
    templates: CARD_TEMPLATES,
  }
}

/** The kinds of cards that there are without extensions: for tools that have no server. */
export function addBuiltInCards(types: Pick<CardTypes, 'register' | 'view'>): void {
  types.register(nearestCard)
  types.register(clarifyCard)
  types.register(confirmationCardType)
  types.register(answerCard)
  types.register(itemCardType)
  types.register(itemListCardType)
  types.register(unknownItemCardType)
  types.register(recipeCardType)
  types.register(playerInfoCardType)
  types.register(usageCardType)
  types.register(historyCard)
  types.register(pinListCard)
  types.register(pinnedCard(() => types))
  types.register(settingsCardType)
  types.register(choiceCardType)
  types.register(helpCard)
  types.register(workbenchCardType)
  types.register(orderCardType)
  types.register(inboxCardType)
  types.register(ordersCardType)
  types.register(signinCardType)
  types.register(shopCardType)
  types.register(shopQuoteCardType)
  types.register(lotteryCardType)
  types.register(lotteryPoolCardType)
}
