import type { NbtRoot } from '../../../../lib/codec/nbt/index.js'
import type { Clock } from '../../../../lib/core/clock.js'
import { failure, type Failure } from '../../../../lib/core/failure.js'
import type { PlayerId } from '../../../../lib/core/ids.js'
import { fail, type Result } from '../../../../lib/core/result.js'
import {
  type InventoryContent,
  type Marks,
  type PlayerInventory,
  type SaveOutcome,
  type SlotChange,
  type Slots,
} from '../../../../lib/inventory/index.js'
import type { RunOptions } from '../../../../lib/pool/index.js'
import { CLAIM, MAX_PLAYER_DOCUMENT, type SavePlayerFileJob } from '../../../../lib/storage/index.js'
import type { SquidPlayer } from '../../types.js'
import { composePlayerFile, type Parked } from './document.js'
import {
  applyChanges,
  onSlotUpdate,
  setXp,
  slotsOf,
  stacksAhead,
  stacksOf,
  statsOf,
  takeBack,
} from './live-player.js'
import { EntryCache } from './entry-cache.js'
import { SaveQueue } from './save-queue.js'
import { writeStacks, type StackRules } from './stacks.js'

/** Runs a job of the storage group. Never rejects. */
export type RunStorageJob = (job: object, options?: RunOptions) => Promise<Result<unknown>>

/** What a session is made of. */
export interface SessionParts {
  readonly player: PlayerId
  readonly host: SquidPlayer
  /** The player's file. */
  readonly path: string
  readonly root: NbtRoot
  readonly marks: Marks
  readonly rules: StackRules
  readonly run: RunStorageJob
  readonly clock: Clock
  readonly onFailure: (failure: Failure) => void
}

/** How often a last save that failed is tried again at once. */
const LAST_SAVE_RETRIES_MS = [250, 1_000, 4_000] as const
/** Longest wait of an ending process for a thread that is just renaming. */
const PUBLISHING_MS = 500

const DONE: SaveOutcome = { saved: true }
const dead = (): SaveOutcome => ({ saved: false, isCertain: true, failure: failure('system:disconnected') })

