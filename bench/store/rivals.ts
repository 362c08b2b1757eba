import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The device's own floor: the bytes over those of a file that is open already, and fsync. Nothing is created or renamed. */
export function openFloor(folder: string): (bytes: Uint8Array) => void {
  const file = openSync(join(folder, 'floor.bin'), 'w')
  return (bytes) => {
    writeSync(file, bytes, 0, bytes.length, 0)
    fsyncSync(file)
  }
}

/** The calls that a whole and durable replacement of a file can't do without, and nothing else: no failure is looked after. */
export function bareReplacement(path: string, bytes: Uint8Array): void {
  const file = openSync(`${path}.new`, 'w')
  writeSync(file, bytes)
  fdatasyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
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

const FIRST_STACK = 9
const STACKS = 36
/** Of one stack inside a box, bytes of NBT. */
const INNER_BYTES = 110

/** A box of enchanted tools: many small tags, as inventories that grow large have them. */
function boxOf(seed: number, bytes: number): unknown {
  const inner = Array.from({ length: Math.floor(bytes / INNER_BYTES) }, (_, at) => ({
    Slot: { type: 'byte', value: at % 27 },
    id: { type: 'string', value: `minecraft:diamond_${['pickaxe', 'axe', 'sword', 'hoe'][(seed + at) % 4]}` },
    Count: { type: 'byte', value: 1 },
    tag: {
      type: 'compound',
      value: {
        Damage: { type: 'int', value: (seed * 7_919 + at * 104_729) % 1_561 },
        Enchantments: {
          type: 'list',
          value: {
            type: 'compound',
            value: [
              {
                id: { type: 'string', value: 'minecraft:efficiency' },
                lvl: { type: 'short', value: at % 5 },
              },
            ],
          },
        },
      },
    },
  }))
  const items = { Items: { type: 'list', value: { type: 'compound', value: inner } } }
  return { type: 'compound', value: { BlockEntityTag: { type: 'compound', value: items } } }
}

/** flying-squid's own save of a player whose inventory is about so many bytes of NBT. */
export function squidSave(folder: string, bytes: number): () => Promise<void> {
  const { save } = require('flying-squid/src/lib/playerDat.js') as {
    save(player: unknown, folder: string, snakeCase: boolean, flattening: boolean): Promise<void>
  }
  const perStack = bytes / STACKS
  const slots = Array.from({ length: 46 }, (_, slot) =>
    slot < FIRST_STACK || slot >= FIRST_STACK + STACKS
      ? null
      : { slot, name: 'shulker_box', count: 1, metadata: 0, nbt: boxOf(slot, perStack) },
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
