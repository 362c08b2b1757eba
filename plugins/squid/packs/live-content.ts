import type { Clock } from '../../../lib/core/clock.js'
import { isRetryable, toFailure } from '../../../lib/core/failure.js'
import { randomIds } from '../../../lib/core/ids.js'
import type { Logger } from '../../../lib/core/logger.js'
import { ok, type Result } from '../../../lib/core/result.js'
import { TimeSlice } from '../../../lib/core/time-slice.js'
import {
  decodeContent,
  emptyContent,
  newProblems,
  type AnyRegistryType,
  type Content,
} from '../../../lib/registry/index.js'
import { countsOf } from './counts.js'
import { logProblems } from './pack-log.js'
import { locate, PACK_JOB_MS, readPacks, type PackReading } from './pack-reader.js'

/** What the content of packs is read with. */
export interface LiveContentParts extends PackReading {
  readonly clock: Clock
  readonly logger: Logger
  /** Told in the step in which a content takes the place of another. */
  readonly onTaken: (content: Content) => void
}

/** What packs say on a running server: one content at a time, exchanged whole. */
export class LiveContent {
  readonly #parts: LiveContentParts
  #current: Content
  #isClosed = false

  constructor(parts: LiveContentParts) {
    this.#parts = parts
    this.#current = emptyContent(parts.types)
  }

  get current(): Content {
    return this.#current
  }

  /** Reads the packs for the first time. Whatever is wrong with them is in the log; the System runs without it. */
  async open(): Promise<void> {
    const { clock, logger } = this.#parts
    const before = this.#current
    const since = clock.monotonic()
    const first = await this.read()
    // a thread that was lost says nothing about the packs, unless it was lost over them: that would happen again
    const isOver = first.ok || clock.monotonic() - since >= PACK_JOB_MS
    const read = isOver || !isRetryable(first.failure.code) ? first : await this.read()
    if (!read.ok) {
      if (!this.#isClosed) logger.error(`the packs were not read: ${read.failure.code}`, read.failure.cause)
      return
    }
    // a reload that was asked for meanwhile read later
    if (this.#current !== before || !this.take(read.value)) return
    logProblems(logger, newProblems(before, read.value))
    const { registries: _, ...counts } = countsOf(read.value)
    const told = Object.entries(counts).map(([name, count]) => `${name}=${count}`)
    logger.info(`packs: ${told.join(' ')}`)
  }

  /** Reads all packs as they are now; nothing changes by it. A thread's failures, `system:stopping`. Never rejects. */
  async read(): Promise<Result<Content>> {
    const { types, clock, logger } = this.#parts
    try {
      const data = await readPacks(this.#parts)
      if (!data.ok) return data
      const slice = new TimeSlice(clock)
      const content = await decodeContent(types, data.value, {
        version: randomIds.token(),
        yield: () => (slice.isOver() ? slice.next() : null),
        locate: (problems) => locate(this.#parts, problems),
        onThrown: this.#reporter(logger),
      })
      return ok(content)
    } catch (thrown) {
      return { ok: false, failure: toFailure(thrown) }
    }
  }

  /** Puts a content in the place of the one before, for all at once; false when the System is closed. */
  take(content: Content): boolean {
    if (this.#isClosed) return false
    this.#current = this.#withLastGoodPrompts(content)
    this.#parts.onTaken(this.#current)
    return true
  }

  /** A prompt whose file is broken, or gone, keeps the text that was read before, until the System is started again. */
  #withLastGoodPrompts(content: Content): Content {
    const kept = [...this.#current.prompts].filter(([name]) => !content.prompts.has(name))
    for (const [name] of kept) {
      const why = content.brokenPrompts.includes(name) ? 'can not be used' : 'is in no pack any more'
      this.#parts.logger.warn(`packs: the prompt ${name} ${why}: its last good text stays`)
    }
    return kept.length === 0 ? content : content.withPrompts(new Map([...content.prompts, ...kept]))
  }

  /** Nothing is taken any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Code of a type that throws is named once a load. */
  #reporter(logger: Logger): (type: AnyRegistryType, entry: string, thrown: unknown) => void {
    const told = new Set<string>()
    return ({ id }, entry, thrown) => {
      if (told.has(id)) return
      told.add(id)
      logger.error(`the registry type ${id} failed on ${entry}`, thrown)
    }
  }
}
