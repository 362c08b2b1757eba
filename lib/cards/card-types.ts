import type { Identifier } from '../core/ids.js'
import { synchronous } from '../core/synchronous.js'
import type { CardData, CardType, CardView } from './card.js'
import { drawTemplate, type CardTemplate } from './templates/index.js'

/** Called with the type's id and what was thrown or refused, for the log. */
export type BrokenCard = (type: Identifier, cause: unknown) => void

/** The template that packs have for a card type now. */
export type TemplateOf = (type: Identifier) => CardTemplate | undefined

/** A card whose data are what its type's schema made of them. */
interface Decoded {
  readonly card: CardData
  readonly type: CardType
  readonly data: unknown
}

/** The kinds of cards by id. Data of a card are decoded before it is built: they may come from a file. */
export class CardTypes {
  #types = new Map<Identifier, CardType>()
  /** The newest: a card is shown and remembered at one time. */
  #decoded: Decoded | null = null
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
    const type = this.#types.get(card.type)
    const built = this.#build(card, (data) => type?.build(data))
    const template = this.#templateOf(card.type)
    if (built === undefined || template === undefined) return built ?? summaryView(type)
    const drawn = this.#build(card, (data) => {
      try {
        const parameters = type?.parameters === undefined ? data : synchronous(type.parameters(data))
        return drawTemplate(template, parameters, built)
      } catch (cause) {
        if (!this.#failed.has(template)) this.#onBroken(card.type, cause)
        this.#failed.add(template)
        return undefined
      }
    })
    return drawn ?? { ...summaryView(type), buttons: built.buttons }
  }

  /** What a later model call may know of the card; undefined when its type tells nothing. */
  memoryFact(card: CardData): string | undefined {
    return this.#build(card, (data) => this.#types.get(card.type)?.memoryFact?.(data))
  }

  /** Schema and `build` may belong to an extension, whose mistakes must not reach the caller. */
  #build<T>(card: CardData, build: (data: unknown) => T | undefined): T | undefined {
    const type = this.#types.get(card.type)
    if (type === undefined) {
      this.#onBroken(card.type, new TypeError('unknown card type'))
      return undefined
    }
    try {
      const decoded = this.#decode(card, type)
      return decoded === undefined ? undefined : synchronous(build(decoded.data))
    } catch (cause) {
      this.#onBroken(card.type, cause)
      return undefined
    }
  }

  #decode(card: CardData, type: CardType): Decoded | undefined {
    if (this.#decoded?.card === card && this.#decoded.type === type) return this.#decoded
    const decoded = type.schema.safeParse(card.data)
    if (decoded.success) return (this.#decoded = { card, type, data: decoded.data })
    this.#onBroken(card.type, decoded.error)
    return undefined
  }
}

const summaryView = (type: CardType | undefined): CardView => ({
  title: null,
  lines: [{ kind: 'message', message: type?.summary ?? { key: 'system.card.broken' }, tone: 'muted' }],
  buttons: [],
})
