import type { FailureCode } from '../../lib/core/failure.js'
import type { Result } from '../../lib/core/result.js'
import {
  MemoryDriver,
  type MemoryOperation,
  type RecordKey,
  type RecordWrite,
  type StorageDriver,
} from '../../lib/storage/index.js'

/** What a disk does at an operation: nothing special, fail with a code, or end the process before it is done. */
export type Fate = FailureCode | 'crash' | null

/** Records that outlive the processes that use them, and the fate of what these do. */
export class Disk {
  /** Asked before each read, each single write and each removal. */
  fate: (operation: MemoryOperation) => Fate | Promise<Fate> = () => null
  /** Everything that was asked for, such as `commit players`. */
  readonly done: string[] = []
  readonly records: MemoryDriver
  #process: MortalDriver | null = null
  #isHalted = false

  constructor() {
    this.records = new MemoryDriver({
      fault: async (operation) => {
        // what a dead process had not begun doesn't happen; what it had begun may
        if (this.#isHalted) return 'system:storage_failed'
        const fate = await this.fate(operation)
        this.done.push(`${operation.kind} ${operation.collection}`)
        if (fate !== 'crash') return fate
        this.crash()
        return 'system:storage_failed'
      },
    })
  }

  /** What a new process has of the disk. The one before it is over. */
  open(): StorageDriver {
    this.crash()
    this.#isHalted = false
    this.#process = new MortalDriver(this.records)
    return this.#process
  }

  /** As `open`, after the last thing that the process before had begun. */
  async reopen(): Promise<StorageDriver> {
    this.crash()
    await this.#process?.settled()
    return this.open()
  }

  /** Ends the process: nothing it waits for will answer. */
  crash(): void {
    this.#process?.kill()
    this.#isHalted = true
  }
}

/** A driver whose process can be killed. */
class MortalDriver implements StorageDriver {
  readonly #records: MemoryDriver
  readonly #begun = new Set<Promise<unknown>>()
  #isDead = false

  constructor(records: MemoryDriver) {
    this.#records = records
  }

  kill(): void {
    this.#isDead = true
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#begun)
  }

  read = (key: RecordKey, maxBytes: number) => this.#alive(() => this.#records.read(key, maxBytes))
  commit = (writes: readonly RecordWrite[]) => this.#alive(() => this.#records.commit(writes))
  remove = (key: RecordKey) => this.#alive(() => this.#records.remove(key))
  list = (collection: RecordKey['collection']) => this.#alive(() => this.#records.list(collection))
  close = () => Promise.resolve()

  #alive<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    return new Promise((resolve) => {
      if (this.#isDead) return
      const begun = work()
      this.#begun.add(begun)
      void begun.then((result) => {
        this.#begun.delete(begun)
        if (!this.#isDead) resolve(result)
      })
    })
  }
}
