import type { Clock } from '../../core/clock.js'
import { utf8Bytes } from '../../core/json.js'
import type { Logger } from '../../core/logger.js'
import type { Result } from '../../core/result.js'
import type { TraceEvent } from './event.js'

/** Lines wait this long at most for the batch that is written. */
const BATCH_MS = 1_000
/** So much makes a batch at once. */
const BATCH_BYTES = 65_536
/** Bytes of lines that may wait while the disk is slow; later ones are dropped and counted. */
const WAITING_BYTES = 1_048_576

/** Where and how much, as the host configures it. */
export interface JsonLinesConfig {
  /** Null: nothing is written. */
  readonly file: string | null
  readonly maxBytes: number
  readonly keep: number
}

/** Whole lines for the end of the file. */
export interface LinesAppended extends JsonLinesConfig {
  readonly file: string
  readonly text: string
}

interface Batch {
  readonly lines: LinesAppended
  /** Events in it or dropped before it. */
  readonly count: number
}

export interface JsonLinesParts<T> {
  /** How messages call it, such as `trace`. */
  readonly name: string
  readonly stream: { on(listener: (event: T) => void): () => void }
  /** Read at the start and at each `renew`. */
  readonly config: () => JsonLinesConfig
  /** Appends, off the main thread; never rejects. */
  readonly append: (lines: LinesAppended) => Promise<Result<unknown>>
  readonly clock: Clock
  readonly logger: Logger
  /** Lines that could not be written are kept and tried again, so much of them; without it they are lost. */
  readonly keptBytes?: number
}

/**
 * Writes what a stream tells to a file, one JSON object a line, in batches. Nothing ever waits for it: what a slow disk leaves no
 * room for is dropped, and the next line that is written says how many events it were. A line that is tried again may stand there twice.
 */
export class JsonLinesSink<T extends object = TraceEvent> {
  readonly #parts: JsonLinesParts<T>
  #config: JsonLinesConfig = { file: null, maxBytes: 0, keep: 0 }
  #stopListening: (() => void) | null = null
  #lines: string[] = []
  #bytes = 0
  #dropped = 0
  /** Lines for files of before a `renew`, which the disk has not taken yet. */
  #moved: Batch[] = []
  #cancelTimer: (() => void) | null = null
  #writing: Promise<void> | null = null
  #isFailing = false
  #isClosed = false

  constructor(parts: JsonLinesParts<T>) {
    this.#parts = parts
  }

  /** Takes the configuration; lines that wait go to where they were meant to. */
  renew(): void {
    if (this.#isClosed) return
    const next = this.#parts.config()
    if (next.file !== this.#config.file) {
      const batch = this.#batch()
      if (batch !== null) this.#moved.push(batch)
      this.#write()
    }
    this.#config = next
    if (next.file === null) {
      this.#stopListening?.()
      this.#stopListening = null
    } else this.#stopListening ??= this.#parts.stream.on((event) => this.#take(event))
  }

  /** Writes what waits; resolves when it is written, lost, or kept for the next try. */
  async flush(): Promise<void> {
    for (;;) {
      this.#write()
      if (this.#writing === null) return
      await this.#writing
      if (this.#isFailing && this.#keeps) return
    }
  }

  /** Listens no more and writes the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopListening?.()
    this.#stopListening = null
    await this.flush()
    const { name, keptBytes, logger } = this.#parts
    if (keptBytes !== undefined && this.#dropped > 0)
      logger.warn(`the ${name} has lost ${this.#dropped} lines that could not be written`)
  }

  get #keeps(): boolean {
    return this.#parts.keptBytes !== undefined && !this.#isClosed
  }

  /** What is kept is tried once a second. */
  get #isRetrying(): boolean {
    return this.#keeps && this.#isFailing
  }

  #take(event: T): void {
    const line = `${JSON.stringify(event)}\n`
    const bytes = utf8Bytes(line)
    if (this.#bytes + bytes > (this.#parts.keptBytes ?? WAITING_BYTES)) {
      this.#dropped += 1
      return
    }
    this.#lines.push(line)
    this.#bytes += bytes
    if (this.#bytes >= BATCH_BYTES && !this.#isRetrying) this.#write()
    else this.#cancelTimer ??= this.#parts.clock.after(BATCH_MS, () => this.#write())
  }

  /** Hands what waits to the disk, unless it is busy with the batch before. */
  #write(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    if (this.#writing !== null) return
    const batch = this.#moved.shift() ?? this.#batch()
    if (batch === null) return
    this.#writing = this.#parts.append(batch.lines).then((written) => {
      this.#writing = null
      this.#tellOf(written, batch)
      if (!this.#isRetrying && (this.#moved.length > 0 || this.#bytes >= BATCH_BYTES)) this.#write()
      else if (this.#moved.length > 0 || this.#lines.length > 0)
        this.#cancelTimer ??= this.#parts.clock.after(BATCH_MS, () => this.#write())
    })
  }

  /** Takes what waits; null when that is nothing. */
  #batch(): Batch | null {
    const { file } = this.#config
    if (file === null || this.#lines.length === 0) return null
    const count = this.#lines.length + this.#dropped
    if (this.#dropped > 0) {
      const lost = { at: this.#parts.clock.now(), kind: 'events-dropped', count: this.#dropped }
      this.#lines.push(`${JSON.stringify(lost)}\n`)
    }
    const text = this.#lines.join('')
    this.#lines = []
    this.#bytes = 0
    this.#dropped = 0
    return { lines: { ...this.#config, file, text }, count }
  }

  /** The first failure in a row is logged, and its end. */
  #tellOf(written: Result<unknown>, batch: Batch): void {
    const {
      lines: { file },
      count,
    } = batch
    const { logger, name } = this.#parts
    if (!written.ok && this.#keeps) this.#moved.unshift(batch)
    else if (!written.ok) this.#dropped += count
    if (written.ok === !this.#isFailing) return
    this.#isFailing = !written.ok
    if (written.ok) logger.info(`the ${name} is written to ${file} again`)
    else {
      const fate = this.#keeps ? 'its lines wait' : 'its lines are lost'
      logger.warn(`the ${name} could not be written to ${file}: ${written.failure.code}; ${fate}`)
    }
  }
}
