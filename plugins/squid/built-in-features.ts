import { routingFeature, type Feature } from '../../lib/agent/index.js'
import { commerceFeature } from '../../lib/commerce/index.js'
import { historyFeature, pinsFeature } from '../../lib/conversation/index.js'
import { randomIds } from '../../lib/core/ids.js'
import { freeChatFeature } from '../../lib/free-chat/index.js'
import { helpFeature } from '../../lib/help/index.js'
import { inboxFeature } from '../../lib/inbox/index.js'
import { itemsFeature, type ItemCatalogue } from '../../lib/items/index.js'
import { lotteryFeature } from '../../lib/lottery/index.js'
import { playerFeature } from '../../lib/player/index.js'
import { questionsFeature } from '../../lib/questions/index.js'
import { settingsFeature } from '../../lib/settings/index.js'
import { signinFeature } from '../../lib/signin/index.js'
import { shopFeature } from '../../lib/shop/index.js'
import { usageFeature, type UsageLedger } from '../../lib/usage/index.js'
import { workbenchFeature } from '../../lib/workbench/index.js'
import type { Commerce } from './open-commerce.js'
import type { Runtime, RuntimeParts } from './runtime.js'

/** What built-in features are made of. */
interface BuiltInParts {
  readonly catalogue: ItemCatalogue
  readonly commerce: Commerce
  readonly usage: UsageLedger
  /** What is there only when all types are registered. */
  readonly late: () => Pick<Runtime, 'memory' | 'preferences' | 'cardTypes'>
}

/** The built-in features, in the order of completion and help. */
export function builtInFeatures(
  parts: Pick<RuntimeParts, 'host' | 'live' | 'helpLines' | 'clock' | 'onFarAhead'>,
  own: BuiltInParts,
): readonly Feature[] {
  const { catalogue, commerce, usage, late } = own
  return [
    routingFeature,
    questionsFeature,
    freeChatFeature,
    itemsFeature(catalogue),
    playerFeature(parts.host),
    commerceFeature,
    signinFeature({
      market: commerce,
      clock: parts.clock,
      ids: randomIds,
      timeZone: () => parts.live.config['system-agent'].timeZone,
      onFarAhead: parts.onFarAhead,
    }),
    shopFeature(commerce),
    lotteryFeature(commerce),
    inboxFeature(commerce),
    usageFeature({ ledger: usage, callLimit: () => parts.live.config['system-agent'].dailyModelCalls }),
    historyFeature(() => late().memory),
    pinsFeature(() => late().cardTypes),
    settingsFeature(() => late().preferences),
    helpFeature(parts.helpLines),
    workbenchFeature,
  ]
}
