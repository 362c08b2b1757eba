import type { ConfigSource, LoadedConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import type { ShippedData } from '../../lib/registry/index.js'
import type { StorageDriver } from '../../lib/storage/index.js'
import type { ClientLocales } from './locales.js'
import type { Limits } from './requests.js'
import type { RuntimeParts } from './runtime.js'
import type { SavingParts } from './saving.js'
import type { PluginSettings, ServerSettings } from './settings.js'
import type { SquidServer } from './types.js'
import type { Screens } from './windows/index.js'

/** What an instance is opened with. */
export interface InstanceParts {
  readonly serv: SquidServer
  readonly settings: PluginSettings
  readonly serverSettings: ServerSettings
  readonly configSource: ConfigSource
  readonly loaded: LoadedConfig
  readonly shipped: ShippedData
  readonly clock: Clock
  readonly logger: Logger
  readonly locales: ClientLocales
  readonly limits: Limits
  readonly shield: () => ReadonlyMap<string, string>
  readonly screens: Screens
  /** Saves the files of all players; null where the host does that itself. */
  readonly savePlayers: SavingParts['savePlayers']
  readonly extensions: RuntimeParts['extensions']
  readonly workersUrl: URL | undefined
  /** Where records are kept; opened after the instance, whose threads it needs. */
  readonly data: StorageDriver
  readonly items: RuntimeParts['items']
  readonly trace: RuntimeParts['trace']
}
