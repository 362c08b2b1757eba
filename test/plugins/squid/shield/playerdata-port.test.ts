import t, { type Test } from 'tap'
import { failure } from '../../../../lib/core/failure.js'
import { playerId } from '../../../../lib/core/ids.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
import {
  NO_MARKS,
  type FoundFile,
  type Marks,
  type PlayerInventory,
} from '../../../../lib/inventory/index.js'
import { runJob } from '../../../../lib/pool/index.js'
import type { SquidPlayer } from '../../../../plugins/squid/types.js'
import { eventually } from '../../../support/eventually.js'
import { DEFAULT_VERSION, joinRaw, nextEvent, VERSIONS } from '../../../support/squid.js'
import { playerOf } from './support.js'
import {
  bootWorld,
  fileOf,
  namedStack,
  openStorage,
  put,
  readDat,
  seen,
  stack,
  type WorldServer,
} from './world.js'

const OP = { id: 'op-1', seq: 1, kind: 'give' as const, moved: [], xp: 5, rest: [] }
const MARKS = {
  seq: 1,
  ops: [OP],
  recent: [{ id: 'op-0', rest: [{ item: 'minecraft:dirt', count: 2, data: '' }] }],
}

function inventoryOf(server: WorldServer, player: SquidPlayer): PlayerInventory {
  const found = server.shield.inventories.find(playerId(player.uuid ?? ''))
  if (found === null) throw new Error('no inventory')
  return found
}

interface Entry {
  readonly id: string
  readonly Count: number
}
const entriesIn = async (server: WorldServer, player: SquidPlayer): Promise<readonly Entry[]> =>
  (await readDat(fileOf(server.world, player)))['Inventory'] as Entry[]

/** A server whose storage can be held, and made to fail. */
async function faulty(t: Test) {
  const groups = openStorage(t)
  const control = { failWith: null as ReturnType<typeof failure> | null, found: [] as FoundFile[] }
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: {
      run: (job, options) => {
        const isSave = (job as { kind: string }).kind === 'save-player-file'
        if (!isSave || control.failWith === null) return runJob(groups.storage, job, options)
        options?.onStart?.()
        return Promise.resolve(fail(control.failWith.code))
      },
      beforeLogin: (_, found) => {
        control.found.push(found)
        return Promise.resolve(ok(found.marks ?? NO_MARKS))
      },
    },
  })
  return { server, control }
}

for (const version of VERSIONS) {
  void t.test(`${version}: stacks are seen and changed by their text`, async (t) => {
    const server = await bootWorld(t, version)
    const client = await server.join('alice')
    const player = playerOf(server.serv, 'alice')
    put(player, 10, namedStack(server.serv, { item: 'stick', name: 'Stab' }))
    put(player, 11, stack(server.serv, ['dirt', 3]))
    const inventory = inventoryOf(server, player)
    const slots = inventory.slots()
    t.equal(slots.length, 46)
    t.match(slots[11], { item: 'minecraft:dirt', count: 3, max: 64, data: '' })
    t.match(slots[10]?.data, 'Stab')
    const shown = nextEvent(client, 'set_slot')
    inventory.change(
      [
        { slot: 12, stack: slots[10] ?? null },
        { slot: 10, stack: null },
      ],
      42,
    )
    await shown
    t.match(seen(player, 12), 'Stab')
    t.equal(inventory.slots()[12]?.data, slots[10]?.data, 'the same text')
    t.equal(inventory.xp(), 42)
    t.equal(server.shield.inventories.maxStack('minecraft:ender_pearl'), 16)
    t.equal(server.shield.inventories.maxStack('constructor'), null)
    t.strictSame(server.errors, [])
  })
}

