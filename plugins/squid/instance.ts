import { systemCommands, type CommandNode } from '../../lib/command/index.js'
import { LiveConfig } from '../../lib/config/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Result } from '../../lib/core/result.js'
import type { FoundFile, Marks } from '../../lib/inventory/index.js'
import type { Languages, Message } from '../../lib/text/index.js'
import { Administration } from './administration.js'
import { tellAiChanges } from './ai-levels.js'
import { Arrivals } from './arrivals.js'
import { CommandSources } from './command-sources.js'
import { moduleCommands, openCommands, type CommandSurface } from './commands/index.js'
import { Dispatcher } from './dispatcher.js'
import { squidHost } from './facts.js'
import { guarded } from './guarded.js'
import { dataFolderOf } from './data-store.js'
import { Channels } from './channels/index.js'
import { ModuleWatch } from './module-watch.js'
import { Notices } from './notices.js'
import { openSurface } from './open-surface.js'
import type { InstanceParts } from './instance-parts.js'
import { idOf, Players } from './players.js'
import { readLanguages, writeText } from './preparing.js'
import { ReaderLanguages } from './reader-languages.js'
import { Reloading } from './reloading.js'
import { Requests } from './requests.js'
import { openRuntime, type Runtime } from './runtime.js'
import { saveAll } from './saving.js'
import { safeWrite, type Completion } from './shield/index.js'
import type { Surface } from './surface/index.js'
import type { SquidPlayer, SquidServer } from './types.js'

/** A running System on a server: everything between flying-squid's hooks and the runtime. */
export class Instance {
  readonly runtime: Runtime
  readonly readers: ReaderLanguages
  readonly notices: Notices
  readonly #live: LiveConfig
  readonly #parts: InstanceParts
  readonly #languages: Languages
  readonly #players: Players
  readonly #surface: Surface
  readonly #commands: CommandSurface
  readonly #dispatcher: Dispatcher
  readonly #onTick: () => void
  readonly #watch: ModuleWatch
  readonly #arrivals: Arrivals
  readonly #channels: Channels
  readonly #sources: CommandSources

