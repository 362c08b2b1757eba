/** A world folder as a real server leaves it, and changes of its files by hand. */
import { execFile } from 'node:child_process'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import {
  composeCompound,
  composeRoot,
  DEFAULT_NBT_LIMITS,
  splitCompound,
  splitRoot,
} from '../../lib/codec/nbt/index.js'
import { systemClock } from '../../lib/core/clock.js'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import { silentLogger } from '../../lib/core/logger.js'
import { Databases, PlayerStore, type FileDriver, type TableType } from '../../lib/storage/index.js'
import { encodeDay } from '../../lib/usage/ledger-record.js'
import { NO_COUNTS } from '../../lib/usage/counts.js'
import { UsageDay } from '../../lib/usage/usage-day.js'
import { builtInTypes } from '../../plugins/squid/kept.js'
import { openFileDriver } from '../support/file-driver.js'
import { openLive } from '../support/live-system.js'
import { LIMITS, valueOf } from '../support/player-store.js'
import { LOG, ROUNDS } from '../support/stored-things.js'
import { temporaryFolder } from '../support/system.js'

const MAIN = fileURLToPath(new URL('../../plugins/cli/main.js', import.meta.url))

interface Test {
  teardown(fn: () => unknown): void
}

export interface World {
  readonly folder: string
  readonly alice: PlayerId
}

export const ROWS: TableType<{ readonly text: string }> = {
  id: identifier('test:rows'),
  version: 1,
  schema: z.strictObject({ text: z.string() }),
}

/** Alice played on a server of these data: she was given five diamonds and paid two, talked, and has a table. */
export async function makeWorld(t: Test): Promise<World> {
  const folder = await temporaryFolder(t)
  const live = await openLive(t, { squid: { worldFolder: folder } })
  const seat = await live.join('alice')
  const item = identifier('minecraft:diamond')
  const moved = [
    await live.runtime.items.test.give({ player: seat.id, item, count: 5 }),
    await live.runtime.items.test.take({ player: seat.id, item, count: 2 }),
  ].map((outcome) => outcome.moved)
  if (moved.join() !== '5,2') throw new Error(`items did not move: ${moved.join()}`)
  await seat.leave()
  await live.stop()
  await withStore(folder, async (store, driver) => {
    valueOf(
      await store.update(seat.id, (tx) => {
        tx.put(LOG, 'row', { text: 'a' })
        for (const at of [1, 2, 3]) tx.append(ROUNDS, { conversation: 1, at, body: `round ${at}` })
      }),
    )
    const databases = new Databases({ driver, clock: systemClock, maxBytes: () => 1_000_000 })
    valueOf(await databases.of(seat.id, () => null).put(ROWS, 'mine', { text: 'b' }))
    valueOf(await databases.shared.put(ROWS, 'all', { text: 'c' }))
    await databases.close()
    await chargeUsage(driver, seat.id)
  })
  return { folder, alice: seat.id }
}

async function chargeUsage(driver: FileDriver, alice: PlayerId): Promise<void> {
  const day = new UsageDay({ key: '2026-11-30', clockDay: '2026-11-30' })
  day.charge({ id: alice, name: 'alice' }, { ...NO_COUNTS, calls: 2, prompt: 700 })
  const put = new Map(valueOf(encodeDay(day)))
  const key = { collection: 'world', id: 'token_usage' } as const
  const base = valueOf(await driver.read(key, 1_000_000))?.revision ?? 0
  valueOf(await driver.commit([{ key, base, put, drop: [], maxBytes: 1_000_000 }]))
}

/** Uses the store of a folder that no server has open. */
export async function withStore(
  folder: string,
  use: (store: PlayerStore, driver: FileDriver) => Promise<void>,
): Promise<void> {
  const driver = await openFileDriver(folder)
  const types = builtInTypes().add(LOG).add(ROUNDS)
  const store = new PlayerStore({
    driver,
    types,
    limits: () => LIMITS,
    removeDatabase: (player) => driver.remove({ collection: 'databases', id: player }),
    clock: systemClock,
    logger: silentLogger,
  })
  await use(store, driver)
  await store.close()
  await driver.close()
}

/** The same files in a folder of their own. */
export async function copyOf(t: Test, { folder, alice }: World): Promise<World> {
  const copy = await temporaryFolder(t)
  await cp(folder, copy, { recursive: true })
  return { folder: copy, alice }
}

export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line. */
export const cli = (cwd: string, ...args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { cwd }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })

type Parts = Map<string, Uint8Array>

/** Changes the members of a gzip NBT file. */
export async function editFile(path: string, edit: (parts: Parts) => void): Promise<void> {
  const { name, parts } = valueOf(splitRoot(gunzipSync(await readFile(path)), DEFAULT_NBT_LIMITS))
  edit(parts)
  await writeFile(path, gzipSync(composeRoot(parts, name)))
}

/** Changes the members of a compound among the parts. */
export function editPart(parts: Parts, name: string, edit: (members: Parts) => void): void {
  const members = valueOf(splitCompound(parts.get(name) ?? new Uint8Array(), DEFAULT_NBT_LIMITS))
  edit(members)
  parts.set(name, composeCompound(members))
}

export const intTag = (value: number): Uint8Array => Uint8Array.of(3, 0, 0, 0, value)

/** Cut in the middle; what stands at the end now claims so many bytes of content. */
export async function half(path: string, claimed = 0): Promise<void> {
  const bytes = await readFile(path)
  const torn = bytes.subarray(0, Math.floor(bytes.length / 2))
  torn.writeUInt32LE(claimed, torn.length - 4)
  await writeFile(path, torn)
}
/** One bit near the end is another one. */
export async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length - 12] = (bytes[bytes.length - 12] ?? 0) ^ 0x10
  await writeFile(path, bytes)
}

/** Every file below a folder with its content and times. */
export async function snapshot(folder: string): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true })
    const content = entry.isFile() ? (await readFile(path)).toString('base64') : ''
    all.set(relative(folder, path), `${ino} ${mtimeNs} ${ctimeNs} ${content}`)
  }
  return all
}

/** What lies where, for one player: names below the folder. */
export async function filesNaming(folder: string, id: PlayerId): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => name.includes(id)).sort()
}
