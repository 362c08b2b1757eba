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

  constructor() {
    this.records = new MemoryDriver({
      fault: async (operation) => {
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
    this.#process = new MortalDriver(this.records)
    return this.#process
  }

  /** Ends the process: nothing it waits for will answer. */
  crash(): void {
    this.#process?.kill()
  }
}

/** A driver whose process can be killed. */
class MortalDriver implements StorageDriver {
  readonly #records: MemoryDriver
  #isDead = false

  constructor(records: MemoryDriver) {
    this.#records = records
  }

  kill(): void {
    this.#isDead = true
  }

  read = (key: RecordKey, maxBytes: number) => this.#alive(() => this.#records.read(key, maxBytes))
  commit = (writes: readonly RecordWrite[]) => this.#alive(() => this.#records.commit(writes))
  remove = (key: RecordKey) => this.#alive(() => this.#records.remove(key))
  list = (collection: RecordKey['collection']) => this.#alive(() => this.#records.list(collection))
  close = () => Promise.resolve()

  #alive<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    return new Promise((resolve) => {
      if (this.#isDead) return
      void work().then((result) => {
        if (!this.#isDead) resolve(result)
      })
    })
  }
}
