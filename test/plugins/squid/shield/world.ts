/** Real servers with a world folder, and their players' files as others read them. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { systemClock } from '../../../../lib/core/clock.js'
import { canonicalJson } from '../../../../lib/core/json.js'
import { silentLogger } from '../../../../lib/core/logger.js'
import { ok } from '../../../../lib/core/result.js'
import { NO_MARKS } from '../../../../lib/inventory/index.js'
import { openThreadGroups, runJob, type ThreadGroups } from '../../../../lib/pool/index.js'
import type { ShieldStorage, RepairName } from '../../../../plugins/squid/shield/index.js'
import type { SquidItem, SquidPlayer, SquidServer } from '../../../../plugins/squid/types.js'
import { eventually } from '../../../support/eventually.js'
import { joinRaw, nextEvent, type RawClient } from '../../../support/squid.js'
import { temporaryFolder } from '../../../support/system.js'
import { bootShielded, playerOf, type ShieldedServer } from './support.js'

const require = createRequire(import.meta.url)
interface Tree {
  readonly value: Record<string, { type: string; value: unknown }>
}
const nbt = require('prismarine-nbt') as {
  parse(data: Buffer): Promise<{ parsed: Tree }>
  simplify(tree: unknown): Record<string, unknown>
  writeUncompressed(tree: Tree): Buffer
}
const playerDat = require('flying-squid/src/lib/playerDat.js') as {
  read(
    uuid: string,
    spawn: unknown,
    world: string,
  ): Promise<{ player: Record<string, unknown>; inventory: readonly unknown[] }>
}

/** The repairs that keep players, without the others. */
export const WORLD_REPAIRS: readonly RepairName[] = [
  'playerdata',
  'item-persistence',
  'sessions',
  'shutdown',
  'leaks',
]

export interface WorldServer extends ShieldedServer {
  readonly world: string
  join(name: string): Promise<RawClient>
  /** Ends the client and waits until the player is saved. */
  leave(client: RawClient): Promise<void>
}

interface WorldOptions {
  readonly world?: string
  readonly only?: readonly RepairName[]
  readonly storage?: Partial<ShieldStorage>
  readonly settings?: Record<string, unknown>
}

/** Thread groups of one test; only the storage group is used. */
export function openStorage(t: Test): ThreadGroups {
  const groups = openThreadGroups({
    threads: { agent: 1, storage: 1, compute: 1 },
    agentData: {},
    clock: systemClock,
    logger: silentLogger,
  })
  t.teardown(() => groups.close())
  return groups
}

/** A server with a world folder and the repairs that keep players. */
export async function bootWorld(t: Test, version: string, options: WorldOptions = {}): Promise<WorldServer> {
  const world = options.world ?? (await temporaryFolder(t))
  const groups = openStorage(t)
  const storage: ShieldStorage = {
    run: (job, runOptions) => runJob(groups.storage, job, runOptions),
    mayWrite: () => Promise.resolve(true),
    mayWriteNow: () => true,
    beforeLogin: (_player, { marks }) => Promise.resolve(ok(marks ?? NO_MARKS)),
    settings: () => ({ onUnreadable: 'refuse', playerSaveSeconds: 30 }),
    ...options.storage,
  }
  const booted = await bootShielded(t, version, {
    only: options.only ?? WORLD_REPAIRS,
    settings: { worldFolder: world, ...options.settings },
    shield: { storage },
  })
  keepNoBlocks(booted.serv)
  // before the shield closes: stock would save, and nobody waits for that
  t.teardown(() => booted.stop())
  return {
    ...booted,
    world,
    async join(name) {
      const client = await joinRaw(t, booted.port, version, name)
      const player = playerOf(booted.serv, name)
      // the login's last step
      if (booted.shield.status().get('playerdata') === 'on')
        await eventually(() => existsSync(fileOf(world, player)))
      return client
    },
    leave: (client) => leave(booted.serv, client),
  }
}

/** Blocks are not what is kept here, and stock would go on writing them into a folder that is gone. */
export function keepNoBlocks(serv: SquidServer): void {
  const { overworld } = serv as unknown as { overworld: { stopSaving(): void; storageProvider: unknown } }
  overworld.stopSaving()
  overworld.storageProvider = null
}

async function leave(serv: SquidServer, client: RawClient): Promise<void> {
  const player = playerOf(serv, client.username)
  const { save } = player as unknown as { save: () => Promise<unknown> }
  const gone = nextEvent(player, 'disconnected')
  client.end('bye')
  await gone
  await save()
}

export const fileOf = (world: string, player: { uuid?: string }): string =>
  join(world, 'playerdata', `${player.uuid ?? ''}.dat`)

/** A player's file, read by prismarine-nbt alone, as plain values. */
export async function readDat(path: string): Promise<Record<string, unknown>> {
  const { parsed } = await nbt.parse(await readFile(path))
  return nbt.simplify(parsed)
}

/** Changes a player's file as another program would. */
export async function edit(path: string, change: (members: Tree['value']) => void): Promise<void> {
  const { parsed } = await nbt.parse(await readFile(path))
  change(parsed.value)
  await writeFile(path, gzipSync(nbt.writeUncompressed(parsed)))
}

/** A player's file as stock flying-squid reads it. */
export const readAsStock = (world: string, uuid: string) => playerDat.read(uuid, { clone: () => ({}) }, world)

type ItemClass = new (type: number, count: number) => TestStack
const prismarineItem = require('prismarine-item') as (registry: unknown) => ItemClass
const classes = new WeakMap<SquidServer, ItemClass>()

export type TestStack = SquidItem & { nbt: unknown; components?: unknown[] }

/** A stack of the class that the host uses. */
export function stack(serv: SquidServer, [name, count]: [string, number]): TestStack {
  const Item = classes.get(serv) ?? prismarineItem(serv.registry)
  classes.set(serv, Item)
  const facts = serv.registry.itemsByName[name]
  if (facts === undefined) throw new Error(`no item ${name}`)
  return new Item(facts.id, count)
}

/** A stack with a name of its own, in the form of the version. */
export function namedStack(serv: SquidServer, { item, name }: { item: string; name: string }): TestStack {
  const made = stack(serv, [item, 1])
  if (serv.supportFeature('itemsWithComponents')) {
    made.components = [
      { type: 'custom_name', data: { type: 'compound', value: { text: { type: 'string', value: name } } } },
      {
        type: 'lore',
        data: [{ type: 'compound', value: { text: { type: 'string', value: `of ${name}` } } }],
      },
      { type: 'repair_cost', data: 3 },
    ]
    return made
  }
  const display = {
    Name: { type: 'string', value: JSON.stringify({ text: name }) },
    Lore: { type: 'list', value: { type: 'string', value: [JSON.stringify({ text: `of ${name}` })] } },
  }
  made.nbt = { type: 'compound', name: '', value: { display: { type: 'compound', value: display } } }
  return made
}

/** All that distinguishes the stack in a slot, as text. */
export function seen(player: SquidPlayer, slot: number): string {
  const item = player.inventory?.slots[slot] as TestStack | null | undefined
  if (item === null || item === undefined) return 'empty'
  const { nbt, components = [] } = item
  const tag = nbt as { value?: object } | null
  return canonicalJson([item.name, item.count, JSON.parse(JSON.stringify([tag?.value ?? null, components]))])
}

export const put = (player: SquidPlayer, slot: number, item: SquidItem | null): void =>
  player.inventory?.updateSlot(slot, item)
