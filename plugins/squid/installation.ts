import {
  TraceStream,
  type EventSubmission,
  type Registration,
  type TraceListener,
} from '../../lib/agent/index.js'
import type { LoadedConfig } from '../../lib/config/index.js'
import type { Chance } from '../../lib/core/chance.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import type { PlayerId, RequestId } from '../../lib/core/ids.js'
import { fail, type Result } from '../../lib/core/result.js'
import { runJob } from '../../lib/pool/index.js'
import type { ItemLaneParts, ItemMode } from '../../lib/inventory/index.js'
import type { Notice } from '../../lib/notifications/index.js'
import { DataStore, dataFolderOf } from './data-store.js'
import { guarded } from './guarded.js'
import { refuseLogins, squidLogger } from './host.js'
import { Instance } from './instance.js'
import { itemForms } from './item-forms.js'
import { watchLives } from './life-watch.js'
import { Lives } from './lives.js'
import { ClientLocales } from './locales.js'
import { hostsMistake, openData, writeMissing } from './opening.js'
import { prepare } from './preparing.js'
import type { Runtime, RuntimeParts } from './runtime.js'
import {
  pluginSettingsSchema,
  serverSettingsSchema,
  type PluginSettings,
  type ServerSettings,
} from './settings.js'
import { installShield, type Shield } from './shield/index.js'
import { openScreens } from './windows/index.js'
import { useJavaStrings } from './text/index.js'
import type { SystemHandle, SystemState } from './system-handle.js'
import type { SquidClient, SquidServer } from './types.js'

/** What a System is installed with. */
export interface InstallationParts {
  readonly serv: SquidServer
  /** The plugin's own settings, undecoded. */
  readonly given: unknown
  /** flying-squid's, undecoded. */
  readonly serverSettings: unknown
  readonly clock: Clock
  /** Folder of other worker files, with a slash at the end; default: the package's own. */
  readonly workersUrl?: URL | undefined
  /** Called at each step of an item operation; for programs that end the process there. */
  readonly fault?: ItemLaneParts['fault']
  /** What lotteries are drawn with; default: the system's randomness. */
  readonly chance?: Chance
}

const STOPPING = Promise.resolve(fail('system:stopping'))

/**
 * The System's place on one server, from the plugin's load to the server's end. Until it is ready, logins are refused:
 * a player must not come in before bindings and shield can see it.
 */
export class Installation implements SystemHandle {
  readonly ready: Promise<SystemState>
  readonly closed: Promise<void>
  readonly #lives = new Lives()
  readonly #unwatch: () => void
  #state: SystemState = 'starting'
  #instance: Instance | null = null
  #data: DataStore | null = null
  #shield: Shield | null = null
  #closing: Promise<void> | null = null
  readonly #serv: SquidServer
  readonly #parts: InstallationParts
  readonly #logger: Logger
  readonly #trace: TraceStream
  readonly #locales: ClientLocales
  #resolveReady: (state: SystemState) => void = () => {}
  #resolveClosed: () => void = () => {}
  readonly #letIn: () => void
  readonly #onConnection: (client: SquidClient) => void
  readonly #onClose = (): void => void this.#close()

