import type { CancelTimer, Clock } from '../core/clock.js'
import { failure, isRetryable, toFailure, type Failure } from '../core/failure.js'
import type { Logger } from '../core/logger.js'
import { ok, type Result } from '../core/result.js'
import type { StorageDriver } from '../storage/index.js'
import type { UsageLedger } from './ledger.js'
import { decodeLedger, encodeDay, LEDGER_KEY, outdatedParts, spareParts } from './ledger-record.js'
import type { UsageDay } from './usage-day.js'

/** From a change to its write: with the write itself it stays below the second within which usage is durable. */
const SAVE_AFTER_MS = 400
/** Pauses after failed writes, doubling from the first to the last. */
const RETRY_MS = { first: 1_000, last: 30_000 }
/** Limit of the record: 62 days of 5,000 players take a tenth of it. */
const MAX_BYTES = 32 * 1_048_576

/** What a saver is made of. */
export interface SaverParts {
  readonly ledger: UsageLedger
  readonly driver: StorageDriver
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Keeps a ledger durable: changes of 400 ms in one write, one write at a time, a failed one again. A ledger that can't be
 * read is left as it is; then usage is counted from nothing and not kept, and quotas and caps hold for this run: players
 * keep their assistant, and the host has the line in the log and the state in `/system status`.
 */
export class LedgerSaver {
  readonly #parts: SaverParts
  /** Revision to write on; null while it isn't known. */
  #base: number | null = null
  /** Names of the stored parts. */
  #names = new Set<string>()
  /** Days that must not be written over. */
  #untouchable = new Set<string>()
  #isRestored = false
  /** Why nothing is written any more. */
  #blocked: Failure | null = null
  #problem: Failure | null = null
  #retryMs = 0
  #cancelTimer: CancelTimer | null = null
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(parts: SaverParts) {
    this.#parts = parts
    parts.ledger.onChange(() => this.#schedule(SAVE_AFTER_MS))
  }

  /** `on`, or the code of what keeps today's usage from being written. */
  state(): string {
    const isUntouchable = this.#untouchable.has(this.#parts.ledger.day().key)
    if (this.#blocked === null && isUntouchable) return 'system:storage_unreadable'
    return (this.#blocked ?? this.#problem)?.code ?? 'on'
  }

  /** Reads what earlier runs have counted. To be awaited before quotas are asked for. */
  async load(): Promise<void> {
    await this.#inTurn(() => this.#read())
  }

  /** Makes durable what has changed up to now, in one attempt. */
  flush(): Promise<Result<void>> {
    return this.#inTurn(() => this.#save())
  }

  /** Writes what is left, and nothing any more after that. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const saved = await this.flush()
    // one more attempt: nobody will make a later one
    if (!saved.ok && this.#blocked === null) await this.flush()
    if (this.#unsaved().length > 0)
      this.#parts.logger.error('usage: the last calls are not kept', this.#problem)
  }

  /** One after the other: commits of a record must not overlap. */
  #inTurn(work: () => Promise<Result<void>>): Promise<Result<void>> {
    const run = async (): Promise<Result<void>> => {
      if (this.#blocked !== null) return { ok: false, failure: this.#blocked }
      const result = await work().catch((thrown: unknown) => ({
        ok: false as const,
        failure: toFailure(thrown),
      }))
      this.#note(result)
      return result
    }
    const mine = this.#last.then(run)
    this.#last = mine
    return mine
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#blocked !== null || this.#cancelTimer !== null) return
    this.#cancelTimer = this.#parts.clock.after(delayMs, () => {
      this.#cancelTimer = null
      void this.flush()
    })
  }

  #note(result: Result<void>): void {
    const { logger } = this.#parts
    if (result.ok) {
      if (this.#problem !== null) logger.info('usage: the ledger is written again')
      this.#problem = null
      this.#retryMs = 0
      return
    }
    // the server ended before there was anything to keep
    const isOver = result.failure.code === 'system:stopping'
    if (this.#blocked === null && this.#problem === null && !isOver)
      logger.error(
        `usage: the ledger could not be written (${result.failure.code}), what is counted waits`,
        result.failure.cause,
      )
    this.#problem = result.failure
    this.#retryMs = Math.min(RETRY_MS.last, Math.max(RETRY_MS.first, this.#retryMs * 2))
    this.#schedule(this.#retryMs)
  }

  async #read(): Promise<Result<void>> {
    const read = await this.#parts.driver.read(LEDGER_KEY, MAX_BYTES)
    if (!read.ok) {
      if (!isRetryable(read.failure.code)) this.#block(read.failure)
      return read
    }
    const record = read.value
    this.#base = record?.revision ?? 0
    this.#names = new Set(record?.parts.keys())
    // read again after an unclear write: this run's own counts are newer than what is there
    if (this.#isRestored) return ok(undefined)
    this.#isRestored = true
    if (record !== null) this.#restore(record.parts)
    return ok(undefined)
  }

  #restore(parts: ReadonlyMap<string, Uint8Array>): void {
    const { ledger, logger } = this.#parts
    const { days, unreadable } = decodeLedger({ parts })
    for (const [key, cause] of unreadable)
      logger.error(`usage: the ledger's day ${key} can't be read and is left as it is`, cause)
    this.#untouchable = new Set(unreadable.keys())
    ledger.restore(days)
  }

  #block(failure: Failure): void {
    this.#blocked = failure
    this.#parts.logger.error(
      "usage: the ledger can't be read and is left as it is; usage is counted from nothing and not kept",
      failure,
    )
  }

  #unsaved(): readonly UsageDay[] {
    return this.#parts.ledger.unsaved().filter(({ key }) => !this.#untouchable.has(key))
  }

  async #save(): Promise<Result<void>> {
    if (this.#base === null) {
      const read = await this.#read()
      if (!read.ok) return read
    }
    const days = this.#unsaved().map((day) => ({ day, changes: day.changes }))
    if (days.length === 0) return ok(undefined)
    const put = new Map<string, Uint8Array>()
    for (const { day } of days) {
      const encoded = encodeDay(day)
      if (!encoded.ok) return encoded
      for (const [part, tag] of encoded.value) put.set(part, tag)
    }
    const written = await this.#commit(put)
    if (written.ok) for (const { day, changes } of days) day.markSaved(changes)
    return written
  }

  async #commit(put: ReadonlyMap<string, Uint8Array>): Promise<Result<void>> {
    const names = new Set([...this.#names, ...put.keys()])
    const drop = outdatedParts(names).filter((name) => !put.has(name))
    for (const name of drop) names.delete(name)
    const base = this.#base ?? 0
    const spare = spareParts(names)
    const write = { key: LEDGER_KEY, base, put, drop: drop.filter((name) => this.#names.has(name)), spare }
    const result = await this.#parts.driver.commit([{ ...write, maxBytes: MAX_BYTES }])
    if (!result.ok) {
      // what is stored now isn't known, or isn't ours: it is read before the next write
      if (result.failure.code !== 'system:storage_failed') this.#base = null
      return result
    }
    const report = result.value[0]
    if (report === undefined || report.skipped) return { ok: false, failure: failure('system:storage_full') }
    for (const name of report.spared) names.delete(name)
    this.#base = report.revision
    this.#names = names
    return ok(undefined)
  }
}
