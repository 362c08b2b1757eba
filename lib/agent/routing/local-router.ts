import type { Identifier } from '../../core/ids.js'
import { synchronous } from '../../core/synchronous.js'
import { foldText, type Synonyms } from '../../lexical/index.js'
import { headUnits } from '../../text/index.js'
import type { RegisteredModule, Sentence } from '../module.js'
import { complexPhrasing } from './complex-phrasing.js'
import { QUERY_UNITS, type RouteProfile } from './compute-jobs.js'
import { IndexClient, type IndexClientParts } from './index-client.js'
import { LOCAL_THRESHOLDS, isAccepted, type LocalThresholds } from './local-index.js'

/** An item named in a sentence. */
export interface ItemMention {
  readonly item: Identifier
  /** The folded sentence with the item mark in the place of the name. */
  readonly masked: string
  /** The name, where several items share it. */
  readonly sharedName?: string
  /** It may as well be another word, or a part of one. */
  readonly unsure?: true
  /** Another reading of the sentence. */
  readonly otherwise?: ItemMention
}

/** Finds item names in sentences: the item catalogue is one. */
export interface ItemFinder {
  /** `language` is the asker's. */
  mask(text: string, language?: string): ItemMention | null
}

/** What local routing needs of a module. */
export type RoutableModule = Pick<RegisteredModule, 'id' | 'routing'>

/** Where a sentence goes without a model. */
export interface LocalRoute {
  readonly moduleId: Identifier
  readonly sentence: Sentence
  readonly confidence: number
}

/** A sentence with one of the names in it masked, and how much of it the module's examples know. */
interface Reading {
  readonly route: LocalRoute
  readonly coverage: number
}

export interface LocalRouterParts extends IndexClientParts {
  readonly items: ItemFinder
  readonly thresholds?: LocalThresholds
}

/**
 * The main thread's side of local routing: decides what may be routed, masks the item, asks the compute group.
 * A failure there is no route: the caller goes on to its next stage.
 */
export class LocalRouter {
  readonly #parts: LocalRouterParts
  readonly #index: IndexClient
  #modules: ReadonlyMap<string, RoutableModule> = new Map()

  constructor(parts: LocalRouterParts) {
    this.#parts = parts
    this.#index = new IndexClient(parts)
  }

  /** Takes these from the next query on; one under way keeps those it began with. Only NORMAL ones with examples and an extractor are routed to. */
  rebuild(modules: readonly RoutableModule[], synonyms: readonly Synonyms[]): void {
    const routable = modules.filter(
      ({ routing }) =>
        routing.selection === 'NORMAL' && routing.examples !== undefined && routing.extract !== undefined,
    )
    this.#modules = new Map(routable.map((module) => [module.id, module]))
    const profiles: readonly RouteProfile[] = routable.map(({ id, routing }) => ({
      id,
      examples: Object.values(routing.examples ?? {}).flat(),
    }))
    this.#index.publish(profiles, synonyms)
    for (const { id, examples } of profiles) this.#warnOfComplex(id, examples)
  }

  /** An example that a model would be asked about helps nobody, and its author should know. */
  #warnOfComplex(id: string, examples: readonly string[]): void {
    const [first] = examples.filter((example) => complexPhrasing(foldText(example)) !== null)
    if (first !== undefined)
      this.#parts.logger.warn(
        `module ${id}: the example "${first}" is never routed locally (${complexPhrasing(foldText(first))})`,
      )
  }

  /** The module that plainly fits the sentence and all of whose arguments are in it; null in any doubt. */
  async route(text: string, language?: string): Promise<LocalRoute | null> {
    // of this moment for all readings: the index may be another in the middle
    const modules = this.#modules
    const first = this.#parts.items.mask(text, language)
    let best: Reading | null = null
    // all that is said is known: no other reading can be better
    for (let mention = first; mention !== null && best?.coverage !== 1; mention = mention.otherwise ?? null) {
      const { item, masked, sharedName } = mention
      const sentence = { text, item, ...(sharedName === undefined ? {} : { sharedName }) }
      const reading = await this.#read(masked, sentence, modules)
      if (reading !== null && reading.coverage > (best?.coverage ?? 0)) best = reading
    }
    if (best === null && (first === null || first.unsure === true))
      best = await this.#read(foldText(text), { text, item: null }, modules)
    return best?.route ?? null
  }

  async #read(
    masked: string,
    sentence: Sentence,
    modules: ReadonlyMap<string, RoutableModule>,
  ): Promise<Reading | null> {
    if (complexPhrasing(masked) !== null) return null
    const match = (await this.#index.ask(masked))?.match ?? null
    if (match === null || !isAccepted(match, this.#parts.thresholds ?? LOCAL_THRESHOLDS)) return null
    const module = modules.get(match.id)
    if (module === undefined || !this.#isComplete(module, sentence)) return null
    const { confidence, coverage } = match
    return { route: { moduleId: module.id, sentence, confidence }, coverage }
  }

  /** Ids of the modules whose examples are nearest to the sentence, however far that is; nearest first. */
  async nearest(text: string, language?: string): Promise<readonly string[]> {
    const masked = this.#parts.items.mask(text, language)?.masked ?? foldText(text)
    return (await this.#index.ask(headUnits(masked, QUERY_UNITS)))?.nearest ?? []
  }

  /** No query is answered from now on. */
  close(): void {
    this.#index.close()
  }

  #isComplete(module: RoutableModule, sentence: Sentence): boolean {
    try {
      return synchronous(module.routing.extract?.(sentence)) !== undefined
    } catch (error) {
      this.#parts.logger.error(`the argument extractor of ${module.id} threw`, error)
      return false
    }
  }
}
