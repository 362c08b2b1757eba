import type { CancelTimer, Clock } from '../../core/clock.js'
import type { Logger } from '../../core/logger.js'
import type { Result } from '../../core/result.js'
import type { Synonyms } from '../../lexical/index.js'
import {
  QUERIES_PER_JOB,
  QUERY_UNITS,
  routeAnswerSchema,
  type QueryAnswer,
  type RouteAnswer,
  type RouteJob,
  type RouteProfile,
} from './compute-jobs.js'
import type { LocalThresholds } from './local-index.js'

/**
 * The first sentence goes at once; those that come within this time after it go together. A hop costs the main thread
 * about ten times what the look-up costs the compute thread, and a tick is nothing to a player.
 */
const WINDOW_MS = 50

export interface IndexClientParts {
  /** Runs a job in the compute group. */
  readonly run: (job: RouteJob) => Promise<Result<unknown>>
  readonly clock: Clock
  readonly logger: Logger
}

/** What an index is made of. */
export interface IndexSource {
  readonly profiles: readonly RouteProfile[]
  readonly synonyms: readonly Synonyms[]
  readonly targetPrecision: number
}

/** What the index says of a sentence, and the limits that its own examples gave. */
export interface IndexAnswer extends QueryAnswer {
  readonly limits: LocalThresholds
}

interface Waiting {
  readonly text: string
  readonly resolve: (answer: IndexAnswer | null) => void
}

/** What the compute group is asked about. */
interface Published extends IndexSource {
  readonly version: number
}

/** The main thread's end of the lexical index that lives in the compute group. */
export class IndexClient {
  readonly #parts: IndexClientParts
  #published: Published | null = null
  #limits: LocalThresholds | null = null
  #versions = 0
  #waiting: Waiting[] = []
  /** Set while a window is open; null lets the next sentence go at once. */
  #closeWindow: CancelTimer | null = null
  #isClosed = false

  constructor(parts: IndexClientParts) {
    this.#parts = parts
  }

  /** How many examples are asked about, and the limits that hold; null: the index is not built yet. */
  state(): { readonly examples: number; readonly limits: LocalThresholds | null } {
    const profiles = this.#published?.profiles ?? []
    return {
      examples: profiles.reduce((sum, { examples }) => sum + examples.length, 0),
      limits: this.#limits,
    }
  }

  /**
   * Takes these examples: the first time at once, to be built when something is asked; later once the index of them is
   * built, or couldn't be (then the next question builds it). Whoever asks before that is answered by those before.
   * `onTaken` is called in that step; of several that wait only the latest is taken.
   */
  async publish(source: IndexSource, onTaken: () => void = () => {}): Promise<void> {
    const next = { ...source, version: ++this.#versions }
    const built = this.#published === null ? undefined : await this.#run(indexJob(next, []))
    if (this.#isClosed || this.#versions !== next.version) return
    if (this.#waiting.length > 0) this.#send()
    this.#published = next
    this.#limits = built !== undefined && 'limits' in built ? built.limits : null
    onTaken()
  }

  /**
   * What the index knows of the folded sentence; null when nothing is published, the sentence is longer than
   * QUERY_UNITS (it would spoil the job for the others in it) or the group gives no answer.
   */
  ask(text: string): Promise<IndexAnswer | null> {
    if (this.#isClosed || this.#published === null || text.length > QUERY_UNITS) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#waiting.push({ text, resolve })
      if (this.#closeWindow === null || this.#waiting.length >= QUERIES_PER_JOB) this.#send()
    })
  }

  /** Ends the window; waiting sentences get no answer. */
  close(): void {
    this.#isClosed = true
    this.#closeWindow?.()
    for (const { resolve } of this.#waiting.splice(0)) resolve(null)
  }

  #send(): void {
    this.#closeWindow?.()
    this.#closeWindow = this.#parts.clock.after(WINDOW_MS, () => {
      this.#closeWindow = null
      if (this.#waiting.length > 0) this.#send()
    })
    void this.#query(this.#waiting.splice(0), this.#published)
  }

  async #query(queries: readonly Waiting[], published: Published | null): Promise<void> {
    if (published === null) return
    const texts = queries.map(({ text }) => text)
    let answer = await this.#run({ kind: 'route.query', version: published.version, texts })
    // the thread lacks the index
    if (answer !== undefined && 'missing' in answer) answer = await this.#run(indexJob(published, texts))
    const known = answer !== undefined && 'answers' in answer ? answer : null
    if (known !== null && published === this.#published) this.#limits = known.limits
    for (const [place, { resolve }] of queries.entries()) {
      const found = known?.answers[place]
      resolve(known === null || found === undefined ? null : { ...found, limits: known.limits })
    }
  }

  /** The job's answer; undefined, with one line in the log, when there is none or it has another shape. */
  async #run(job: RouteJob): Promise<RouteAnswer | undefined> {
    const result = await this.#parts.run(job)
    const answer = result.ok ? routeAnswerSchema.safeParse(result.value) : undefined
    if (answer?.success === true) return answer.data
    const code = result.ok ? 'system:protocol' : result.failure.code
    if (!this.#isClosed) this.#parts.logger.warn(`local routing: ${job.kind} ended with ${code}`)
    return undefined
  }
}

const indexJob = (
  { version, profiles, synonyms, targetPrecision }: Published,
  texts: readonly string[],
): RouteJob => ({
  kind: 'route.index',
  version,
  profiles: [...profiles],
  synonyms: [...synonyms],
  targetPrecision,
  texts: [...texts],
})
