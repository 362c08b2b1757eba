import { fsyncSync, openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** The device's own floor: the bytes over those of a file that is open already, and fsync. Nothing is created or renamed. */
export function openFloor(folder: string): (bytes: Uint8Array) => void {
  const file = openSync(join(folder, 'floor.bin'), 'w')
  return (bytes) => {
    writeSync(file, bytes, 0, bytes.length, 0)
    fsyncSync(file)
  }
}

/** npm's write-file-atomic: temporary file, fsync, rename; the folder isn't synced. */
export const writeFileAtomic = require('write-file-atomic') as (path: string, bytes: Buffer) => Promise<void>

/** SQLite with the promises of a file driver: WAL, synchronous FULL; null where better-sqlite3 isn't installed. */
export function openSqlite(folder: string): ((id: string, bytes: Uint8Array) => void) | null {
  interface Statement {
    run(...values: unknown[]): unknown
  }
  interface Database {
    pragma(text: string): unknown
    exec(sql: string): unknown
    prepare(sql: string): Statement
  }
  let Open: new (path: string) => Database
  try {
    Open = require('better-sqlite3') as typeof Open
  } catch {
    return null
  }
  const database = new Open(join(folder, 'rival.sqlite'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('create table if not exists records (id text primary key, bytes blob not null)')
  const put = database.prepare('insert or replace into records values (?, ?)')
  return (id, bytes) => void put.run(id, bytes)
}

/** flying-squid's own save of a player whose inventory is about so many bytes of NBT. */
export function squidSave(folder: string, bytes: number): () => Promise<void> {
  const { save } = require('flying-squid/src/lib/playerDat.js') as {
    save(player: unknown, folder: string, snakeCase: boolean, flattening: boolean): Promise<void>
  }
  const stacks = 36
  const text = (slot: number): string => {
    let words = ''
    for (let at = slot; words.length < bytes / stacks - 60; at += 1)
      words += `note ${(at * 104_729) % 1_000_003} lorem ipsum `
    return words
  }
  const slots = Array.from({ length: 46 }, (_, slot) =>
    slot < 9 || slot === 45
      ? null
      : {
          slot,
          name: 'paper',
          count: 1,
          metadata: 0,
          nbt: { type: 'compound', value: { note: { type: 'string', value: text(slot) } } },
        },
  )
  const player = {
    uuid: '00000000-0000-4000-8000-000000000001',
    health: 20,
    food: 20,
    gameMode: 0,
    xp: 0,
    heldItemSlot: 0,
    position: { x: 0, y: 80, z: 0 },
    yaw: 0,
    pitch: 0,
    onGround: true,
    inventory: { slots },
  }
  return () => save(player, folder, true, true)
}
