import { once, type EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Component } from '../../lib/text/index.js'
import { decodeComponent } from '../../test/support/component.js'
import { nextEvent } from '../../test/support/squid.js'
import { clientText } from './client-text.js'
import { buttonsOf, type Paint } from './paint.js'
import { Screen } from './screen.js'

const require = createRequire(import.meta.url)

const ANNOUNCEMENT = /^&e\w+ (?:joined|left) the game\.$/

/** What we use of a mineflayer bot. */
interface Bot extends EventEmitter {
  readonly _client: EventEmitter
  readonly inventory: EventEmitter
  readonly registry: { readonly language: Readonly<Record<string, string>> }
  chat(line: string): void
  setSettings(settings: { readonly locale: string }): void
  end(reason?: string): void
}

/** Who joins where, and where its screen is printed. */
export interface ClientPlayerOptions {
  readonly name: string
  readonly port: number
  readonly version: string
  readonly colors: boolean
  readonly print: (line: string) => void
}

/** A real client with somebody in front of it: its chat is printed as it comes, and kept; joins and leaves are left out. */
export class ClientPlayer {
  readonly name: string
  readonly screen: Screen
  /** Chat messages, oldest first. */
  readonly heard: Component[] = []
  readonly #arrivals: (() => void)[] = []
  readonly #bot: Bot
  readonly #paint: Paint
  #locale = 'en_us'

  private constructor(bot: Bot, { name, colors, print }: ClientPlayerOptions) {
    this.name = name
    this.#bot = bot
    this.#paint = { colors, translate: (key) => clientText(key, this.#locale, bot.registry.language) }
    this.screen = new Screen(this.#paint, print)
    bot._client.on('system_chat', (packet: { content: unknown; isActionBar: boolean }) =>
      this.#receive(decodeComponent(packet.content), packet.isActionBar),
    )
  }

  /** Joins and waits for the world. */
  static async join(options: ClientPlayerOptions): Promise<ClientPlayer> {
    const mineflayer = require('mineflayer') as { createBot(options: unknown): Bot }
    const { name, port, version } = options
    const bot = mineflayer.createBot({
      host: '127.0.0.1',
      port,
      version,
      username: name,
      auth: 'offline',
      hideErrors: true,
    })
    const player = new ClientPlayer(bot, options)
    await nextEvent(bot, 'spawn', undefined, 20_000)
    return player
  }

  /** Waits until there are more than `count` chat messages; false when none came in time. */
  async hears(count: number, timeoutMs: number): Promise<boolean> {
    const late = new Promise<false>((resolve) => {
      setTimeout(resolve, timeoutMs, false).unref()
    })
    while (this.heard.length <= count) {
      const arrived = new Promise<true>((resolve) => {
        this.#arrivals.push(() => resolve(true))
      })
      if (!(await Promise.race([arrived, late]))) return false
    }
    return true
  }

  /** Types a line into the chat box. */
  type(line: string): void {
    this.screen.typed(line)
    this.#bot.chat(line)
  }

  /** The command behind the newest button with that label, or undefined. */
  button(label: string): string | undefined {
    for (const message of this.heard.toReversed()) {
      const command = buttonsOf(message, this.#paint).get(`[${label}]`)
      if (command !== undefined) return command
    }
    return undefined
  }

  /** Clicks: a client sends the button's command as if it had been typed. */
  click(label: string, command: string): void {
    this.screen.typed(`[${label}]`)
    this.#bot.chat(command)
  }

  /** What stands in a message, in the client's language. */
  read(message: Component): string {
    return this.screen.read(message).join('\n')
  }

  speak(locale: string): void {
    this.#locale = locale
    this.#bot.setSettings({ locale })
  }

  /** Resolves when the client has seen a change of its inventory. */
  async seesInventory(): Promise<void> {
    await once(this.#bot.inventory, 'updateSlot', { signal: AbortSignal.timeout(10_000) })
  }

  async leave(): Promise<void> {
    const ended = once(this.#bot, 'end')
    this.#bot.end('bye')
    await ended
  }

  #receive(component: Component, isActionBar: boolean): void {
    if (isActionBar) return this.screen.actionBar(component)
    // flying-squid's own announcements, which show their colour codes as text
    if (ANNOUNCEMENT.test(this.read(component))) return
    this.screen.chat(component)
    this.heard.push(component)
    for (const arrived of this.#arrivals.splice(0)) arrived()
  }
}
