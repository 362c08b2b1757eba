import { join } from 'node:path'
import { z } from 'zod'
import { systemClock } from '../../lib/core/clock.js'
import { identifier, playerId, type PlayerId } from '../../lib/core/ids.js'
import { silentLogger } from '../../lib/core/logger.js'
import { openThreadGroups, runJob, type ThreadGroups } from '../../lib/pool/index.js'
import {
  createFileJobs,
  FileDriver,
  inThreads,
  PlayerStore,
  StorageTypes,
  type StorageType,
} from '../../lib/storage/index.js'

const NOTE_BYTES = 100
const noteSchema = z.strictObject({ text: z.string(), at: z.int(), count: z.int() })
const notesSchema = z.array(noteSchema)
export type Notes = z.infer<typeof notesSchema>

/** What is changed in each transaction; `BULK` only lies beside it. */
const CHANGED: StorageType<Notes> = {
  id: identifier('bench:changed'),
  version: 1,
  schema: notesSchema,
  empty: [],
}
const BULK: StorageType<Notes> = { ...CHANGED, id: identifier('bench:bulk') }

const MIB = 1_048_576

/** The product's way from a change to the disk, nothing left out: store, driver, storage thread. */
export class Ours {
  readonly groups: ThreadGroups
  readonly store: PlayerStore
  readonly #driver: FileDriver

  private constructor(groups: ThreadGroups, driver: FileDriver) {
    this.groups = groups
    this.#driver = driver
    const types = new StorageTypes()
    for (const type of [CHANGED, BULK]) types.add(type)
    this.store = new PlayerStore({
      driver,
      types,
      limits: () => ({
        businessBytes: 4 * MIB,
        chatBytes: 2 * MIB,
        chatRounds: 200,
        conversations: 20,
        conversationDays: 30,
        receiptBytes: MIB,
        eventTaskBytes: MIB / 4,
      }),
      removeDatabase: (player) => driver.remove({ collection: 'databases', id: player }),
      clock: systemClock,
      logger: silentLogger,
    })
  }

  static async open(folder: string): Promise<Ours> {
    const groups = openThreadGroups({
      threads: { agent: 1, storage: 1, compute: 1 },
      agentData: null,
      clock: systemClock,
      logger: silentLogger,
    })
    const driver = await FileDriver.open({
      folder,
      run: inThreads(groups.storage),
      clock: systemClock,
      onLockLost() {},
    })
    if (!driver.ok) throw new Error(driver.failure.code, { cause: driver.failure.cause })
    return new Ours(groups, driver.value)
  }

  /** Bytes to a file, durable, by the storage group: the way to its thread and back included. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    const written = await runJob(this.groups.storage, { kind: 'write-file', path, bytes })
    if (!written.ok) throw new Error(written.failure.code)
  }

  /** A transaction that replaces a part of a player's record. */
  async change(player: PlayerId, value: Notes): Promise<void> {
    const done = await this.store.update(player, (tx) => tx.set(CHANGED, value))
    if (!done.ok) throw new Error(done.failure.code, { cause: done.failure.cause })
  }

  async close(): Promise<void> {
    await this.store.close()
    await this.#driver.close()
    await this.groups.close()
  }
}

/** The same where the driver does it, in the thread of its files: of which this process has none but the main one. */
export function openDirect(): (path: string, bytes: Uint8Array) => Promise<void> {
  const jobs = createFileJobs()
  return async (path, bytes) => {
    const written = await jobs.get('write-file')?.({ kind: 'write-file', path, bytes })
    if (written?.ok !== true) throw new Error('not written')
  }
}

/** Values of about so many bytes that compress as players' data does, not as zeros do. */
export function notes(bytes: number, seed: number): Notes {
  return Array.from({ length: Math.ceil(bytes / NOTE_BYTES) }, (_, at) => ({
    text: `note ${(seed * 7_919 + at * 104_729) % 1_000_003} ${'lorem ipsum dolor sit amet '.slice(at % 20)}`,
    at: seed + at,
    count: (seed * at) % 977,
  }))
}

export const benchPlayer = (number: number): PlayerId =>
  playerId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)

export const recordPath = (folder: string, name: string): string => join(folder, `${name}.bin`)
