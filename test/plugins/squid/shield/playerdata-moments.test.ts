/** What is written of a player when saves, logins, holds and ends meet. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import { playerId } from '../../../../lib/core/ids.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
import { NO_MARKS, type Marks, type PlayerInventory } from '../../../../lib/inventory/index.js'
import { runJob } from '../../../../lib/pool/index.js'
import { installShield } from '../../../../plugins/squid/shield/index.js'
import type { SquidItem, SquidPlayer } from '../../../../plugins/squid/types.js'
import { eventually } from '../../../support/eventually.js'
import { bootSquid, DEFAULT_VERSION, joinRaw, nextEvent } from '../../../support/squid.js'
import { temporaryFolder } from '../../../support/system.js'
import { LogLines, playerOf, shieldOptions } from './support.js'
import {
  bootWorld,
  fileOf,
  keepNoBlocks,
  openStorage,
  put,
  readDat,
  seen,
  stack,
  WORLD_REPAIRS,
  type WorldServer,
} from './world.js'

const require = createRequire(import.meta.url)
const nbt = require('prismarine-nbt') as {
  parse(data: Buffer): Promise<{ parsed: unknown }>
  simplify(tree: unknown): PlayerDat
}
interface Entry {
  readonly id: string
  readonly Count: number
}
interface PlayerDat {
  readonly Inventory: readonly Entry[]
  readonly 'flying-squid-system': { readonly extras: { readonly parked: readonly { entry: Entry }[] } }
}

/** Stacks in slots, and stacks that lie in none, as `count item`. */
async function saved(world: string, player: SquidPlayer): Promise<{ slots: string[]; parked: string[] }> {
  const { parsed } = await nbt.parse(await readFile(fileOf(world, player)))
  const file = nbt.simplify(parsed)
  const text = ({ id, Count }: Entry): string => `${Count} ${id.slice('minecraft:'.length)}`
  return {
    slots: file.Inventory.map(text),
    parked: file['flying-squid-system'].extras.parked.map(({ entry }) => text(entry)),
  }
}

/** A server whose saves can be held back. */
async function held(t: Test) {
  const groups = openStorage(t)
  const waiting: (() => void)[] = []
  const control = {
    isHolding: false,
    isOurs: true,
    waiting,
    letGo() {
      control.isHolding = false
      for (const go of waiting.splice(0)) go()
    },
  }
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: {
      run: async (job, options) => {
        if (control.isHolding && (job as { kind: string }).kind === 'save-player-file')
          await new Promise<void>((resolve) => waiting.push(resolve))
        return runJob(groups.storage, job, options)
      },
      mayWrite: () => Promise.resolve(control.isOurs),
      mayWriteNow: () => control.isOurs,
      settings: () => ({ onUnreadable: 'refuse', playerSaveSeconds: 3_600 }),
    },
  })
  return { server, control }
}

function inventoryOf(server: WorldServer, player: SquidPlayer): PlayerInventory {
  const found = server.shield.inventories.find(playerId(player.uuid ?? ''))
  if (found === null) throw new Error('no inventory')
  return found
}

const windowOf = (player: SquidPlayer) => player.inventory as unknown as { selectedItem: SquidItem | null }
const turns = async (): Promise<void> => {
  for (let n = 0; n < 100; n += 1) await Promise.resolve()
}

void t.test('a save of all while somebody logs in leaves the login alone', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: {
      beforeLogin: async (_, { marks }) => {
        // the session is there, the host's object not filled: that takes a file's reading
        void turns().then(() => settles.push(server.shield.savePlayers(5_000)))
        return ok(marks ?? NO_MARKS)
      },
    },
  })
  const settles: Promise<boolean | null>[] = []
  const first = await server.join('alice')
  put(playerOf(server.serv, 'alice'), 36, stack(server.serv, ['diamond', 5]))
  await server.leave(first)
  const second = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  await eventually(() => seen(player, 36) !== 'empty')
  t.strictSame(await Promise.all(settles), [true, true])
  put(player, 37, stack(server.serv, ['dirt', 2]))
  await server.leave(second)
  t.strictSame(await saved(server.world, player), { slots: ['5 diamond', '2 dirt'], parked: [] })
})

for (const way of ['picked up', 'put down'] as const) {
  void t.test(`a stack that is ${way} while a save ahead waits is written once`, async (t) => {
    const { server, control } = await held(t)
    await server.join('alice')
    const player = playerOf(server.serv, 'alice')
    const inventory = inventoryOf(server, player)
    const dirt = stack(server.serv, ['dirt', 5])
    if (way === 'picked up') put(player, 36, dirt)
    else windowOf(player).selectedItem = dirt
    control.isHolding = true
    const autosave = inventory.save()
    await eventually(() => control.waiting.length === 1)
    const ahead = inventory.saveAhead({ slots: inventory.slots(), xp: 3, marks: NO_MARKS })
    put(player, 36, way === 'picked up' ? null : stack(server.serv, ['dirt', 5]))
    windowOf(player).selectedItem = way === 'picked up' ? dirt : null
    // as the host takes one from what it holds
    dirt.count = 4
    control.letGo()
    t.strictSame([await autosave, await ahead], [{ saved: true }, { saved: true }])
    const expected =
      way === 'picked up' ? { slots: ['5 dirt'], parked: [] } : { slots: [], parked: ['5 dirt'] }
    t.strictSame(await saved(server.world, player), expected)
    inventory.release(NO_MARKS)
    const later = way === 'picked up' ? { slots: [], parked: ['4 dirt'] } : { slots: ['5 dirt'], parked: [] }
    await eventually(async () => JSON.stringify(await saved(server.world, player)) === JSON.stringify(later))
  })
}