void t.test('a save ahead holds all others; marks come back at the next login', async (t) => {
  const { server, control } = await faulty(t)
  const client = await server.join('alice')
  t.strictSame(control.found, [{ exists: false, isReadable: true, marks: null }])
  const player = playerOf(server.serv, 'alice')
  put(player, 36, stack(server.serv, ['dirt', 1]))
  const inventory = inventoryOf(server, player)
  const slots = inventory
    .slots()
    .with(37, { item: 'minecraft:diamond' as never, count: 4, max: 64, data: '' })
  t.strictSame(await inventory.saveAhead({ slots, xp: 77, marks: MARKS }), { saved: true })
  t.equal(seen(player, 37), 'empty', 'the live inventory is as before')
  t.match(await entriesIn(server, player), [{ id: 'minecraft:dirt' }, { id: 'minecraft:diamond', Count: 4 }])
  t.equal((await readDat(fileOf(server.world, player)))['XpTotal'], 77)
  let isSaved = false
  const saving = inventory.save().then(() => (isSaved = true))
  const left = server.leave(client)
  await eventually(() => player.disconnected === true)
  await new Promise((resolve) => setImmediate(resolve))
  t.notOk(isSaved, 'neither a save nor the logout goes on')
  t.equal(server.shield.inventories.find(inventory.player), inventory, 'detached')
  inventory.change([{ slot: 37, stack: slots[37] ?? null }], 77)
  inventory.release(MARKS)
  await Promise.all([saving, left])
  t.equal(server.shield.inventories.find(inventory.player), null)
  t.match(await entriesIn(server, player), [{ id: 'minecraft:dirt' }, { id: 'minecraft:diamond', Count: 4 }])
  t.match(await inventory.save(), { saved: false, isCertain: true }, 'dead')
  await server.join('alice')
  t.strictSame(control.found[1], { exists: true, isReadable: true, marks: MARKS })
  t.strictSame(inventoryOf(server, playerOf(server.serv, 'alice')).marks(), MARKS)
})

void t.test('how a save ended is told: not done, or not known', async (t) => {
  const { server, control } = await faulty(t)
  await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  const inventory = inventoryOf(server, player)
  put(player, 36, stack(server.serv, ['dirt', 1]))
  for (const [code, isCertain] of [
    ['system:storage_failed', true],
    ['system:storage_unknown', false],
    ['system:worker_lost', false],
  ] as const) {
    control.failWith = failure(code)
    t.match(await inventory.save(), { saved: false, isCertain, failure: { code } })
  }
  control.failWith = null
  t.strictSame(await inventory.save(), { saved: true })
  t.equal((await entriesIn(server, player)).length, 1)
})

void t.test('a last save that fails keeps the player in memory; who comes back has everything', async (t) => {
  const { server, control } = await faulty(t)
  const client = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  put(player, 36, stack(server.serv, ['diamond', 8]))
  control.failWith = failure('system:storage_failed')
  const gone = nextEvent(player, 'disconnected')
  client.end('bye')
  await gone
  const again = server.join('alice')
  await eventually(() => server.log.lines.some((line) => line.includes('a save failed')))
  control.failWith = null
  await again
  t.match(seen(playerOf(server.serv, 'alice'), 36), 'diamond')
})

void t.test('a refusal before the login', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: { beforeLogin: () => Promise.resolve(fail('system:storage_failed')) },
  })
  await t.rejects(joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 1_500 }))
  t.equal(server.serv.players.length, 0)
  t.equal(server.shield.inventories.find(playerId('40f5db53-a47a-33ee-b1f6-db0e20deded4')), null)
})

void t.test('a client that has gone meanwhile is not logged in', async (t) => {
  let letGo = (): void => {}
  const held = new Promise<Result<Marks>>((resolve) => {
    letGo = () => resolve(ok(NO_MARKS))
  })
  const server = await bootWorld(t, DEFAULT_VERSION, { storage: { beforeLogin: () => held } })
  const [player] = await Promise.all([
    nextEvent<SquidPlayer>(server.serv, 'newPlayer'),
    joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 500 }).catch(() => {}),
  ])
  const gone = nextEvent(player, 'disconnected')
  player._client.end('bye')
  await gone
  letGo()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(player.username, undefined, 'stock did not begin')
  t.equal(server.shield.inventories.find(playerId(player._client.uuid)), null)
})

void t.test('nothing of files runs without a world folder', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION, { settings: { worldFolder: undefined } })
  for (const name of ['playerdata', 'item-persistence', 'shutdown'] as const)
    t.equal(server.shield.status().get(name), 'off')
})
