import type { LiveConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import type { StorageDriver } from '../../lib/storage/index.js'
import { LedgerSaver, UsageLedger } from '../../lib/usage/index.js'

/** What models and searches are used for. The saver is to be loaded before anybody may ask for anything. */
export function openUsage(parts: {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly driver: StorageDriver
  /** The name to show for a player. */
  readonly nameOf: (player: PlayerId) => string
}): { readonly ledger: UsageLedger; readonly saver: LedgerSaver } {
  const { live, clock, logger, driver, nameOf } = parts
  const ledger = new UsageLedger({
    clock,
    logger,
    limits: () => live.config['system-agent'],
    prices: () => ({
      currency: live.config['system-model-pricing'].currency,
      models: live.config['system-model-pricing'].prices,
      engines: live.config['system-search-pricing'].prices,
    }),
    nameOf,
  })
  return { ledger, saver: new LedgerSaver({ ledger, driver, clock, logger }) }
}
