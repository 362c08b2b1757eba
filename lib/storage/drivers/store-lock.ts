import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { CancelTimer, Clock } from '../../core/clock.js'
import { fail, ok, type Result } from '../../core/result.js'
import { errorCode, withFile, type FileSystem, type OpenFile } from './file-system.js'
import type { ProcessIdentity, ProcessProbe } from './process-identity.js'

const HEARTBEAT_MS = 5_000
/** A heartbeat of this age belongs to nobody; a younger one is waited for. */
const STALE_MS = 15_000
const LOOK_AGAIN_MS = 500
/** After this time without a heartbeat the lock is looked at before it is trusted: the process may have been asleep. */
const DOUBTFUL_MS = 2 * HEARTBEAT_MS
/** Fixed, so that a heartbeat never leaves a part of the one before behind it. */
const CONTENT_BYTES = 512

const contentSchema = z.object({
  id: z.string().min(1),
  /** Epoch milliseconds. */
  heartbeat: z.number(),
  pid: z.int().min(1),
  host: z.string(),
  bootId: z.string().nullable(),
  pidSpace: z.string().nullable(),
  startTime: z.string().nullable(),
})

export interface LockOptions {
  /** In a folder that exists. */
  readonly path: string
  readonly fs: FileSystem
  readonly clock: Clock
  readonly probe: ProcessProbe
  /** Told once, when somebody else has taken the lock over or the file is gone. */
  onLost(): void
}

/** What one look at the file showed. */
interface Seen {
  /** The same as long as nothing was written. */
  readonly mark: string
  readonly id: string | null
  readonly heartbeatMs: number
  readonly owner: ProcessIdentity | null
}

/**
 * One process per data folder. The file holds a random id, the owner and its heartbeat, all written through a file
 * that stays open: a heartbeat can only ever meet the owner's own file, not that of a successor.
 */
export class StoreLock {
  readonly #options: LockOptions
  readonly #id: string
  readonly #self: ProcessIdentity
  readonly #file: OpenFile
  readonly #stopBeating: CancelTimer
  #beatAt: { wall: number; monotonic: number }
  #isLost = false
  #beating: Promise<void> | null = null
  #released: Promise<void> | null = null

  private constructor(options: LockOptions, held: { id: string; self: ProcessIdentity; file: OpenFile }) {
    this.#options = options
    this.#id = held.id
    this.#self = held.self
    this.#file = held.file
    this.#beatAt = now(options.clock)
    this.#stopBeating = options.clock.every(HEARTBEAT_MS, () => void this.#beat())
  }

  /**
   * Takes the lock. At once when there is none, when its heartbeat is over 15 s old, or when its owner is proven dead;
   * otherwise the owner gets 15 s to go. `system:storage_locked` when it is alive after that; `system:storage_failed`.
   */
  static async acquire(options: LockOptions): Promise<Result<StoreLock>> {
    const { clock, fs, path } = options
    try {
      const self = await options.probe.self()
      // two looks more: an owner that says nothing for 15 s is found out before the time is over
      const until = clock.monotonic() + STALE_MS + 2 * LOOK_AGAIN_MS
      let mark: string | undefined
      let unchangedSince = clock.monotonic()
      for (;;) {
        const seen = await look(fs, path)
        if (seen?.mark !== mark) unchangedSince = clock.monotonic()
        mark = seen?.mark
        const isFree = seen === null || (await isAbandoned(options, seen, clock.monotonic() - unchangedSince))
        const taken = isFree ? await take(options, seen, self) : null
        if (taken !== null) return ok(new StoreLock(options, { ...taken, self }))
        if (clock.monotonic() >= until) return fail('system:storage_locked', {}, describe(seen))
        await new Promise<void>((resolve) => clock.after(LOOK_AGAIN_MS, resolve))
      }
    } catch (cause) {
      return fail('system:storage_failed', {}, cause)
    }
  }