  constructor(parts: InstallationParts) {
    const { serv, clock } = parts
    this.#serv = serv
    this.#parts = parts
    this.#logger = squidLogger(serv)
    this.#trace = new TraceStream({ clock, logger: this.#logger })
    this.ready = new Promise((resolve) => {
      this.#resolveReady = resolve
    })
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    this.#letIn = refuseLogins(serv)
    this.#unwatch = watchLives(serv, this.#lives)
    this.#locales = new ClientLocales({
      serv,
      logger: this.#logger,
      clock,
      onChange: (client) => this.#instance?.readers.update(client.uuid?.toLowerCase() ?? ''),
    })
    this.#onConnection = guarded(this.#logger, 'a connection', useJavaStrings)
    serv._server.on('connection', this.#onConnection)
    serv.once('close', this.#onClose)
    let isStarted = false
    const start = (): void => {
      if (isStarted) return
      isStarted = true
      void this.#start()
    }
    serv.once('pluginsReady', start)
    // added late, or by a listener of that very event, which is not called again
    setImmediate(() => serv.pluginsReady && start())
  }

  onTrace(listener: TraceListener): () => void {
    return this.#trace.on(listener)
  }

  get state(): SystemState {
    return this.#state
  }

  /**
   * The running parts, for tests and benches in this process; null while there are none.
   * @internal
   */
  get runtime(): Runtime | null {
    return this.#instance?.runtime ?? null
  }

  submitEvent(submission: EventSubmission): Promise<Result<RequestId>> {
    if (this.#state !== 'ready' || this.#instance === null) return Promise.resolve(fail('system:stopping'))
    return this.#instance.runtime.engine.events.submit(submission)
  }

  notify(player: PlayerId, notice: Notice): Result<void> {
    if (this.#state !== 'ready' || this.#instance === null) return fail('system:stopping')
    return this.#instance.notices.notify(player, notice)
  }

  async #start(): Promise<void> {
    const { given, serverSettings } = this.#parts
    try {
      await this.#open(
        pluginSettingsSchema.parse(given ?? {}),
        serverSettingsSchema.parse(serverSettings ?? {}),
      )
      if (this.#state === 'starting') this.#state = 'ready'
    } catch (thrown) {
      // the server was closed meanwhile: what fails then is no news
      if (this.#state === 'starting') await this.#turnOff(thrown)
    }
    this.#letIn()
    this.#resolveReady(this.#state)
  }

  async #open(settings: PluginSettings, serverSettings: ServerSettings): Promise<void> {
    const { configSource, loaded, shipped } = await prepare(settings, this.#logger)
    // the server was closed while files were read
    if (this.#isStopped()) return
    const { worldFolder } = serverSettings
    // what of players isn't saved yet is written before another server may read it
    const data = new DataStore(() => this.#shield?.close())
    this.#data = data
    const shield = this.#openShield(loaded.config, data)
    const instance = new Instance({
      serv: this.#serv,
      settings,
      serverSettings,
      configSource,
      loaded,
      shipped,
      clock: this.#parts.clock,
      logger: this.#logger,
      locales: this.#locales,
      limits: shield.limits,
      shield: () => shield.status(),
      screens: openScreens({ ...this.#parts, serv: this.#serv, logger: this.#logger, shield }),
      savePlayers: (timeoutMs) => shield.savePlayers(timeoutMs),
      extensions: this.#extensions(),
      workersUrl: this.#parts.workersUrl,
      data,
      trace: this.#trace,
      items: this.#itemParts(worldFolder, shield),
    })
    this.#instance = instance
    // a player who is there already needs them as soon as the data is read
    await instance.runtime.packs.open()
    if (this.#isStopped()) return
    const names = instance.runtime.loadNames()
    await openData(data, {
      instance,
      folder: dataFolderOf(settings, worldFolder),
      logger: this.#logger,
      onLockLost: () => shield.stopSaving(),
    })
    instance.runtime.traceFile.renew()
    instance.runtime.auditFile.renew()
    await instance.runtime.usage.saver.load()
    await writeMissing(instance, loaded.missing, settings.configFolder)
    const languages = await names
    if (languages !== null) this.#logger.info(`item names in ${languages} languages`)
    // what reading packs has taken is 30 MB; who asks nothing in free text needs no such thread
    instance.runtime.groups.compute.retire()
    this.#logger.info(`shield: ${[...shield.status()].map(([name, state]) => `${name}=${state}`).join(' ')}`)
  }

  #itemParts(worldFolder: ServerSettings['worldFolder'], shield: Shield): RuntimeParts['items'] {
    return {
      mode: itemMode(worldFolder, shield),
      inventories: shield.inventories,
      forms: itemForms(this.#serv, () => shield.inventories),
      lives: this.#lives,
      chance: this.#parts.chance,
      ...(this.#parts.fault === undefined ? {} : { fault: this.#parts.fault }),
    }
  }

  #isStopped(): boolean {
    return this.#state !== 'starting'
  }

  #openShield(config: LoadedConfig['config'], data: DataStore): Shield {
    const switches = config['system-surface'].shield
    const shield = installShield(this.#serv, {
      logger: this.#logger,
      clock: this.#parts.clock,
      enabled: (name) => switches[name] ?? true,
      complete: (player, text) => this.#instance?.complete(player, text) ?? null,
      text: (player, message) => this.#instance?.text(player, message) ?? message.key,
      storage: {
        run: (job, options) => {
          const groups = this.#instance?.runtime.groups
          return groups === undefined ? STOPPING : runJob(groups.storage, job, options)
        },
        mayWrite: () => data.isHeld(),
        mayWriteNow: () => data.isSurelyHeld(),
        beforeLogin: (player, found) => this.#instance?.beforeLogin(player, found) ?? STOPPING,
        settings: () => (this.#instance?.config ?? config)['system-storage'],
      },
    })
    const repairs = new Set<string>(shield.status().keys())
    for (const name of Object.keys(switches))
      if (!repairs.has(name)) this.#logger.warn(`system-surface.json: shield: no repair is called ${name}`)
    this.#shield = shield
    return shield
  }

  /** Says why, in one line where it is a mistake of the host's, and takes back what was opened. */
  async #turnOff(thrown: unknown): Promise<void> {
    this.#state = 'off'
    const sentence = 'the System is off; the server runs without it'
    const reason = hostsMistake(thrown)
    if (reason === null) this.#logger.error(sentence, thrown)
    else this.#logger.error(`${sentence}: ${reason}`)
    await this.#closeParts()
  }

  #closeParts(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  /** The last saves of players run on the instance's threads. */
  async #closeAll(): Promise<void> {
    this.#data?.giveUp()
    await this.#instance
      ?.close()
      .catch((thrown: unknown) => this.#logger.error('the System did not end cleanly', thrown))
    this.#instance = null
    this.#shield?.close()
    this.#shield = null
    this.#unwatch()
  }

  /** The listeners of other plugins, called one by one: the mistake of one doesn't silence the next. */
  #extensions(): readonly ((registration: Registration) => unknown)[] {
    return this.#serv
      .rawListeners('system:register')
      .map((listener) => (registration) => Reflect.apply(listener, this.#serv, [registration]) as unknown)
  }

  async #close(): Promise<void> {
    const before = this.#state
    this.#state = 'stopped'
    this.#locales.close()
    this.#serv._server.removeListener('connection', this.#onConnection)
    this.#letIn()
    if (before === 'starting') this.#resolveReady('stopped')
    await this.#closeParts()
    this.#trace.close()
    this.#resolveClosed()
  }
}

function itemMode(worldFolder: string | null, shield: Shield): ItemMode {
  if (worldFolder === null) return 'off'
  return shield.status().get('playerdata') === 'on' ? 'exactly-once' : 'at-most-once'
}
