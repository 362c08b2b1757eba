import type { Identifier } from '../core/ids.js'
import { synchronous } from '../core/synchronous.js'
import type { CardData, CardType, CardView } from './card.js'
import { drawTemplate, type CardTemplate } from './templates/index.js'

/** Called with the type's id and what was thrown or refused, for the log. */
export type BrokenCard = (type: Identifier, cause: unknown) => void

/** The template that packs have for a card type now. */
export type TemplateOf = (type: Identifier) => CardTemplate | undefined

/** The kinds of cards by id. Data of a card are decoded again each time it is built: they may come from a file. */
export class CardTypes {
  #types = new Map<Identifier, CardType>()
  readonly #onBroken: BrokenCard
  #templateOf: TemplateOf = () => undefined
  /** Each is told of once. */
  readonly #failed = new WeakSet<CardTemplate>()

  constructor(types: readonly CardType[] = [], onBroken: BrokenCard = () => {}) {
    this.#onBroken = onBroken
    for (const type of types) this.register(type)
  }

  /** Adds a kind; a taken id is a programming error and throws a TypeError. */
  register<D>(type: CardType<D>): void {
    if (this.#types.has(type.id)) throw new TypeError(`card type ${type.id} is registered twice`)
    this.#types.set(type.id, type)
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const types = new Map(this.#types)
    return () => {
      this.#types = types
    }
  }

  /** Whether cards of that kind can be built. */
  has(id: Identifier): boolean {
    return this.#types.has(id)
  }

  /** Ids in order of registration. */
  ids(): readonly Identifier[] {
    return [...this.#types.keys()]
  }

  /** From now on cards take the form that packs give them; asked for each card. */
  useTemplates(templateOf: TemplateOf): void {
    this.#templateOf = templateOf
  }

  /**
   * The card's presentation, by its template if there is one; a broken or unknown one shows its type's summary, never its
   * data. A template that can't be filled leaves the summary with the buttons.
   */
  view(card: CardData): CardView {
    const decoded = this.#decode(card)
    const built = decoded && this.#attempt(card, () => decoded.type.build(decoded.data))
    if (decoded === undefined || built === undefined) return summaryView(this.#types.get(card.type))
    const template = this.#templateOf(card.type)
    if (template === undefined) return built
    try {
      const { type, data } = decoded
      const parameters = type.parameters === undefined ? data : synchronous(type.parameters(data))
      return drawTemplate(template, parameters, built)
    } catch (cause) {
      if (!this.#failed.has(template)) this.#onBroken(card.type, cause)
      this.#failed.add(template)
      return { ...summaryView(decoded.type), buttons: built.buttons }
    }
  }

  /** What a later model call may know of the card; undefined when its type tells nothing. */
  memoryFact(card: CardData): string | undefined {
    if (this.#types.get(card.type)?.memoryFact === undefined) return undefined
    const decoded = this.#decode(card)
    return decoded && this.#attempt(card, () => decoded.type.memoryFact?.(decoded.data))
  }

  #decode(card: CardData): { readonly type: CardType; readonly data: unknown } | undefined {
    const type = this.#types.get(card.type)
    if (type === undefined) {
      this.#onBroken(card.type, new TypeError('unknown card type'))
      return undefined
    }
    return this.#attempt(card, () => {
      const decoded = type.schema.safeParse(card.data)
      if (decoded.success) return { type, data: decoded.data }
      this.#onBroken(card.type, decoded.error)
      return undefined
    })
  }

  /** Schema and functions may belong to an extension, whose mistakes must not reach the caller. */
  #attempt<T>({ type }: CardData, act: () => T | undefined): T | undefined {
    try {
      return synchronous(act())
    } catch (cause) {
      this.#onBroken(type, cause)
      return undefined
    }
  }
}

const summaryView = (type: CardType | undefined): CardView => ({
  title: null,
  lines: [{ kind: 'message', message: type?.summary ?? { key: 'system.card.broken' }, tone: 'muted' }],
  buttons: [],
})
