import { toFailure, type Failure } from '../core/failure.js'
import { ok, type Result } from '../core/result.js'
import { synchronous } from '../core/synchronous.js'
import type { Changes } from './record-state.js'
import type { StorageTypes } from './storage-types.js'
import { OpenTransaction, type PlayerState, type Transaction } from './transaction.js'

/** A change of a player that waits for its turn, and the promise of whoever asked for it. */
export class WaitingChange<R> {
  readonly #change: (tx: Transaction) => R
  readonly #guard: () => Failure | null
  readonly #resolve: (result: Result<R>) => void
  #outcome: Result<R> | null = null
  /** Its outcome may rest on changes that are not committed. */
  #restsOnOthers = false
  #hasChanged = false

  constructor(parts: {
    change: (tx: Transaction) => R
    /** Why it may not run (any more), asked when its turn has come. */
    guard: () => Failure | null
    resolve: (result: Result<R>) => void
  }) {
    this.#change = parts.change
    this.#guard = parts.guard
    this.#resolve = parts.resolve
  }

  /** Runs the change and adds what it did to `merged`; one that throws adds nothing. May be called again. */
  attempt(types: StorageTypes, state: PlayerState, merged: Changes): void {
    this.#restsOnOthers = merged.size > 0
    this.#hasChanged = false
    const refused = this.#guard()
    if (refused !== null) {
      this.#restsOnOthers = false
      this.#outcome = { ok: false, failure: refused }
      return
    }
    const tx = new OpenTransaction(types, state, merged)
    try {
      this.#outcome = ok(synchronous(this.#change(tx)))
      this.#hasChanged = tx.changes.size > 0
      for (const [name, change] of tx.changes) merged.set(name, change)
    } catch (thrown) {
      this.#outcome = { ok: false, failure: toFailure(thrown) }
    } finally {
      tx.end()
    }
  }

  get hasSucceeded(): boolean {
    return this.#outcome?.ok === true
  }

  /** The commit that holds its changes is durable. */
  settle(): void {
    if (this.#outcome !== null) this.#resolve(this.#outcome)
  }

  /** The commit failed. What rests neither on it nor on others of it keeps its own outcome. */
  settleFailed(failure: Failure): void {
    if (this.#outcome === null || this.#hasChanged || this.#restsOnOthers)
      this.#resolve({ ok: false, failure })
    else this.#resolve(this.#outcome)
  }
}
