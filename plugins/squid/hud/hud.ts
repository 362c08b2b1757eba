import type { Identifier } from '../../../lib/core/ids.js'
import type { Component } from '../../../lib/text/index.js'
import type { WriteOutcome } from '../shield/index.js'
import { encodeComponent, textSender, type PacketWriter, type TextEra } from '../text/index.js'
import type { SquidPlayer, SquidServer } from '../types.js'
import { BossBars, type BossBar } from './boss-bars.js'
import { soundPlayer } from './sound.js'
import { toastPackets, type Toast } from './toast.js'

/** What a Hud is made of. */
export interface HudParts {
  readonly serv: Pick<SquidServer, 'supportFeature' | 'registry'>
  readonly era: TextEra
  /** The shield's safe write. */
  readonly write: PacketWriter<WriteOutcome>
  /** A new UUID. */
  newUuid(): string
}

/** Lines of the screen hold no more. */
const TITLE_BUDGET_BYTES = 2_048
/** The actions of the `title` packet up to 1.16. */
const LEGACY_TITLE = { title: 0, subtitle: 1, times: 3 } as const
/** How long a title is seen. */
const TITLE_TICKS = { fadeIn: 10, stay: 70, fadeOut: 20 } as const

/**
 * What a player sees beside the chat: line above the hotbar, titles, boss bars, toasts, and sounds heard. Each call
 * writes packets at once; of who has gone nothing is written or kept, and a text that is too long is cut.
 */
export class Hud {
  readonly #parts: HudParts
  readonly #sender: ReturnType<typeof textSender<WriteOutcome>>
  readonly #bars: BossBars
  readonly #isLegacyTitle: boolean
  readonly #sound: ReturnType<typeof soundPlayer>
  readonly #toast: ReturnType<typeof toastPackets>

  constructor(parts: HudParts) {
    this.#parts = parts
    const { serv, era, write } = parts
    this.#sender = textSender(era, write)
    this.#bars = new BossBars(parts)
    this.#isLegacyTitle = serv.supportFeature('titleUsesLegacyPackets')
    this.#sound = soundPlayer(parts)
    this.#toast = toastPackets(parts)
  }

  /** The line above the hotbar; a later one replaces it, and it fades by itself. */
  actionBar(player: SquidPlayer, component: Component): void {
    if (isHere(player)) this.#sender.actionBar(player._client, component)
  }

  /** A title in the middle of the screen. Replaces the one that is shown, and a subtitle by none. */
  title(player: SquidPlayer, title: Component): void {
    const [text, below] = [this.#encode(title), this.#encode({ text: '' })]
    // the text comes last: it starts the display
    if (this.#isLegacyTitle) {
      this.#write(player, 'title', { action: LEGACY_TITLE.times, ...TITLE_TICKS })
      this.#write(player, 'title', { action: LEGACY_TITLE.subtitle, text: below })
      this.#write(player, 'title', { action: LEGACY_TITLE.title, text })
    } else {
      this.#write(player, 'set_title_time', TITLE_TICKS)
      this.#write(player, 'set_title_subtitle', { text: below })
      this.#write(player, 'set_title_text', { text })
    }
  }

  /** Shows the player's bar of that key, or changes what differs; null takes it away. */
  bossBar(player: SquidPlayer, key: string, bar: BossBar | null): void {
    if (isHere(player)) this.#bars.set(player, key, bar)
  }

  /** A notice at the right upper corner, as of an advancement; of the player's advancements nothing is changed. */
  toast(player: SquidPlayer, toast: Toast): void {
    for (const packet of this.#toast(toast)) this.#write(player, 'advancements', packet)
  }

  /** Plays a sound where the player stands, to nobody else. A name that the client doesn't know is silent. */
  sound(player: SquidPlayer, name: Identifier): void {
    if (isHere(player)) this.#sound(player, name)
  }

  #encode(component: Component) {
    return encodeComponent(component, this.#parts.era, TITLE_BUDGET_BYTES)
  }

  #write(player: SquidPlayer, name: string, params: unknown): void {
    if (isHere(player)) this.#parts.write(player._client, name, params)
  }
}

const isHere = (player: SquidPlayer): boolean => player.disconnected !== true