  constructor(parts: InstanceParts) {
    this.#parts = parts
    const { serv, shipped, logger, locales, clock } = parts
    this.#live = new LiveConfig({
      source: parts.configSource,
      loaded: parts.loaded,
      clock,
      write: (path, text) => writeText(this.runtime, path, text),
    })
    this.#languages = readLanguages(shipped, logger)
    this.runtime = this.#openRuntime()
    this.readers = new ReaderLanguages({
      ...this.runtime,
      locales,
      players: () => this.#players,
      onChange: (id) => this.#surface.presenter.refresh(id),
    })
    this.#sources = new CommandSources({
      ...parts,
      runtime: this.runtime,
      access: () => this.#live.config['system-access'],
      players: () => this.#players,
    })
    this.#surface = this.#openSurface()
    this.#players = this.#openPlayers()
    this.notices = this.#openNotices()
    this.#watch = this.#openWatch()
    this.runtime.sessions.onEnd((id) => this.#watch.forget(id))
    const root = systemCommands({ modules: moduleCommands(this.runtime.registry) })
    this.#dispatcher = this.#openDispatcher(root)
    this.#commands = this.#openCommands(root)
    const { runtime, notices } = this
    this.#channels = this.#openChannels()
    const shown = {
      runtime,
      notices,
      channels: this.#channels,
      surface: this.#surface,
      commands: this.#commands,
    }
    tellAiChanges({ ...shown, players: this.#players })
    this.#arrivals = new Arrivals({ ...parts, ...shown, autoGrant: parts.settings.autoGrant })
    const ticks = [runtime.tickQueue, this.#surface, notices, this.#watch, this.#live].map((part) =>
      guarded(logger, 'a tick', () => part.tick()),
    )
    this.#onTick = () => ticks.forEach((tick) => tick())
    serv.on('tick', this.#onTick)
  }

  #openRuntime(): Runtime {
    const { serv, settings, serverSettings, data } = this.#parts
    return openRuntime({
      ...this.#parts,
      driver: data,
      dataFolder: dataFolderOf(settings, serverSettings.worldFolder),
      live: this.#live,
      languages: this.#languages,
      strict: settings.strict,
      host: squidHost(serv, gameVersion(serv), (id) => this.#players.find(id)),
      environment: (name) => process.env[name],
      onBreaker: (code) => this.notices.breaker(code, (player) => this.#sources.administers(player)),
      onFarAhead: (id, day) =>
        this.notices.signinAhead(id, day, (player) => this.#sources.administers(player)),
      onEventResult: (id, result) => this.notices.eventResult(id, result),
      onFirstUse: (id, host) => {
        const player = this.#players.find(id)
        if (player !== undefined) this.#surface.line(player, { key: 'system.ai.first_use', params: { host } })
      },
      helpLines: (id) => this.#helpLines(id),
      isAdmin: (id) => this.#sources.isAdmin(id),
    })
  }

  #openPlayers(): Players {
    return new Players({
      ...this.#parts,
      runtime: this.runtime,
      events: {
        onJoin: (player, id) => {
          this.readers.update(id)
          return this.#arrivals.welcome(player, id)
        },
        onUnusable: (player, reason) => this.#arrivals.onUnusable(player, reason),
      },
    })
  }

  #openSurface(): Surface {
    const { logger } = this.#parts
    return openSurface({
      ...this.#parts,
      runtime: this.runtime,
      languages: this.#languages,
      languageOf: (player) => this.readers.of(player),
      onProgress: (id, message) => this.notices.progress(id, message),
      onPress: guarded(logger, 'a press', (reader, token) => this.#dispatcher.press(reader, token)),
    })
  }

  #openWatch(): ModuleWatch {
    return new ModuleWatch({
      ...this.runtime,
      onChange: (id) => {
        const player = this.#players.find(id)
        if (player !== undefined) this.#commands.refresh(player)
        this.#surface.presenter.refresh(id)
      },
    })
  }

  #openNotices(): Notices {
    const { windows } = this.#parts.screens
    return new Notices({
      ...this.#parts,
      languages: this.#languages,
      runtime: this.runtime,
      surface: this.#surface,
      find: (id) => this.#players.find(id),
      program: (player, text) => this.#channels.tell(player, { type: 'notification', text }),
      isInScreen: (player) => windows.openId(player) !== null,
    })
  }

  #openDispatcher(root: CommandNode): Dispatcher {
    const { limits, shield } = this.#parts
    return new Dispatcher({
      runtime: this.runtime,
      surface: this.#surface,
      requests: new Requests(this.runtime, this.#surface, limits),
      administration: new Administration({
        runtime: this.runtime,
        players: this.#players,
        isOfflineMode: !this.#parts.serverSettings['online-mode'],
        events: {
          onChange: (player) => this.#commands.refresh(player),
          announce: (player, change) => this.#arrivals.announce(player, change),
        },
      }),
      reload: new Reloading({
        live: this.#live,
        runtime: this.runtime,
        logger: this.#parts.logger,
        // rights may be others now, what there is to complete, and the languages
        onChange: () => {
          this.#commands.refresh()
          this.readers.updateAll()
        },
      }),
      save: () =>
        saveAll({
          live: this.#live,
          runtime: this.runtime,
          savePlayers: (timeoutMs) => this.#parts.savePlayers(timeoutMs),
        }),
      players: this.#players,
      languages: this.#languages,
      root,
      shield,
      source: (player) => this.#sources.of(player),
      print: (line) => console.log(line),
    })
  }

  #openChannels(): Channels {
    return new Channels({
      ...this.#parts,
      runtime: this.runtime,
      surface: this.#surface,
      players: this.#players,
      languages: this.#languages,
      languageOf: (player) => this.readers.of(player),
    })
  }

  #openCommands(root: CommandNode): CommandSurface {
    const { serv, logger } = this.#parts
    return openCommands({
      serv,
      root,
      info: this.#languages.text({ key: 'system.command.info' }, 'en_us'),
      chatPrefix: () => this.#live.config['system-surface'].chatPrefix.trim(),
      source: (player) => this.#sources.of(player),
      onCommand: (player, text) => this.#dispatcher.dispatch(player, text),
      send: (player, packet, fields) => {
        const id = idOf(player)
        if (id !== null) this.#watch.sent(id)
        safeWrite(player._client, packet, fields)
      },
      log: logger,
    })
  }

  /** What is configured now. */
  get config(): LiveConfig['config'] {
    return this.#live.config
  }

  /** Offers for a line of ours, with what each does; null for any other line. */
  complete(player: SquidPlayer, line: string): Completion | null {
    const found = this.#commands.complete(player, line)
    if (found === null) return null
    const matches = found.matches.map(({ match, help }) =>
      help === undefined ? { match } : { match, tooltip: this.text(player, help) },
    )
    return { ...found, matches }
  }

  /** A sentence in the player's language, or in that of the console. */
  text(player: SquidPlayer | undefined, message: Message): string {
    const language = player === undefined ? 'en_us' : this.readers.of(player)
    return this.#languages.text(message, language)
  }

  /** Ends everything; resolves when no thread is left. */
  async close(): Promise<void> {
    this.#parts.serv.removeListener('tick', this.#onTick)
    this.#commands.close()
    this.notices.close()
    this.#channels.close()
    this.#surface.presenter.close()
    this.#parts.screens.windows.stop()
    this.#players.close()
    await this.runtime.close()
  }

  /** What a login decides about a player's items; see `Arrivals`. */
  beforeLogin(player: PlayerId, found: FoundFile): Promise<Result<Marks>> {
    return this.#arrivals.beforeLogin(player, found)
  }

  #helpLines(id: PlayerId) {
    const player = this.#players.find(id)
    return player === undefined
      ? []
      : this.#dispatcher.helpLines(this.#sources.of(player), this.#surface.languageOf(player))
  }
}

const gameVersion = (serv: SquidServer): string => String(serv.registry.version.minecraftVersion)