void t.test('a last save that joins a waiting one takes back what is at the cursor', async (t) => {
  const { server, control } = await held(t)
  const client = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  const inventory = inventoryOf(server, player)
  windowOf(player).selectedItem = stack(server.serv, ['diamond', 9])
  control.isHolding = true
  const saves = [inventory.save(), inventory.save()]
  const left = server.leave(client)
  await eventually(() => player.disconnected === true && control.waiting.length === 1)
  await turns()
  control.letGo()
  await Promise.all([...saves, left])
  t.equal(server.shield.inventories.find(inventory.player), null)
  t.strictSame(await saved(server.world, player), { slots: ['9 diamond'], parked: [] })
})

void t.test('nothing is written any more when another server has the files', async (t) => {
  const { server, control } = await held(t)
  const client = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  const inventory = inventoryOf(server, player)
  const before = await readFile(fileOf(server.world, player))
  put(player, 36, stack(server.serv, ['diamond', 5]))
  control.isOurs = false
  t.match(await inventory.save(), {
    saved: false,
    isCertain: true,
    failure: { code: 'system:storage_locked' },
  })
  control.isOurs = true
  control.isHolding = true
  const saving = inventory.save()
  await eventually(() => control.waiting.length === 1)
  const ahead = inventory.saveAhead({ slots: inventory.slots(), xp: 3, marks: NO_MARKS })
  const ended = nextEvent(client, 'end')
  const gone = nextEvent(player, 'disconnected')
  server.shield.stopSaving()
  control.letGo()
  await Promise.all([ended, gone])
  t.match(JSON.stringify(client.received.at(-1)), /Another server is using this data/)
  t.match(await saving, { saved: false, isCertain: true })
  t.match(await ahead, { saved: false, isCertain: true })
  t.equal(await server.shield.savePlayers(1_000), false)
  await t.rejects(joinRaw(t, server.port, DEFAULT_VERSION, 'bob', { timeoutMs: 1_500 }))
  t.equal(server.serv.players.length, 0)
  await server.stop()
  server.shield.close()
  t.ok(before.equals(await readFile(fileOf(server.world, player))), 'the file is as it was')
})

void t.test('a closed server has written what was left and writes nothing at the exit', async (t) => {
  const listeners = process.listenerCount('exit')
  const { server, control } = await held(t)
  await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  t.equal(process.listenerCount('exit'), listeners + 1)
  put(player, 36, stack(server.serv, ['diamond', 5]))
  control.isHolding = true
  await server.stop()
  t.equal(control.waiting.length, 1, 'the last save did not end in time')
  server.shield.close()
  t.equal(process.listenerCount('exit'), listeners)
  t.strictSame((await saved(server.world, player)).slots, ['5 diamond'])
  const written = await readFile(fileOf(server.world, player))
  put(player, 37, stack(server.serv, ['dirt', 1]))
  control.letGo()
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.ok(written.equals(await readFile(fileOf(server.world, player))), 'not by a late thread either')
})

void t.test('who was here before and quits before a session begins is saved by the host', async (t) => {
  const world = await temporaryFolder(t)
  const { serv, port } = await bootSquid(t, DEFAULT_VERSION, { settings: { worldFolder: world } })
  keepNoBlocks(serv)
  const groups = openStorage(t)
  const client = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const player = playerOf(serv, 'alice')
  let letGo = (): void => {}
  const asked = new Promise<Result<Marks>>((resolve) => {
    letGo = () => resolve(ok(NO_MARKS))
  })
  const shield = installShield(
    serv,
    shieldOptions(new LogLines(), {
      enabled: (name) => WORLD_REPAIRS.includes(name),
      storage: {
        run: (job, options) => runJob(groups.storage, job, options),
        mayWrite: () => Promise.resolve(true),
        mayWriteNow: () => true,
        beforeLogin: () => asked,
        settings: () => ({ onUnreadable: 'refuse', playerSaveSeconds: 3_600 }),
      },
    }),
  )
  t.teardown(() => shield.close())
  put(player, 36, stack(serv, ['diamond', 5]))
  const gone = nextEvent(player, 'disconnected')
  client.end('bye')
  await gone
  await eventually(async () => {
    const file = await readDat(fileOf(world, player)).catch(() => null)
    return JSON.stringify(file?.['Inventory'] ?? null).includes('diamond')
  })
  letGo()
  await turns()
  t.equal(shield.inventories.find(playerId(player.uuid ?? '')), null)
})

void t.test('a sweep that failed lets nobody in and is tried again', async (t) => {
  const groups = openStorage(t)
  let sweeps = 0
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: {
      run: (job, options) => {
        const isSweep = (job as { kind: string }).kind === 'sweep-folder'
        if (isSweep && (sweeps += 1) === 1) return Promise.resolve(fail('system:storage_failed'))
        return runJob(groups.storage, job, options)
      },
    },
  })
  await t.rejects(joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 1_500 }))
  await server.join('alice')
  await server.join('bob')
  t.equal(sweeps, 2)
})
