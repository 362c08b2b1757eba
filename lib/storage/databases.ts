import type { CancelTimer, Clock } from '../core/clock.js'
import type { Failure } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import { fail, type Result } from '../core/result.js'
import { RecordTables, type Database } from './record-tables.js'
import type { RecordKey, StorageDriver } from './driver.js'

/** Nobody asked for so long: what is in memory of a database is let go. */
const IDLE_MS = 300_000
const LOOK_MS = 60_000

const SHARED: RecordKey = { collection: 'shared', id: 'shared' }

export interface DatabasesOptions {
  readonly driver: StorageDriver
  readonly clock: Clock
  /** Size limit of one database as it is kept, bytes; asked at each write. */
  readonly maxBytes: () => number
}

/**
 * Tables of the server and private ones of each player. A database is read at its first use, stays in memory while it
 * is used, and is let go after five minutes without.
 */
export class Databases {
  /** That of the server. */
  readonly shared: Database
  readonly #options: DatabasesOptions
  readonly #open = new Map<string, { readonly tables: RecordTables; usedAt: number }>()
  readonly #stopLooking: CancelTimer
  readonly #begun = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(options: DatabasesOptions) {
    this.#options = options
    this.#stopLooking = options.clock.every(LOOK_MS, () => this.#letGo())
    this.shared = this.#database(SHARED, () => null)
  }

  /** Databases in memory, for the status. */
  get opened(): number {
    return this.#open.size
  }

  /**
   * The player's own; made by the first row. `check` is that of a `PlayerView`, asked with each request: its failure is
   * the answer, so that nothing begun before a revoke, or in an earlier stay, writes after it.
   */
  of(player: PlayerId, check: () => Failure | null): Database {
    return this.#database(playersOwn(player), check)
  }

  /** Forgets everything of the player's database, also that of tables nobody knows here, once what was begun is over. */
  remove(player: PlayerId): Promise<Result<void>> {
    return this.#use(playersOwn(player), (tables) => tables.removeAll())
  }

  /** Resolves when what was begun until now is done or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#begun)
  }

  /** Waits for what was begun; everything later is `system:stopping`. Idempotent. The driver is left open. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopLooking()
    await this.settled()
    this.#open.clear()
  }

  #database(key: RecordKey, check: () => Failure | null): Database {
    const use = <R>(work: (tables: RecordTables) => Promise<Result<R>>): Promise<Result<R>> => {
      const ended = check()
      return ended === null ? this.#use(key, work) : Promise.resolve({ ok: false, failure: ended })
    }
    return {
      get: (table, row) => use((tables) => tables.get(table, row)),
      put: (table, row, value) => use((tables) => tables.put(table, row, value)),
      delete: (table, row) => use((tables) => tables.delete(table, row)),
      scan: (table) => use((tables) => tables.scan(table)),
    }
  }

  async #use<R>(key: RecordKey, work: (tables: RecordTables) => Promise<Result<R>>): Promise<Result<R>> {
    if (this.#isClosed) return fail('system:stopping')
    const { driver, clock, maxBytes } = this.#options
    const name = `${key.collection}/${key.id}`
    const opened = this.#open.get(name) ?? { tables: new RecordTables({ driver, key, maxBytes }), usedAt: 0 }
    opened.usedAt = clock.monotonic()
    this.#open.set(name, opened)
    const begun = work(opened.tables)
    this.#begun.add(begun)
    return begun.finally(() => this.#begun.delete(begun))
  }

  #letGo(): void {
    const before = this.#options.clock.monotonic() - IDLE_MS
    for (const [name, { tables, usedAt }] of this.#open) {
      if (usedAt <= before && tables.isQuiet) this.#open.delete(name)
    }
  }
}

const playersOwn = (player: PlayerId): RecordKey => ({ collection: 'databases', id: player })
