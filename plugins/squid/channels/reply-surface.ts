import type { AgentResult } from '../../../lib/agent/index.js'
import type { CardAction, CardEntry, CardUpdate, CardView } from '../../../lib/cards/index.js'
import { ACT, renderPlain, suggestedCommand } from '../../../lib/cards/render/index.js'
import type { ChannelButton, ChannelResponse } from '../../../lib/channels/index.js'
import type { Failure } from '../../../lib/core/failure.js'
import { failureMessage, type Languages, type Message } from '../../../lib/text/index.js'
import { mayPress } from '../access.js'
import type { AnswerSurface, Asker } from '../requests.js'
import type { Runtime } from '../runtime.js'
import type { SquidPlayer } from '../types.js'

type PlainOptions = Parameters<typeof renderPlain>[1]
type Reply = Extract<ChannelResponse, { type: 'reply' }>
/** What answers a request: one of these, once. */
type Answer = Extract<ChannelResponse, { type: 'reply' | 'navigation' | 'state' | 'history' }>

/** What answers on a channel are made of. */
export interface ReplyParts {
  readonly runtime: Runtime
  readonly languages: Languages
  /** The player's own surface: what is no answer to the program is seen there. */
  readonly surface: AnswerSurface
  languageOf(player: SquidPlayer): string
}

/** In the place of the player's surface for one request of a program: the first thing that is said is its one answer. */
export class ReplySurface implements AnswerSurface {
  readonly presenter: AnswerSurface['presenter']
  readonly #parts: ReplyParts
  readonly #id: string
  readonly #send: (answer: Answer) => void
  #isAnswered = false

  constructor(parts: ReplyParts, id: string, send: (answer: Answer) => void) {
    this.#parts = parts
    this.#id = id
    this.#send = send
    this.presenter = parts.surface.presenter
  }

  line(player: SquidPlayer, message: Message): void {
    this.#answer({ status: 'succeeded', text: this.#text(player, message), cards: [] })
  }

  failure(player: SquidPlayer, failure: Failure): void {
    const text = this.#text(player, failureMessage(failure))
    this.#answer({ status: 'failed', code: failure.code, text, cards: [] })
  }

  outcome(reader: Asker, result: AgentResult): void {
    const { status, failure, message, silent } = result
    const said = message ?? (failure === undefined ? null : failureMessage(failure))
    this.#answer({
      status,
      ...(failure === undefined ? {} : { code: failure.code }),
      text: said === null ? null : this.#text(reader.player, said),
      cards: result.cards.flatMap((update) => this.#card(reader, update) ?? []),
      ...(silent === true ? { silent } : {}),
    })
  }

  local(...given: Parameters<AnswerSurface['local']>): Failure | null {
    const failed = this.#parts.surface.local(...given)
    const [, { ref, action }] = given
    if (failed === null && action.kind === 'local' && action.show !== 'pin')
      this.answer({ type: 'navigation', id: this.#id, card: ref.id, to: action.show })
    return failed
  }

  progress(reader: Asker, message: Message): void {
    this.#parts.surface.progress(reader, message)
  }

  endProgress(player: SquidPlayer): void {
    this.#parts.surface.endProgress(player)
  }

  /** Nothing more will be said: a request that has had no answer has an empty one. */
  end(): void {
    this.#answer({ status: 'succeeded', text: null, cards: [], silent: true })
  }

  #answer(reply: Omit<Reply, 'type' | 'id'>): void {
    this.answer({ type: 'reply', id: this.#id, ...reply })
  }

  /** Sends the answer if there has been none. */
  answer(answer: Answer): void {
    if (this.#isAnswered) return
    this.#send(answer)
    // what can't be sent was no answer
    this.#isAnswered = true
  }

  #text(player: SquidPlayer, message: Message): string {
    return this.#parts.languages.text(message, this.#parts.languageOf(player))
  }

  #card(reader: Asker, update: CardUpdate): Reply['cards'][number] | null {
    const { runtime, languages } = this.#parts
    const presented = runtime.cards.present(reader.id, update)
    // on the player's own screen an older form of it would have buttons that work
    if (presented.kind !== 'stale') this.presenter.remove(reader, presented.ref.id)
    if (presented.kind === 'removed') return { mode: 'REMOVE', id: presented.ref.id }
    if (presented.kind === 'stale' || update.mode === 'REMOVE') return null
    const { ref, view } = presented
    const lang = this.#parts.languageOf(reader.player)
    const options = { lang, languages, token: () => '', page: 'all' } as const
    const pressable = pressableOf(view, options).filter(({ action }) => mayPress(runtime, reader.id, action))
    const issue = (action: CardAction): string => runtime.tokens.issue(reader.id, ref, action)
    const { type, data } = update.card
    const buttons = pressable.flatMap((button) => channelButton(button, issue))
    return { mode: update.mode, ...ref, type, data, text: textLines(view, options), buttons }
  }
}

interface Pressable {
  readonly label: string
  readonly action: CardAction
}

/** Buttons and entries that can be pressed. */
function pressableOf(view: CardView, options: PlainOptions): readonly Pressable[] {
  const titleOf = (entry: CardEntry): string =>
    renderPlain({ title: null, buttons: [], lines: [{ kind: 'entry', title: entry.title }] }, options).join(
      ' ',
    )
  return [
    ...view.buttons.map(({ label, action }) => ({
      label: options.languages.text(label, options.lang),
      action,
    })),
    ...view.lines.flatMap((line) =>
      line.kind === 'entry' && line.action !== undefined
        ? [{ label: titleOf(line), action: line.action }]
        : [],
    ),
  ]
}

/** The card's text without what can be pressed, which comes beside it. */
function textLines(view: CardView, options: PlainOptions): readonly string[] {
  const lines = view.lines.map((line) => {
    if (line.kind !== 'entry') return line
    const { action: _, ...bare } = line
    return bare
  })
  return renderPlain({ ...view, lines, buttons: [] }, options)
}

function channelButton(
  { label, action }: Pressable,
  issue: (action: CardAction) => string,
): readonly ChannelButton[] {
  if (action.kind === 'local') return []
  if (action.kind === 'suggest') return [{ label, token: null, command: suggestedCommand(action) }]
  const token = issue(action)
  return [{ label, token, command: `${ACT}${token}` }]
}