  /** Whether the store is still this process's own; asks the file when the last heartbeat is long ago. */
  async isHeld(): Promise<boolean> {
    if (this.#isLost || this.#released !== null) return false
    if (this.#isDoubtful()) await this.#beat()
    return !this.#isLost && !this.#isDoubtful()
  }

  /** The same without asking: false when the last heartbeat is long ago. */
  isSurelyHeld(): boolean {
    return !this.#isLost && this.#released === null && !this.#isDoubtful()
  }

  /** Ends the heartbeat and removes the file if it is still this process's own. Idempotent, never rejects. */
  release(): Promise<void> {
    this.#stopBeating()
    this.#released ??= this.#release()
    return this.#released
  }

  #isDoubtful(): boolean {
    const { wall, monotonic } = now(this.#options.clock)
    // durations don't count while a machine sleeps, the time of day may be set: whichever says more
    return (
      monotonic - this.#beatAt.monotonic > DOUBTFUL_MS || Math.abs(wall - this.#beatAt.wall) > DOUBTFUL_MS
    )
  }

  async #release(): Promise<void> {
    await this.#beating
    const { fs, path } = this.#options
    try {
      const seen = await look(fs, path)
      await this.#file.close()
      if (seen?.id === this.#id) await fs.unlink(path)
    } catch {
      // the next one finds a heartbeat that doesn't go on
    }
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => (this.#beating = null))
    return this.#beating
  }

  async #beatOnce(): Promise<void> {
    const { fs, path, clock } = this.#options
    const at = now(clock)
    try {
      const seen = await look(fs, path)
      if (seen?.id !== this.#id) return this.#lose()
      await writeContent(this.#file, content(this.#id, this.#self, at.wall))
      this.#beatAt = at
    } catch {
      // seen again at the next beat; until then `isHeld` trusts the last one that went well
      const silentMs = clock.monotonic() - this.#beatAt.monotonic
      if (silentMs >= STALE_MS) this.#lose()
    }
  }

  #lose(): void {
    if (this.#isLost || this.#released !== null) return
    this.#isLost = true
    this.#stopBeating()
    this.#options.onLost()
  }
}

const now = (clock: Clock): { wall: number; monotonic: number } => ({
  wall: clock.now(),
  monotonic: clock.monotonic(),
})

/**
 * What one look at a lock says, without touching it: `free` (there is none), `abandoned` (taken over at the next start),
 * or who holds it, in words. `system:storage_failed`: it can't be read.
 */
export async function lockHolder(
  options: Pick<LockOptions, 'path' | 'fs' | 'clock' | 'probe'>,
): Promise<Result<'free' | 'abandoned' | { readonly holder: string }>> {
  try {
    const seen = await look(options.fs, options.path)
    if (seen === null) return ok('free')
    return ok((await isAbandoned(options, seen, 0)) ? 'abandoned' : { holder: describe(seen) })
  } catch (cause) {
    return fail('system:storage_failed', {}, cause)
  }
}

/** Whether nobody can be behind the lock any more. */
async function isAbandoned(
  { clock, probe }: Pick<LockOptions, 'clock' | 'probe'>,
  seen: Seen,
  unchangedMs: number,
): Promise<boolean> {
  const liveness = seen.owner === null ? 'unknown' : await probe.liveness(seen.owner)
  if (liveness === 'dead' || unchangedMs >= STALE_MS) return true
  // an owner that is known to live may just wake up with its machine: it gets its 15 s
  return liveness === 'unknown' && clock.now() - seen.heartbeatMs >= STALE_MS
}

/** Puts an own lock in the place of none, or of the abandoned one that was seen; null when somebody was quicker. */
async function take(
  options: LockOptions,
  abandoned: Seen | null,
  self: ProcessIdentity,
): Promise<{ id: string; file: OpenFile } | null> {
  const { fs, path, clock } = options
  if (abandoned !== null && !(await clearAbandoned(options, abandoned))) return null
  const id = randomBytes(16).toString('hex')
  let file: OpenFile
  try {
    file = await fs.open(path, 'wx', 0o600)
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return null
    throw thrown
  }
  try {
    await writeContent(file, content(id, self, clock.now()))
    return { id, file }
  } catch (thrown) {
    await file.close()
    await fs.unlink(path)
    throw thrown
  }
}

/** Removes an abandoned lock. Two who found the same one abandoned mustn't remove each other's: one at a time. */
async function clearAbandoned({ fs, path, clock }: LockOptions, abandoned: Seen): Promise<boolean> {
  const claim = `${path}.claim`
  try {
    await (await fs.open(claim, 'wx', 0o600)).close()
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST') throw thrown
    const { modifiedMs } = await fs.facts(claim)
    // its maker died between two lines
    if (Math.abs(clock.now() - modifiedMs) >= STALE_MS) await fs.unlink(claim)
    return false
  }
  try {
    const seen = await look(fs, path)
    if (seen?.mark === abandoned.mark) await fs.unlink(path)
    return seen === null || seen.mark === abandoned.mark
  } finally {
    await fs.unlink(claim)
  }
}

async function look(fs: FileSystem, path: string): Promise<Seen | null> {
  try {
    return await withFile(fs.open(path, 'r'), async (file) => {
      const { modifiedMs } = await file.facts()
      const bytes = new Uint8Array(CONTENT_BYTES)
      const text = Buffer.from(bytes.subarray(0, await file.read(bytes, 0, 0))).toString('utf8')
      const parsed = contentSchema.safeParse(parseJson(text))
      // empty or broken, as a power cut leaves it: its age is all that is known
      if (!parsed.success)
        return { mark: `${modifiedMs} ${text}`, id: null, heartbeatMs: modifiedMs, owner: null }
      const { id, heartbeat, ...owner } = parsed.data
      return { mark: `${id} ${heartbeat}`, id, heartbeatMs: heartbeat, owner }
    })
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return null
    throw thrown
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const content = (id: string, self: ProcessIdentity, heartbeat: number): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ id, heartbeat, ...self })}\n`.padEnd(CONTENT_BYTES))

async function writeContent(file: OpenFile, bytes: Uint8Array): Promise<void> {
  if ((await file.write(bytes, 0, 0)) !== bytes.length) throw new Error('a short write')
}

const describe = (seen: Seen | null): string =>
  seen?.owner == null ? 'by an unknown process' : `by process ${seen.owner.pid} of ${seen.owner.host}`
