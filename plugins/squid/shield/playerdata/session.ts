import type { NbtRoot } from '../../../../lib/codec/nbt/index.js'
import type { Clock } from '../../../../lib/core/clock.js'
import { failure, type Failure } from '../../../../lib/core/failure.js'
import type { PlayerId } from '../../../../lib/core/ids.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
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
import { writeStacks, type StackRules, type Stacks } from './stacks.js'

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
  /** Whether the files are still this process's own. */
  readonly mayWrite: () => Promise<boolean>
  readonly clock: Clock
  readonly onFailure: (failure: Failure) => void
  /** A hold has ended: until the next save the file has the state of the hold's beginning. */
  readonly onRelease: (session: PlayerSession) => void
}

/** What a save ahead writes in place of the live inventory: the slots and the cursor of one moment. */
interface Ahead {
  readonly stacks: Result<Stacks>
  readonly xp: number
  readonly marks: Marks
}

/** What the thread answers when the file is as before. */
const UNCHANGED: ReadonlySet<string> = new Set([
  'system:storage_failed',
  'system:storage_full',
  'system:cancelled',
])

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
  #ahead: Ahead | null = null
  /** What is durable for certain, as far as this process wrote it. */
  #saved: Uint8Array | null = null
  #inFlight: InFlight | null = null
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
      do outcome = await this.#saveNow()
      while (outcome.saved && (this.#ahead !== null || this.#queue.isBusy))
      if (outcome.saved || this.phase === 'dead') {
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
    const { slots, xp, marks } = content
    // while the save waits for its turn, stacks may go from a slot to the cursor and back
    const ahead = { stacks: stacksAhead(this.host, slots, this.#parts.rules.data), xp, marks }
    this.#ahead = ahead
    return this.#queue.ahead(() => this.#write(this.#compose(ahead)))
  }

  release(marks: Marks): void {
    if (this.#phase === 'dead') return
    this.#ahead = null
    this.#marks = marks
    this.#queue.release()
    this.#parts.onRelease(this)
  }

  /** Nothing of this stay is written any more, and what a thread has under way is revoked. */
  abandon(): void {
    this.#phase = 'dead'
    if (this.#inFlight !== null) revoke(this.#inFlight)
    this.#ahead = null
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
    const written = this.#inFlight === null ? this.#saved : whatBecameOf(this.#inFlight)
    return written !== null && Buffer.compare(written, document.value) === 0 ? null : document.value
  }

  #saveNow(): Promise<SaveOutcome> {
    return this.#queue.ordinary(() => {
      // also when this save was asked for while the player was here: it may be the last one
      if (this.#phase === 'detached') {
        takeBack(this.host)
        this.#cache.clear()
      }
      return this.#write(this.#compose(null))
    })
  }

  /** The whole document: of a save ahead, or of the live inventory. */
  #compose(ahead: Ahead | null): Result<Uint8Array> {
    const { root, rules } = this.#parts
    try {
      const stacks = ahead === null ? ok(stacksOf(this.host)) : ahead.stacks
      if (!stacks.ok) return stacks
      const cache = ahead === null ? this.#cache : null
      const written = writeStacks(stacks.value, { parked: this.#parked, rules, cache })
      if (!written.ok) return written
      const stats = statsOf(this.host)
      const composed = composePlayerFile({
        root,
        stats: ahead === null ? stats : { ...stats, xp: ahead.xp },
        ...written.value,
        marks: ahead?.marks ?? this.#marks,
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
    const isOurs = await this.#parts.mayWrite()
    if (this.#phase === 'dead') return dead()
    if (!isOurs) return this.#failed(failure('system:storage_locked'), true)
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
    const isCertain = !progress.isStarted || UNCHANGED.has(code)
    if (!isCertain) this.#saved = null
    return this.#failed(written.failure, isCertain)
  }

  #failed(reason: Failure, isCertain: boolean): SaveOutcome {
    if (this.#phase !== 'dead') this.#parts.onFailure(reason)
    return { saved: false, isCertain, failure: reason }
  }
}

interface InFlight {
  readonly document: Uint8Array
  readonly claim: SharedArrayBuffer
}

/** Ends a save unless its thread is putting the file in its place, or has done so; the state that it was in. */
const revoke = ({ claim }: InFlight): number =>
  Atomics.compareExchange(new Int32Array(claim), 0, CLAIM.open, CLAIM.revoked)

/** What is in place of a save that was under way, or null when it isn't, or not for certain. */
function whatBecameOf({ document, claim }: InFlight): Uint8Array | null {
  const word = new Int32Array(claim)
  if (revoke({ document, claim }) === CLAIM.publishing) Atomics.wait(word, 0, CLAIM.publishing, PUBLISHING_MS)
  return Atomics.load(word, 0) === CLAIM.published ? document : null
}
