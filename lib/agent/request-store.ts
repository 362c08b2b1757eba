import { failure, FailureError, type Failure } from '../core/failure.js'
import type { Result } from '../core/result.js'
import type { PlayerView, Reading, Transaction } from '../storage/index.js'

/**
 * What is kept of the player, as far as a workflow may see and change it. Reads throw, and changes fail, once the request
 * or the player's stay has ended, or a right was lost: that is asked when a change's turn has come, before it runs.
 */
export interface RequestStore extends Reading {
  /**
   * Runs a synchronous change that has no effect but through `tx`, and resolves when it is durable. Each takes a write step
   * of the policy. It has no receipt: what must happen once belongs into a write tool.
   */
  update<R>(change: (tx: Transaction) => R): Promise<Result<R>>
}

/** What stands between a workflow and the store. */
export interface StoreGuard {
  /** Throws when the request may not go on. */
  check(): void
  /** Takes a write step, or says why there is none. */
  enter(): Failure | null
}

/** A view of the store that asks the request each time. */
export function requestStore(view: PlayerView | null, guard: StoreGuard): RequestStore {
  guard.check()
  if (view === null) throw new FailureError(failure('system:storage_failed'))
  const read = <T>(reading: (kept: Reading) => T): T => {
    guard.check()
    return reading(view)
  }
  return {
    get: (type) => read((kept) => kept.get(type)),
    row: (table, key) => read((kept) => kept.row(table, key)),
    rows: (table) => read((kept) => kept.rows(table)),
    entries: (table) => read((kept) => kept.entries(table)),
    bytes: (table) => read((kept) => kept.bytes(table)),
    async update(change) {
      guard.check()
      const refused = guard.enter()
      if (refused !== null) return { ok: false, failure: refused }
      const changed = await view.update((tx) => {
        guard.check()
        return change(tx)
      })
      guard.check()
      return changed
    },
  }
}
