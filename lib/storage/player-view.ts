import { FailureError, type Failure } from '../core/failure.js'
import type { Result } from '../core/result.js'
import type { StorageTypes } from './storage-types.js'
import { StateReader, type PlayerState, type Reading, type Transaction } from './transaction.js'

/**
 * What is committed of a player, as far as whoever holds it may see and change it: each read sees the commits of that
 * moment, reads without an `await` between them the same ones. It ends with the stay (login, logout) or with a revoke:
 * then reads throw a `FailureError` of `system:disconnected` or `system:revoked`, and `update` fails with it, also when it
 * was called before and its turn comes after. While what is committed isn't known (a commit ended unknown and was not read
 * again yet) reads throw `system:storage_failed`.
 */
export interface PlayerView extends Reading {
  /** Why the view has ended, or null. */
  check(): Failure | null
  /** As `PlayerStore.update`. */
  update<R>(change: (tx: Transaction) => R): Promise<Result<R>>
}

/** A view on top of whatever says whether it still holds. */
export class GuardedView extends StateReader implements PlayerView {
  readonly #check: () => Failure | null
  readonly #update: PlayerView['update']

  constructor(parts: {
    types: StorageTypes
    state: () => PlayerState | null
    check: () => Failure | null
    update: PlayerView['update']
  }) {
    super(parts.types, () => {
      const ended = parts.check()
      if (ended !== null) throw new FailureError(ended)
      const state = parts.state()
      if (state === null) throw new FailureError({ code: 'system:storage_failed', params: {} })
      return state
    })
    this.#check = parts.check
    this.#update = parts.update
  }

  check(): Failure | null {
    return this.#check()
  }

  update<R>(change: (tx: Transaction) => R): Promise<Result<R>> {
    return this.#update(change)
  }
}
