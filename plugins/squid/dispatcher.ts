import { cardOf, type CardData, type CardTone } from '../../lib/cards/index.js'
import { renderPlain } from '../../lib/cards/render/index.js'
import {
  argumentWordKey,
  parseSystemCommand,
  usage,
  type CommandNode,
  type CommandSource,
  type SystemCommand,
} from '../../lib/command/index.js'
import { ORDERS_MODULE } from '../../lib/commerce/index.js'
import { HISTORY_MODULE, PINS_MODULE } from '../../lib/conversation/index.js'
import { failure, type Failure } from '../../lib/core/failure.js'
import type { Result } from '../../lib/core/result.js'
import { helpCard, type HelpLine } from '../../lib/help/index.js'
import { failureMessage, type Languages, type Message } from '../../lib/text/index.js'
import { SIGNIN_MODULE } from '../../lib/signin/index.js'
import { serverReport, usageCardType, USAGE_MODULE } from '../../lib/usage/index.js'
import type { Workbench } from '../../lib/workbench/index.js'
import type { Administration } from './administration.js'
import { aiDefault } from './ai-levels.js'
import { openWorkbench } from './open-workbench.js'
import { idOf, type Players } from './players.js'
import type { Asker, Requests } from './requests.js'
import type { Runtime } from './runtime.js'
import type { Reloading } from './reloading.js'
import type { Saved } from './saving.js'
import { playerStatus, serverStatus, statusJson, type StatusLine } from './status.js'
import type { Surface } from './surface/index.js'
import type { SquidPlayer } from './types.js'

/** What commands are carried out with. */
export interface DispatcherParts {
  readonly runtime: Runtime
  readonly surface: Surface
  readonly requests: Requests
  readonly administration: Administration
  readonly reload: Reloading
  readonly save: () => Promise<Saved>
  readonly players: Players
  readonly languages: Languages
  readonly root: CommandNode
  readonly shield: () => ReadonlyMap<string, string>
  source(player: SquidPlayer | null): CommandSource
  /** Prints a line of the console. */
  print(line: string): void
}

/** What only administrators and the console may do. */
const ADMIN_KINDS = [
  'grant',
  'revoke',
  'reset',
  'override',
  'modules',
  'ai',
  'ai-default',
  'orders-of',
  'signin-repair',
  'resource',
  'item-test',
  'item-count',
  'status',
  'reload',
  'save',
] as const
type AdminCommand = Extract<SystemCommand, { kind: (typeof ADMIN_KINDS)[number] }>
type OwnCommand = Exclude<SystemCommand, AdminCommand>

const isAdminCommand = (command: SystemCommand): command is AdminCommand =>
  ADMIN_KINDS.some((kind) => kind === command.kind)

