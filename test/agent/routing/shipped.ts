/** What ships: the modules that local routing may choose and the synonyms of the default pack. */
import { readFile } from 'node:fs/promises'
import type { AgentModule } from '../../../lib/agent/index.js'
import { systemClock, type Clock } from '../../../lib/core/clock.js'
import { helpModule } from '../../../lib/help/index.js'
import { itemModule, recipeModule } from '../../../lib/items/index.js'
import { synonymsSchema, type Synonyms } from '../../../lib/lexical/index.js'
import { playerInfoModule } from '../../../lib/player/index.js'
import { signinModule } from '../../../lib/signin/signin-modules.js'
import type { Signins } from '../../../lib/signin/signin-tools.js'
import { usageModule } from '../../../lib/usage/usage-module.js'
import type { UsageLedger } from '../../../lib/usage/index.js'

/** Timers fire in the next turn of the event loop. */
export const impatient: Clock = {
  ...systemClock,
  after(_delayMs, fn) {
    const immediate = setImmediate(fn)
    return () => clearImmediate(immediate)
  },
}

/** Extend it with each module that gets example sentences: the held-out test then judges it too. */
export const SHIPPED_MODULES: readonly AgentModule[] = [
  itemModule,
  recipeModule,
  playerInfoModule,
  helpModule(() => []),
  signinModule({} as Signins),
  usageModule({ ledger: {} as UsageLedger, callLimit: () => 0 }),
] as readonly AgentModule[]

export async function shippedSynonyms(): Promise<Synonyms[]> {
  const folder = new URL('../../../../datapacks/default/data/system/system/synonyms/', import.meta.url)
  const texts = await Promise.all(
    ['en_us.json', 'zh_cn.json'].map((name) => readFile(new URL(name, folder), 'utf8')),
  )
  return texts.map((text) => synonymsSchema.parse(JSON.parse(text)))
}
