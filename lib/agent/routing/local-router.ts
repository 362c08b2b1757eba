import type { Identifier } from '../../core/ids.js'
import { synchronous } from '../../core/synchronous.js'
import { foldText, type Synonyms } from '../../lexical/index.js'
import { headUnits } from '../../text/index.js'
import type { RegisteredModule, Sentence } from '../module.js'
import { complexPhrasing } from './complex-phrasing.js'
import { QUERY_UNITS, type RouteProfile } from './compute-jobs.js'
import { IndexClient, type IndexClientParts } from './index-client.js'
import { logHostProblems, readHostSentences } from './host-sentences.js'
import { isAccepted, type LocalThresholds } from './local-index.js'
import { DEFAULT_ROUTING, type RoutingSettings } from './settings.js'

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
  readonly settings?: () => RoutingSettings
}

/** How local routing stands, for an administrator. */
export interface LocalState {
  readonly mode: RoutingSettings['mode']
  readonly examples: number
  /** Null: the index is not built yet. */
  readonly limits: LocalThresholds | null
}

/**
 * The main thread's side of local routing: decides what may be routed, masks the item, asks the compute group.
 * A failure there is no route: the caller goes on to its next stage.
 */
export class LocalRouter {
  readonly #parts: LocalRouterParts
  readonly #index: IndexClient
  #modules: ReadonlyMap<string, RoutableModule> = new Map()
  /** What is wrong with the host's sentences, as it was said last. */
  #told = ''

  constructor(parts: LocalRouterParts) {
    this.#parts = parts
    this.#index = new IndexClient(parts)
  }

  get #settings(): RoutingSettings {
    return this.#parts.settings?.() ?? DEFAULT_ROUTING
  }

  /**
   * Takes these with the host's own sentences: the first time at once, later when the index of them is built in the
   * background. Only NORMAL ones with an extractor are routed to.
   */
  rebuild(modules: readonly RoutableModule[], synonyms: readonly Synonyms[]): void {
    const { targetPrecision, ...settings } = this.#settings
    const routable = new Map(
      modules
        .filter(({ routing }) => routing.selection === 'NORMAL' && routing.extract !== undefined)
        .map((module) => [String(module.id), module]),
    )
    const host = readHostSentences(settings, routable, (id) => modules.some((module) => module.id === id))
    if (host.problems.join() !== this.#told) logHostProblems(host, this.#parts.logger)
    this.#told = host.problems.join()
    const profiles: readonly RouteProfile[] = [...routable.values()].map(({ id, routing }) => ({
      id,
      examples: [...Object.values(routing.examples ?? {}).flat(), ...(host.examples.get(id) ?? [])],
    }))
    const source = { profiles, synonyms: [...host.synonyms, ...synonyms], targetPrecision }
    void this.#index.publish(source, () => {
      this.#modules = routable
    })
    for (const { id, examples } of profiles) this.#warnOfComplex(id, examples)
  }

  state(): LocalState {
    return { mode: this.#settings.mode, ...this.#index.state() }
  }

  /** An example that a model would be asked about helps nobody, and its author should know. */
  #warnOfComplex(id: string, examples: readonly string[]): void {
    const [first] = examples.filter((example) => complexPhrasing(foldText(example)) !== null)
    if (first !== undefined)
      this.#parts.logger.warn(
        `module ${id}: the example "${first}" is never routed locally (${complexPhrasing(foldText(first))})`,
      )
  }

  /**
   * The module that plainly fits the sentence and all of whose arguments are in it; null in any doubt, and where the host
   * wants none: then, in SHADOW, the log says what would have been chosen.
   */
  async route(text: string, language?: string): Promise<LocalRoute | null> {
    const { mode } = this.#settings
    if (mode === 'OFF') return null
    const best = await this.#best(text, language)
    if (mode === 'ENFORCE' || best === null) return best?.route ?? null
    const { moduleId, confidence } = best.route
    const numbers = `confidence=${confidence.toFixed(3)} coverage=${best.coverage.toFixed(3)}`
    this.#parts.logger.info(`local routing: SHADOW would choose ${moduleId} ${numbers}`)
    return null
  }

  /** What is in a sentence for an extractor; null when it can be read in more than one way. */
  sentence(text: string, language?: string): Sentence | null {
    const mention = this.#parts.items.mask(text, language)
    if (mention === null) return { text, item: null }
    return mention.unsure === true || mention.otherwise !== undefined ? null : sentenceOf(text, mention)
  }

  async #best(text: string, language?: string): Promise<Reading | null> {
    // of this moment for all readings: the index may be another in the middle
    const modules = this.#modules
    const first = this.#parts.items.mask(text, language)
    let best: Reading | null = null
    // all that is said is known: no other reading can be better
    for (let mention = first; mention !== null && best?.coverage !== 1; mention = mention.otherwise ?? null) {
      const reading = await this.#read(mention.masked, sentenceOf(text, mention), modules)
      if (reading !== null && reading.coverage > (best?.coverage ?? 0)) best = reading
    }
    if (best === null && (first === null || first.unsure === true))
      best = await this.#read(foldText(text), { text, item: null }, modules)
    return best
  }

  async #read(
    masked: string,
    sentence: Sentence,
    modules: ReadonlyMap<string, RoutableModule>,
  ): Promise<Reading | null> {
    if (complexPhrasing(masked) !== null) return null
    const answer = await this.#index.ask(masked)
    const match = answer?.match ?? null
    if (answer === null || match === null || !isAccepted(match, answer.limits)) return null
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

const sentenceOf = (text: string, { item, sharedName }: ItemMention): Sentence => ({
  text,
  item,
  ...(sharedName === undefined ? {} : { sharedName }),
})
