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

interface Waiting {
  readonly text: string
  readonly resolve: (answer: QueryAnswer | null) => void
}

/** What the compute group is asked about: the example sentences of one version. */
interface Published {
  readonly version: number
  readonly profiles: readonly RouteProfile[]
  readonly synonyms: readonly Synonyms[]
}

/** The main thread's end of the lexical index that lives in the compute group. */
export class IndexClient {
  readonly #parts: IndexClientParts
  #published: Published = { version: 0, profiles: [], synonyms: [] }
  #waiting: Waiting[] = []
  /** Set while a window is open; null lets the next sentence go at once. */
  #closeWindow: CancelTimer | null = null
  #isClosed = false

  constructor(parts: IndexClientParts) {
    this.#parts = parts
  }

  /** Takes these examples from the next query on; who has asked already is answered by those before. */
  publish(profiles: readonly RouteProfile[], synonyms: readonly Synonyms[]): void {
    if (this.#waiting.length > 0) this.#send()
    this.#published = { version: this.#published.version + 1, profiles, synonyms }
  }

  /**
   * What the index knows of the folded sentence; null when nothing is published, the sentence is longer than
   * QUERY_UNITS (it would spoil the job for the others in it) or the group gives no answer.
   */
  ask(text: string): Promise<QueryAnswer | null> {
    if (this.#isClosed || this.#published.version === 0 || text.length > QUERY_UNITS)
      return Promise.resolve(null)
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
    void this.#query(this.#waiting.splice(0))
  }

  async #query(queries: readonly Waiting[]): Promise<void> {
    const published = this.#published
    const texts = queries.map(({ text }) => text)
    let answer = await this.#run({ kind: 'route.query', version: published.version, texts })
    // the thread lacks the index
    if (answer !== undefined && 'missing' in answer)
      answer = await this.#run({
        kind: 'route.index',
        version: published.version,
        profiles: [...published.profiles],
        synonyms: [...published.synonyms],
        texts,
      })
    const answers = answer !== undefined && 'answers' in answer ? answer.answers : []
    for (const [place, { resolve }] of queries.entries()) resolve(answers[place] ?? null)
  }

  /** The job's answer; undefined, with one line in the log, when there is none or it has another shape. */
  async #run(job: RouteJob): Promise<RouteAnswer | undefined> {
    const result = await this.#parts.run(job)
    const answer = result.ok ? routeAnswerSchema.safeParse(result.value) : undefined
    if (answer?.success === true) return answer.data
    const code = result.ok ? 'system:protocol' : result.failure.code
    this.#parts.logger.warn(`local routing: ${job.kind} ended with ${code}`)
    return undefined
  }
}
