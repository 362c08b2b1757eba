/** The surface without a server: cards, tokens and windows are real values, what a client would see is kept. */
import { z } from 'zod'
import type { AgentResult } from '../../lib/agent/index.js'
import {
  ButtonTokens,
  CardBook,
  CardTypes,
  cardOf,
  type CardAction,
  type CardData,
  type CardRef,
  type CardType,
  type CardView,
} from '../../lib/cards/index.js'
import type { WindowPage } from '../../lib/cards/render/index.js'
import { identifier, randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { CardSurface } from '../../lib/core/own-settings.js'
import { silentLogger } from '../../lib/core/logger.js'
import { ManualClock } from '../../lib/testing/index.js'
import { componentText, type Component } from '../../lib/text/index.js'
import { Surface, type Origin } from '../../plugins/squid/surface/index.js'
import type { ShownBook, WindowEvents } from '../../plugins/squid/windows/index.js'
import type { SquidPlayer } from '../../plugins/squid/types.js'
import { shippedLanguages } from './catalogues.js'
import { ALICE } from './cards.js'
import { allParts } from './component.js'

/** Windows of one player, as a client has them: one at a time. */
export class FakeWindows {
  page: WindowPage | null = null
  isGone = false
  opened = 0
  closed = 0
  #id = 0
  #events: WindowEvents | null = null

  open(_player: SquidPlayer, page: WindowPage, events: WindowEvents): number | null {
    if (this.isGone) return null
    this.leave()
    this.opened += 1
    this.#events = events
    this.page = page
    this.#id = (this.#id % 100) + 1
    return this.#id
  }
  replace(_player: SquidPlayer, id: number, page: WindowPage): boolean {
    if (this.page === null || id !== this.#id) return false
    this.page = page
    return true
  }
  close(): void {
    this.closed += 1
    this.page = null
    this.#events = null
  }
  openId(): number | null {
    return this.page === null ? null : this.#id
  }
  /** The client closes it. */
  leave(): void {
    const events = this.#events
    this.page = null
    this.#events = null
    events?.onClose()
  }
  /** What can be pressed, by name. */
  get tokens(): ReadonlyMap<string, string> {
    const slots = [...(this.page?.slots.values() ?? [])]
    return new Map(
      slots.flatMap(({ name, token }) => (token === undefined ? [] : [[componentText(name), token]])),
    )
  }
  get title(): string | null {
    return this.page === null ? null : componentText(this.page.title)
  }
  press(name: string): void {
    const token = this.tokens.get(name)
    if (token === undefined)
      throw new Error(`nothing called ${name} among ${[...this.tokens.keys()].join(', ')}`)
    this.#events?.onPress(token)
  }
}

/** What a card of tests says. */
export interface TestCard {
  readonly title: string
  readonly lines?: number
  readonly buttons?: readonly string[]
  readonly surface?: CardSurface
}

export const TEST_MODULE = identifier('test:module')
const word = (text: string) => ({ key: 'test.word', params: { text } })

const cardType: CardType<TestCard> = {
  id: identifier('test:card'),
  schema: z.object({
    title: z.string(),
    lines: z.number().optional(),
    buttons: z.array(z.string()).optional(),
    surface: z.enum(['chat', 'book', 'window', 'plain']).optional(),
  }) as unknown as z.ZodType<TestCard>,
  build: ({ title, lines = 0, buttons = [], surface }): CardView => ({
    ...(surface === undefined ? {} : { surface }),
    title: word(title),
    lines: Array.from({ length: lines }, (_, at) => ({
      kind: 'entry',
      title: word(`entry ${at}`),
      action: { kind: 'server', module: TEST_MODULE, params: { entry: String(at) } },
    })),
    buttons: buttons.map((name) => ({
      id: name,
      label: word(name),
      action: name.startsWith('/')
        ? { kind: 'suggest', command: name }
        : { kind: 'server', module: TEST_MODULE, params: { name } },
    })),
  }),
}
const plainType: CardType<string> = {
  id: identifier('test:plain'),
  schema: z.string(),
  build: (text) => ({ title: null, lines: [{ kind: 'text', text }], buttons: [] }),
}

export const testCard = (card: TestCard): CardData => cardOf(cardType, card)
export const plainCard = (text: string): CardData => cardOf(plainType, text)
export const shows = (...cards: readonly CardData[]): AgentResult => ({
  status: 'succeeded',
  message: null,
  cards: cards.map((card) => ({ mode: 'SHOW', card })),
})
export const replaces = (ref: CardRef, card: CardData): AgentResult => ({
  status: 'succeeded',
  message: null,
  cards: [{ mode: 'REPLACE', ref, card }],
})

/** A surface for one player, Alice. */
export function surfaceRig(over: { preferred?: CardSurface; language?: string } = {}) {
  const windows = new FakeWindows()
  const books: ShownBook[] = []
  const chat: Component[] = []
  const pressed: string[] = []
  const state = {
    language: over.language ?? 'en_us',
    preferred: over.preferred ?? 'chat',
    closed: new Set<string>(),
  }
  const tokens = new ButtonTokens({ ids: randomIds, clock: new ManualClock() })
  const types = new CardTypes([cardType, plainType])
  const cards = new CardBook({ ids: randomIds, types, tokens })
  const languages = shippedLanguages()
  languages.add('en_us', { 'test.word': '{text}' })
  languages.add('zh_cn', { 'test.word': '{text}' })
  const player = { _client: {}, username: 'alice' } as unknown as SquidPlayer
  const reader = { player, id: ALICE }
  const surface = new Surface({
    era: { nbt: true, systemChat: true, fallback: true, hasKey: () => true },
    sender: {
      system: (_client: unknown, component: Component) => void chat.push(component),
      actionBar() {},
    },
    languages,
    tokens,
    cards,
    logger: silentLogger,
    languageOf: () => state.language,
    mayPress: (_player: PlayerId, action: CardAction) =>
      action.kind !== 'server' || !state.closed.has(action.params['name'] ?? ''),
    screens: {
      windows,
      openBook(_player, book) {
        if (windows.isGone) return false
        windows.leave()
        books.push(book)
        return true
      },
    },
    preferred: () => state.preferred,
    onProgress: () => {},
    onPress: (_reader, token) => void pressed.push(token),
  })
  /** The next line of the chat, as text; null: there is none. */
  const said = (): string | null => {
    const next = chat.shift()
    return next === undefined ? null : componentText(next)
  }
  const codeOf = (token: string): string => {
    const taken = tokens.take(ALICE, token)
    return taken.ok ? 'ok' : taken.failure.code.slice('system:'.length)
  }
  /** Presses what the window calls so: gives what the token stood for. */
  const press = (name: string) => {
    windows.press(name)
    const taken = tokens.take(ALICE, pressed.pop() ?? '')
    if (!taken.ok) throw new Error(taken.failure.code)
    return taken.value
  }
  return {
    surface,
    languages,
    presenter: surface.presenter,
    windows,
    books,
    chat,
    tokens,
    cards,
    reader,
    state,
    said,
    codeOf,
    press,
    show: (result: AgentResult, origin: Origin = {}) => surface.outcome(reader, result, origin),
    /** What the newest line of the chat offers, by label. */
    chatButtons: (component: Component) =>
      new Map(
        allParts(component).flatMap((part) =>
          part.clickEvent === undefined
            ? []
            : [[componentText(part), part.clickEvent.value.replace('/system act ', '')] as const],
        ),
      ),
  }
}
