import type { AgentResult } from '../../../lib/agent/index.js'
import type { CardAction, CardData, CardRef, CardTone } from '../../../lib/cards/index.js'
import { suggestedCommand, TONE_COLORS } from '../../../lib/cards/render/index.js'
import { failure, type Failure, type FailureCode } from '../../../lib/core/failure.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import type { Logger } from '../../../lib/core/logger.js'
import { failureMessage, join, plain, styled, type Component, type Message } from '../../../lib/text/index.js'
import { itemKeys, type TextEra, type TextSender } from '../text/index.js'
import type { SquidPlayer } from '../types.js'
import type { Origin, Reader } from './ports.js'
import { Presenter, type PresenterParts, type ScreenUse } from './presenter.js'

/** Outcomes that nobody is told: the player has gone, was told by whoever took the System, or sees the server stop. */
const UNSPOKEN: ReadonlySet<FailureCode> = new Set([
  'system:disconnected',
  'system:revoked',
  'system:stopping',
  'system:forgotten',
])

/** What a player asked for is no bad news. */
const toneOf = ({ code }: Failure): CardTone => (code === 'system:cancelled' ? 'muted' : 'bad')

/** Of a silent result nothing is seen but the card it came from, in its new form. */
function audible(result: AgentResult): AgentResult {
  if (result.silent !== true) return result
  return { status: 'succeeded', message: null, cards: result.cards.filter(({ mode }) => mode !== 'SHOW') }
}

/** What drawing needs. */
export interface SurfaceParts extends Omit<PresenterParts, 'itemKey'> {
  readonly era: TextEra
  readonly sender: TextSender<unknown>
  readonly logger: Logger
  /** Told, beside the line above the hotbar, where a player's request stands. */
  onProgress(player: PlayerId, message: Message): void
}

/** A button with what it does. */
interface Pressed {
  readonly ref: CardRef
  readonly action: CardAction
}

/** What players see: each call is exactly one message or, for cards, one window or book; `progress` is neither. */
export class Surface {
  readonly #parts: SurfaceParts
  /** Whose request has shown where it stands, with what is to be shown next. */
  readonly #progress = new Map<SquidPlayer, Message | null>()
  /** Where cards are, and their snapshots. */
  readonly presenter: Presenter

  constructor(parts: SurfaceParts) {
    this.#parts = parts
    this.presenter = new Presenter({ ...parts, itemKey: itemKeys(parts.era) })
  }

  /** The reader's language. */
  languageOf(player: SquidPlayer): string {
    return this.#parts.languageOf(player)
  }

  /** One line in the chat. */
  line(player: SquidPlayer, message: Message, tone: CardTone = 'normal'): void {
    this.#send(player, this.#render(player, message, tone))
  }

  /** Why something wasn't done, in one line; nothing where nobody is to be told. */
  failure(player: SquidPlayer, failure: Failure): void {
    if (!UNSPOKEN.has(failure.code)) this.line(player, failureMessage(failure), toneOf(failure))
  }

  /** A card outside of any request, such as help. */
  card(reader: Reader, card: CardData): void {
    this.outcome(reader, { status: 'succeeded', message: null, cards: [{ mode: 'SHOW', card }] })
  }

  /**
   * The outcome of a request: its failure, its sentence and its cards, as one message but for a card that is on a screen.
   * What an extension's card or message makes impossible to draw is told as a fault, never left out: each request has its
   * one answer.
   */
  outcome(reader: Reader, result: AgentResult, origin: Origin = {}): void {
    if (result.failure !== undefined && UNSPOKEN.has(result.failure.code)) return
    const failed = this.#guarded(() => this.#result(reader, result, origin))
    if (failed !== null) this.failure(reader.player, failed)
  }

  /** What a button does that asks nobody. Gives why it couldn't, for whoever is to be told. */
  local(reader: Reader, pressed: Pressed): Failure | null {
    return this.#guarded(() => this.#local(reader, pressed))
  }

  #local(reader: Reader, { ref, action }: Pressed): Failure | null {
    if (action.kind === 'suggest') this.#suggest(reader, ref, suggestedCommand(action))
    if (action.kind !== 'local' || action.show === 'pin') return null
    if (action.show === 'close') {
      this.presenter.closeCard(reader, ref)
      return null
    }
    const drawn =
      action.show === 'back'
        ? this.presenter.back(reader, ref)
        : this.presenter.again(reader, ref, action.show.page)
    if (drawn === null) return null
    if ('code' in drawn) return drawn
    this.#send(reader.player, drawn)
    return null
  }

  /** From a window nothing can be typed: it makes room, and a line in the chat has the command. */
  #suggest(reader: Reader, ref: CardRef, value: string): void {
    this.presenter.closeCard(reader, ref)
    const command = plain(value, { clickEvent: { action: 'suggest_command', value }, underlined: true })
    this.line(reader.player, { key: 'system.surface.suggest', params: { command } })
  }

  #guarded(draw: () => Failure | null): Failure | null {
    try {
      return draw()
    } catch (cause) {
      this.#parts.logger.error('a result could not be shown', cause)
      return failure('system:internal')
    }
  }

  #result(reader: Reader, result: AgentResult, origin: Origin): null {
    const { player } = reader
    const { status, failure, message, cards } = audible(result)
    const parts: Component[] = []
    // a card that comes with a plain failure says it itself
    const isSaid = status === 'failed' && cards.length > 0
    if (failure !== undefined && !isSaid)
      parts.push(this.#render(player, failureMessage(failure), toneOf(failure)))
    if (message !== null) parts.push(this.#render(player, message, 'normal'))
    const screen: ScreenUse = { isTaken: false }
    for (const update of cards) {
      const drawn = this.presenter.present(reader, update, { origin, screen })
      if (drawn !== null) parts.push(drawn)
    }
    if (parts.length > 0) this.#send(player, join(parts, { text: '\n' }))
    return null
  }

  /**
   * Where a request stands, above the hotbar: the first message at once, of later ones the latest with the next tick.
   * A tool and the step after it are told within a millisecond, and nobody could read what the second one covers.
   */
  progress({ player, id }: Reader, message: Message): void {
    this.#parts.onProgress(id, message)
    if (this.#progress.has(player)) this.#progress.set(player, message)
    else {
      this.#progress.set(player, null)
      this.#actionBar(player, message)
    }
  }

  /** The request is over: what waits is not shown any more. */
  endProgress(player: SquidPlayer): void {
    this.#progress.delete(player)
  }

  /** Shows what waits. Called once per tick of the server. */
  tick(): void {
    for (const [player, message] of this.#progress) {
      if (player.disconnected === true) this.#progress.delete(player)
      else if (message !== null) {
        this.#progress.set(player, null)
        this.#actionBar(player, message)
      }
    }
  }

  #actionBar(player: SquidPlayer, message: Message): void {
    if (player.disconnected === true) return
    this.#parts.sender.actionBar(player._client, this.#render(player, message, 'muted'))
  }

  #render(player: SquidPlayer, message: Message, tone: CardTone): Component {
    const { languages } = this.#parts
    return styled(languages.render(message, this.#parts.languageOf(player)), { color: TONE_COLORS[tone] })
  }

  #send(player: SquidPlayer, component: Component): void {
    if (player.disconnected !== true) this.#parts.sender.system(player._client, component)
  }
}
