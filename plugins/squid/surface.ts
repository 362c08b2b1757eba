import type { AgentResult } from '../../lib/agent/index.js'
import type {
  ButtonTokens,
  CardAction,
  CardBook,
  CardData,
  CardTone,
  CardUpdate,
} from '../../lib/cards/index.js'
import { renderChat, TONE_COLORS } from '../../lib/cards/render/index.js'
import { failure, type Failure, type FailureCode } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import {
  failureMessage,
  join,
  styled,
  type Component,
  type Languages,
  type Message,
} from '../../lib/text/index.js'
import { itemKeys, type TextEra, type TextSender } from './text/index.js'
import type { SquidPlayer } from './types.js'

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
export interface SurfaceParts {
  readonly era: TextEra
  readonly sender: TextSender<unknown>
  readonly languages: Languages
  readonly tokens: ButtonTokens
  readonly cards: CardBook
  readonly logger: Logger
  /** The reader's language. */
  languageOf(player: SquidPlayer): string
  /** Whether what a button does is open to the reader: others are left out. */
  mayPress(player: PlayerId, action: CardAction): boolean
}

/** What players see: each call is exactly one message, except `progress`. */
export class Surface {
  readonly #parts: SurfaceParts
  /** Whose request has shown where it stands, with what is to be shown next. */
  readonly #progress = new Map<SquidPlayer, Message | null>()
  readonly #itemKey: ReturnType<typeof itemKeys>

  constructor(parts: SurfaceParts) {
    this.#parts = parts
    this.#itemKey = itemKeys(parts.era)
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
  card(player: SquidPlayer, id: PlayerId, card: CardData): void {
    this.#send(player, this.#draw(player, id, { mode: 'SHOW', card }) ?? { text: '' })
  }

  /**
   * The outcome of a request: its failure, its sentence and its cards as one message. What an extension's card or
   * message makes impossible to draw is told as a fault, never left out: each request has its one answer.
   */
  result(player: SquidPlayer, id: PlayerId, result: AgentResult): void {
    if (result.failure !== undefined && UNSPOKEN.has(result.failure.code)) return
    try {
      this.#result(player, id, result)
    } catch (cause) {
      this.#parts.logger.error('a result could not be shown', cause)
      this.failure(player, failure('system:internal'))
    }
  }

  #result(player: SquidPlayer, id: PlayerId, result: AgentResult): void {
    const { status, failure, message, cards } = audible(result)
    const parts: Component[] = []
    // a card that comes with a plain failure says it itself
    const isSaid = status === 'failed' && cards.length > 0
    if (failure !== undefined && !isSaid)
      parts.push(this.#render(player, failureMessage(failure), toneOf(failure)))
    if (message !== null) parts.push(this.#render(player, message, 'normal'))
    for (const update of cards) {
      const drawn = this.#draw(player, id, update)
      if (drawn !== null) parts.push(drawn)
    }
    if (parts.length > 0) this.#send(player, join(parts, { text: '\n' }))
  }

  /**
   * Where a request stands, above the hotbar: the first message at once, of later ones the latest with the next tick.
   * A tool and the step after it are told within a millisecond, and nobody could read what the second one covers.
   */
  progress(player: SquidPlayer, message: Message): void {
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

  #draw(player: SquidPlayer, id: PlayerId, update: CardUpdate): Component | null {
    const { tokens, cards, languages } = this.#parts
    const presented = cards.present(id, update)
    if (presented.kind !== 'shown') return null
    const buttons = presented.view.buttons.filter(({ action }) => this.#parts.mayPress(id, action))
    return renderChat(
      { ...presented.view, buttons },
      {
        lang: this.#parts.languageOf(player),
        languages,
        itemKey: this.#itemKey,
        token: (action) => tokens.issue(id, presented.ref, action),
      },
    ).component
  }

  #render(player: SquidPlayer, message: Message, tone: CardTone): Component {
    const { languages } = this.#parts
    return styled(languages.render(message, this.#parts.languageOf(player)), { color: TONE_COLORS[tone] })
  }

  #send(player: SquidPlayer, component: Component): void {
    if (player.disconnected !== true) this.#parts.sender.system(player._client, component)
  }
}