/** Carries out lines under `/system`, of players and of the console. Rights are checked here again. */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #workbench: Workbench

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#workbench = openWorkbench(parts.runtime, parts.languages)
  }

  /** A null player is the console. */
  async dispatch(player: SquidPlayer | null, text: string): Promise<void> {
    // who types at once after joining shall not hear that there is no System
    const arriving = player === null ? undefined : this.#parts.players.arriving(player)
    if (arriving !== undefined) await arriving
    const source = this.#parts.source(player)
    const parsed = parseSystemCommand(this.#parts.root, text, source)
    if (player === null)
      return parsed.ok ? this.#console(parsed.value, source) : this.#refuse(null, parsed.failure)
    const id = idOf(player)
    if (id === null) return
    if (parsed.ok) return this.#player({ player, id }, parsed.value, source)
    if (this.#parts.requests.mayDo({ player, id }, 'act')) this.#refuse(player, parsed.failure)
  }

  /** A slot of a window was pressed. */
  press(asker: Asker, token: string): Promise<void> {
    return this.#parts.requests.press(asker, token)
  }

  async #player(asker: Asker, command: SystemCommand, source: CommandSource): Promise<void> {
    const { requests } = this.#parts
    if (!isAdminCommand(command)) return this.#own(asker, command, source)
    if (!requests.mayDo(asker, 'act')) return
    if (!source.admin) return this.#refuse(asker.player, failure('system:no_permission'))
    return this.#administer(asker.player, command, source)
  }

  async #own(asker: Asker, command: OwnCommand, source: CommandSource): Promise<void> {
    const { requests, surface } = this.#parts
    switch (command.kind) {
      case 'workbench':
      case 'help':
        if (!requests.mayDo(asker, 'act')) return
        return surface.card(asker, this.#front(asker, command.kind, source))
      case 'free-text':
        return requests.text(asker, command.text)
      case 'module':
        return requests.command(asker, command.module, command.argument)
      case 'act':
        return requests.press(asker, command.token)
      case 'cancel':
        return requests.cancel(asker)
      case 'orders':
      case 'signin':
        return requests.command(asker, command.kind === 'orders' ? ORDERS_MODULE : SIGNIN_MODULE, '')
      case 'history':
        return requests.command(asker, HISTORY_MODULE, String(command.page))
      case 'pins':
        if (!command.add) return requests.command(asker, PINS_MODULE, '')
        if (requests.mayDo(asker, 'act')) await requests.pins.addNewest(asker)
        return
      case 'forget':
        if (!requests.mayDo(asker, 'act')) return
        return this.#forget(asker, command)
      case 'settings':
        if (requests.mayDo(asker, 'act'))
          await requests.settings.run(
            asker,
            command.change === null ? { kind: 'show' } : { kind: 'change', change: command.change },
            'line',
          )
        return
      case 'usage':
        if (!command.all) return requests.command(asker, USAGE_MODULE, '')
        if (!requests.mayDo(asker, 'act')) return
        if (!source.admin) return this.#refuse(asker.player, failure('system:no_permission'))
        return surface.card(asker, this.#serverUsage())
    }
  }

  /** What there is to do here; `/system` alone shows it to who has a System as a workbench. */
  #front({ player, id }: Asker, kind: 'workbench' | 'help', source: CommandSource): CardData {
    const workbench = kind === 'workbench' ? this.#workbench.card(id) : null
    if (workbench !== null) return workbench
    return cardOf(helpCard, { lines: [...this.helpLines(source, this.#parts.surface.languageOf(player))] })
  }

  async #console(command: SystemCommand, source: CommandSource): Promise<void> {
    if (isAdminCommand(command)) return this.#administer(null, command, source)
    switch (command.kind) {
      case 'workbench':
      case 'help':
        for (const { usage, helpKey } of this.helpLines(source, 'en_us')) {
          this.#parts.print(`${usage} – ${this.#text({ key: helpKey })}`)
        }
        return
      case 'usage':
        for (const line of this.#plain(this.#serverUsage())) this.#parts.print(line)
        return
      case 'free-text':
      case 'module':
      case 'act':
      case 'settings':
      case 'cancel':
      case 'orders':
      case 'signin':
      case 'history':
      case 'pins':
      case 'forget':
        return this.#refuse(null, failure('system:players_only'))
    }
  }

  async #forget({ player, id }: Asker, what: { readonly all: boolean }): Promise<void> {
    const forgotten = await this.#parts.runtime.memory.forget(id, what)
    if (!forgotten.ok) return this.#refuse(player, forgotten.failure)
    this.#say(player, { key: what.all ? 'system.forget.all' : 'system.forget.done' })
  }

  async #administer(player: SquidPlayer | null, command: AdminCommand, source: CommandSource): Promise<void> {
    const { administration, reload, save } = this.#parts
    switch (command.kind) {
      case 'reload':
        for (const { message, tone } of await reload.run(command)) this.#say(player, message, tone)
        return
      case 'save': {
        const { isDone, message } = await save()
        return this.#say(player, message, isDone ? 'good' : 'bad')
      }
      case 'grant':
        return this.#report(player, await administration.grant(command.system, command.player ?? source.name))
      case 'revoke':
      case 'reset': {
        const name = command.player ?? source.name
        return this.#report(player, await administration.revoke(name, command.kind))
      }
      case 'override':
        return this.#report(player, await administration.override(command))
      case 'modules':
        return this.#report(player, administration.modules(command.player))
      case 'ai':
        return this.#report(player, await administration.ai(command.player, command.level))
      case 'ai-default':
        return this.#report(player, aiDefault(this.#parts.runtime, command.level))
      case 'orders-of':
      case 'signin-repair':
      case 'resource':
        return this.#reportAll(player, await administration.commerce(command))
      case 'item-test':
      case 'item-count':
        return this.#report(player, await administration.testItems(command))
      case 'status': {
        const lines = this.#status(command.player)
        if (!lines.ok) return this.#refuse(player, lines.failure)
        if (command.json) return this.#parts.print(statusJson(lines.value))
        return this.#statusLines(player, lines.value)
      }
    }
  }

  /** The commands open to a source, with what they do; arguments are named in the reader's language. */
  helpLines(source: CommandSource, language: string): readonly HelpLine[] {
    const { languages, root } = this.#parts
    const word = (name: string): string => {
      const key = argumentWordKey(name)
      return languages.has(key, language) ? languages.text({ key }, language) : name
    }
    return usage(root, source, word).map(({ usage, typed, help }) => ({ usage, typed, helpKey: help.key }))
  }

  #serverUsage(): CardData {
    return cardOf(usageCardType, serverReport(this.#parts.runtime.usage.ledger))
  }

  /** A card without buttons as lines for the console. */
  #plain(card: CardData): readonly string[] {
    const { runtime, languages } = this.#parts
    return renderPlain(runtime.cardTypes.view(card), {
      lang: 'en_us',
      languages,
      page: 'all',
      token: () => '',
    })
  }

  #status(name: string | null): Result<readonly StatusLine[]> {
    const { runtime, players, shield } = this.#parts
    if (name === null) {
      return { ok: true, value: serverStatus({ runtime, shield: shield(), online: players.names().length }) }
    }
    const player = players.byName(name)
    const id = player === undefined ? null : idOf(player)
    if (id === null) return { ok: false, failure: failure('system:unknown_player', { player: name }) }
    return { ok: true, value: playerStatus(runtime, id) }
  }

  #statusLines(player: SquidPlayer | null, lines: readonly StatusLine[]): void {
    for (const [key, value] of lines) {
      if (player === null) this.#parts.print(`${key}: ${value}`)
      else this.#parts.surface.line(player, { key: 'system.admin.status_line', params: { key, value } })
    }
  }

  #report(player: SquidPlayer | null, result: Result<Message>): void {
    if (result.ok) this.#say(player, result.value)
    else this.#refuse(player, result.failure)
  }

  #reportAll(player: SquidPlayer | null, result: Result<readonly Message[]>): void {
    if (!result.ok) return this.#refuse(player, result.failure)
    for (const message of result.value) this.#say(player, message)
  }

  #say(player: SquidPlayer | null, message: Message, tone: CardTone = 'good'): void {
    if (player === null) this.#parts.print(this.#text(message))
    else this.#parts.surface.line(player, message, tone)
  }

  #refuse(player: SquidPlayer | null, reason: Failure): void {
    if (player === null) this.#parts.print(this.#text(failureMessage(reason)))
    else this.#parts.surface.failure(player, reason)
  }

  #text(message: Message): string {
    return this.#parts.languages.text(message, 'en_us')
  }
}