/** One stay of a player, from the reading of the file to the last save. */
export class PlayerSession implements PlayerInventory {
  readonly player: PlayerId
  readonly host: SquidPlayer
  readonly path: string
  /** `loading`: the host's object isn't filled yet, so there is nothing to save. `dead`: the last save is done. */
  #phase: 'loading' | 'live' | 'detached' | 'dead' = 'loading'
  readonly #parts: SessionParts
  readonly #queue = new SaveQueue()
  #marks: Marks
  #parked: readonly Parked[] = []
  readonly #cache = new EntryCache()
  #ahead: InventoryContent | null = null
  /** What is durable for certain, as far as this process wrote it. */
  #saved: Uint8Array | null = null
  #inFlight: { readonly document: Uint8Array; readonly claim: SharedArrayBuffer } | null = null
  #finishing: Promise<boolean> | null = null

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.player = parts.player
    this.host = parts.host
    this.path = parts.path
    this.#marks = parts.marks
  }

  get phase(): 'loading' | 'live' | 'detached' | 'dead' {
    return this.#phase
  }

  /** The host's object has what the file said; `parked` stacks found no place in it. */
  begin(parked: readonly Parked[]): void {
    if (this.#phase !== 'loading') return
    this.#parked = parked
    this.#phase = 'live'
    onSlotUpdate(this.host, (slot) => this.#cache.forget(slot))
  }

  /** The player has gone. Resolves when the last save is done: true, and the session is dead. False: not saved yet. */
  leave(): Promise<boolean> {
    if (this.#phase === 'loading') this.#phase = 'dead'
    if (this.#phase === 'live') this.#phase = 'detached'
    if (this.#phase === 'dead') return Promise.resolve(true)
    this.#finishing ??= this.#finish().finally(() => {
      this.#finishing = null
    })
    return this.#finishing
  }

  async #finish(): Promise<boolean> {
    for (const retryMs of [...LAST_SAVE_RETRIES_MS, null]) {
      let outcome: SaveOutcome
      const before = (): void => {
        takeBack(this.host)
        this.#cache.clear()
      }
      do outcome = await this.#saveNow(before)
      while (outcome.saved && (this.#ahead !== null || this.#queue.isBusy))
      if (outcome.saved) {
        this.#phase = 'dead'
        return true
      }
      if (retryMs !== null) await new Promise<void>((resolve) => this.#parts.clock.after(retryMs, resolve))
    }
    return false
  }

  slots(): Slots {
    return slotsOf(this.host, this.#parts.rules.data)
  }

  xp(): number {
    return statsOf(this.host).xp
  }

  change(changes: readonly SlotChange[], xp?: number): void {
    if (this.#phase === 'dead') return
    applyChanges(this.host, changes, this.#parts.rules.data)
    if (xp !== undefined) setXp(this.host, xp)
  }

  marks(): Marks {
    return this.#marks
  }

  setMarks(marks: Marks): void {
    if (this.#phase !== 'dead') this.#marks = marks
  }

  save(): Promise<SaveOutcome> {
    return this.#phase === 'live' || this.#phase === 'detached' ? this.#saveNow() : Promise.resolve(dead())
  }

  saveAhead(content: InventoryContent): Promise<SaveOutcome> {
    if (this.#phase !== 'live' && this.#phase !== 'detached') return Promise.resolve(dead())
    this.#ahead = content
    return this.#queue.ahead(() => this.#write(this.#compose(content)))
  }

  release(marks: Marks): void {
    if (this.#phase === 'dead') return
    this.#ahead = null
    this.#marks = marks
    this.#queue.release()
  }

  /**
   * For the last moment of the process: revokes a save that another thread has under way and gives the document that
   * must be written now; null when all is on disk. Blocks while a thread is just renaming.
   */
  takeOver(): Uint8Array | null {
    if (this.#phase !== 'live' && this.#phase !== 'detached') return null
    this.#cache.clear()
    const document = this.#compose(this.#ahead)
    if (!document.ok) return null
    const written = this.#inFlight === null ? this.#saved : revoke(this.#inFlight)
    return written !== null && Buffer.compare(written, document.value) === 0 ? null : document.value
  }

  #saveNow(before?: () => void): Promise<SaveOutcome> {
    return this.#queue.ordinary(() => {
      before?.()
      return this.#write(this.#compose(null))
    })
  }

  /** The whole document: of a content, or of the live inventory. */
  #compose(content: InventoryContent | null): Result<Uint8Array> {
    const { root, rules } = this.#parts
    try {
      const stacks = content === null ? stacksOf(this.host) : stacksAhead(this.host, content, rules.data)
      if (stacks === null) return fail('system:internal', {}, new Error('a stack of no item'))
      const cache = content === null ? this.#cache : null
      const written = writeStacks(stacks, { parked: this.#parked, rules, cache })
      if (!written.ok) return written
      const stats = statsOf(this.host)
      const composed = composePlayerFile({
        root,
        stats: content === null ? stats : { ...stats, xp: content.xp },
        ...written.value,
        marks: content?.marks ?? this.#marks,
      })
      return composed.ok && composed.value.length > MAX_PLAYER_DOCUMENT
        ? fail('system:storage_full')
        : composed
    } catch (thrown) {
      return fail('system:internal', {}, thrown)
    }
  }

  async #write(document: Result<Uint8Array>): Promise<SaveOutcome> {
    if (!document.ok) return this.#failed(document.failure, true)
    if (this.#saved !== null && Buffer.compare(this.#saved, document.value) === 0) return DONE
    const claim = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const job: SavePlayerFileJob = {
      kind: 'save-player-file',
      path: this.path,
      document: document.value,
      claim,
    }
    const progress = { isStarted: false }
    this.#inFlight = { document: document.value, claim }
    const written = await this.#parts.run(job, {
      onStart: () => {
        progress.isStarted = true
      },
    })
    this.#inFlight = null
    if (written.ok) {
      this.#saved = document.value
      return DONE
    }
    const { code } = written.failure
    const isCertain = !progress.isStarted || code === 'system:storage_failed' || code === 'system:cancelled'
    if (!isCertain) this.#saved = null
    return this.#failed(written.failure, isCertain)
  }

  #failed(reason: Failure, isCertain: boolean): SaveOutcome {
    this.#parts.onFailure(reason)
    return { saved: false, isCertain, failure: reason }
  }
}

/** What is in place of a save that was under way, or null when it isn't, or not for certain. */
function revoke({ document, claim }: { document: Uint8Array; claim: SharedArrayBuffer }): Uint8Array | null {
  const word = new Int32Array(claim)
  const state = Atomics.compareExchange(word, 0, CLAIM.open, CLAIM.revoked)
  if (state === CLAIM.publishing) Atomics.wait(word, 0, CLAIM.publishing, PUBLISHING_MS)
  return Atomics.load(word, 0) === CLAIM.published ? document : null
}
