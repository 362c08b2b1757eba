/** What a server keeps is there again after a restart on the same folders, and goes with a revoke. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import type { Registration } from '../../lib/agent/index.js'
import { identifier, isUuid, type PlayerId } from '../../lib/core/ids.js'
import { readDat } from '../plugins/squid/shield/world.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { consoleSays, joinReader, REVOKED, temporaryFolder, type Reader } from '../support/system.js'
import { ANSWER, good, TEXT, USAGE } from './fault-cases.js'

const PURSE = {
  id: identifier('test:purse'),
  version: 1,
  schema: z.strictObject({ gold: z.int() }),
  empty: { gold: 0 },
}
const used = { prompt: USAGE.prompt_tokens, output: USAGE.completion_tokens }
const NOTES = { id: identifier('test:notes'), version: 1, schema: z.strictObject({ text: z.string() }) }

interface Run extends LiveSystem {
  readonly alice: Reader
  readonly id: PlayerId
  says(line: string): Promise<string>
}

/** A server on the folder, with alice. */
async function start(t: Test, folder: string): Promise<Run> {
  const live = await openLive(t, {
    squid: { worldFolder: join(folder, 'world') },
    settings: { autoGrant: null, configFolder: join(folder, 'config') },
    register: (registration: Registration) => registration.storage(PURSE),
  })
  const alice = await joinReader(t, live, 'alice')
  const id = live.serv.players[0]?._client.uuid ?? ''
  if (!isUuid(id)) throw new Error('no uuid')
  await eventually(() => live.runtime.store.online(id) !== null)
  const says = async (line: string): Promise<string> => (await consoleSays(live, line)).join('\n')
  return { ...live, alice, id, says }
}

/** The files below the data folder that name the player. */
async function filesOf(folder: string, id: PlayerId): Promise<string[]> {
  const names = await readdir(join(folder, 'world', 'system'), { recursive: true })
  return names.filter((name) => name.includes(id)).sort()
}

async function firstRun(t: Test, folder: string): Promise<void> {
  const { says, alice, id, runtime, provider, stop, stray } = await start(t, folder)
  t.equal(await says('system grant default alice'), 'alice now has system:default.')
  await alice.next()
  provider.script(good(ANSWER))
  t.match(await alice.askText('/system ask why is the sky blue'), TEXT)
  t.match(await says('system item-test give alice diamond 5'), /^item-test \S+ done moved=5 rest=0$/)
  t.match(
    await says('system item-test take alice minecraft:diamond 2'),
    /^item-test \S+ done moved=2 rest=0$/,
  )
  t.match(
    await says('system item-test take alice diamond 9'),
    /^item-test \S+ failed system:cost_missing moved=0 rest=9$/,
  )
  t.equal(await says('system item-test count alice diamond'), 'item-test count inventory=3 inbox=0')
  const database = runtime.databases.of(id, () => null)
  t.ok((await database.put(NOTES, 'home', { text: 'by the lake' })).ok)
  t.ok((await runtime.databases.shared.put(NOTES, 'rules', { text: 'be kind' })).ok)
  t.ok((await runtime.store.update(id, (tx) => tx.set(PURSE, { gold: 7 }))).ok)
  t.equal(await says('system save'), 'Everything is on disk. This is the moment to copy the files.')
  await stop()
  t.strictSame(stray, [])
}

async function secondRun(t: Test, folder: string): Promise<void> {
  const { says, alice, id, runtime, stop, stray } = await start(t, folder)
  t.equal(runtime.bindings.systemOf(id), 'system:default')
  t.match(await alice.askText('/system me'), /^Your state\n/, 'nobody is told of a grant again')
  t.match(await alice.askText('/system usage'), /Calls today: 1 of /)
  t.match(runtime.usage.ledger.day().total, { calls: 1, ...used })
  t.equal(await says('system item-test count alice diamond'), 'item-test count inventory=3 inbox=0')
  t.same(await runtime.databases.of(id, () => null).get(NOTES, 'home'), {
    ok: true,
    value: { text: 'by the lake' },
  })
  t.same(runtime.store.online(id)?.get(PURSE), { gold: 7 })
  // 36 slots of 64
  t.match(
    await says('system item-test give alice diamond 2368'),
    /^item-test \S+ done moved=2301 rest=67$/,
    'what does not fit waits',
  )
  t.equal(await says('system item-test count alice diamond'), 'item-test count inventory=2304 inbox=67')
  t.match((await filesOf(folder, id)).join(' '), /database.players.*players/)
  // under way when the revoke comes
  const late = runtime.databases.of(id, () => null).put(NOTES, 'late', { text: 'too late' })
  t.equal(await says('system revoke alice'), REVOKED)
  t.same(
    await runtime.databases.of(id, () => null).get(NOTES, 'home'),
    { ok: true, value: null },
    'not in memory either',
  )
  await late
  t.same(await runtime.databases.of(id, () => null).get(NOTES, 'late'), { ok: true, value: null })
  await stop()
  t.strictSame(stray, [])
}

void t.test('bindings, usage, items and rows over restarts, until a revoke', async (t) => {
  const folder = await temporaryFolder(t)
  await firstRun(t, folder)
  await secondRun(t, folder)
  const { says, alice, id, runtime, stray } = await start(t, folder)
  const left = `players/${id}.dat`
  t.strictSame(await filesOf(folder, id), [left], 'neither conversations nor the private database')
  const kept = Object.keys(await readDat(join(folder, 'world', 'system', left)))
  t.strictSame(kept, ['version', 'revision', 'system:inv'], 'what keeps items from being given twice')
  t.equal(runtime.bindings.systemOf(id), null)
  t.match(await alice.askText('/system me'), /^You don't have a System yet/)
  t.equal(
    await says('system item-test count alice diamond'),
    'item-test count inventory=2304 inbox=0',
    'the inventory is the world’s, the inbox ours',
  )
  t.same(runtime.store.online(id)?.get(PURSE), { gold: 0 })
  t.same(await runtime.databases.of(id, () => null).get(NOTES, 'home'), { ok: true, value: null })
  t.same(await runtime.databases.shared.get(NOTES, 'rules'), { ok: true, value: { text: 'be kind' } })
  t.match(runtime.usage.ledger.day().total, { calls: 1, ...used }, 'usage survives a revoke')
  t.strictSame(stray, [])
})
