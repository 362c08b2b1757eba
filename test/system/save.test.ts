/** `/system save`, `/system item-test` and what the status says of data that can't be used. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { PlayerId } from '../../lib/core/ids.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { consoleSays, joinReader, temporaryFolder, type SystemOptions } from '../support/system.js'

const SAVED = 'Everything is on disk. This is the moment to copy the files.'
const NO_PERMISSION = 'You are not allowed to do that, please ask an admin if you need it.'
const notSaved = (names: string): string =>
  `Not everything is on disk, please don't copy yet. Not saved (the log says why): ${names}`

async function open(t: Test, options: SystemOptions = {}): Promise<LiveSystem & { world: string }> {
  const world = join(await temporaryFolder(t), 'world')
  return { ...(await openLive(t, { ...options, squid: { worldFolder: world } })), world }
}

const save = async (live: LiveSystem): Promise<string> => (await consoleSays(live, 'system save')).join('\n')

void t.test('administrators are told when everything is on disk', async (t) => {
  const live = await open(t, { config: { 'system-access': { admins: ['bob'], adminsInOfflineMode: true } } })
  t.equal(await save(live), SAVED, 'with nobody there')
  const alice = await live.join('alice')
  const bob = await live.join('bob')
  t.equal(await alice.ask('/system save'), NO_PERMISSION)
  t.equal(await alice.ask('/system item-test give alice diamond 1'), NO_PERMISSION)
  live.runtime.live.change('system-access', { admins: ['bob', 'carol'] })
  t.equal(await bob.ask('/system save'), SAVED)
  t.match(await bob.ask('/system item-test give Alice diamond 2'), /^item-test \S+ done moved=2 rest=0$/)
  t.equal(await bob.ask('/system item-test count alice diamond'), 'item-test count inventory=2 inbox=0')
  t.equal(
    await bob.ask('/system item-test give nobody diamond 1'),
    'No player called nobody is online, please check the name.',
  )
  t.match(await bob.ask('/system item-test give alice bedrok 1'), /bedrok<--\[HERE\]” doesn't fit item/)
  t.match(await bob.ask('/system item-test give alice dirt 0'), /dirt 0<--\[HERE\]” doesn't fit count/)
  t.strictSame(await alice.rest(), [], 'who is tested hears nothing')
  t.strictSame(live.stray, [])
})

void t.test('what is not on disk is named', async (t) => {
  const live = await open(t)
  const alice = await live.join('alice')
  t.equal(await save(live), SAVED)
  live.runtime.live.change('system-access', { admins: ['alice'] })
  const file = join(live.configFolder, 'system-access.json')
  await writeFile(file, '{"admins":[')
  t.equal(await save(live), notSaved('configuration'))
  const folder = join(live.world, 'playerdata')
  await rm(folder, { recursive: true })
  await writeFile(folder, 'in the way')
  live.runtime.items.inventories.find(alice.id)?.change([], 7)
  t.equal(await save(live), notSaved("players' files, configuration"))
  await rm(folder)
  await mkdir(folder)
  await rm(file)
  t.equal(await save(live), SAVED)
  t.strictSame(live.stray, [])
})

void t.test('where the server saves players itself, only a stop is the moment', async (t) => {
  const live = await open(t, {
    config: { 'system-surface': { shield: { playerdata: false, limits: false } } },
  })
  await live.join('alice')
  t.match(
    await save(live),
    /^Everything of the System is on disk\. Players' files .* stop it before you copy/,
  )
  const without = await openLive(t)
  await without.join('bob')
  t.equal(await save(without), SAVED, 'without a world there are none')
  t.match(await consoleSays(without, 'system item-test give bob diamond 1'), [
    /^item-test \S+ failed system:no_world moved=0 rest=0$/,
  ])
  t.strictSame([live.stray, without.stray], [[], []])
})

void t.test('a player whose data can not be used is counted, and the status says why', async (t) => {
  const live = await open(t)
  // flying-squid's offline uuid of alice
  const id = '40f5db53-a47a-33ee-b1f6-db0e20deded4' as PlayerId
  const file = join(live.world, 'system', 'players', `${id}.dat`)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, 'no record')
  const alice = await joinReader(t, live, 'alice')
  t.equal(await alice.nextText(), "Your data can't be read. It was left as it is; please tell an admin.")
  t.match((await live.status())['storage'], / unusable=1 /)
  t.strictSame(await consoleSays(live, 'system status alice'), [
    'system: none',
    'data: system:storage_unreadable',
  ])
  t.strictSame(JSON.parse((await consoleSays(live, 'system status alice --json')).join('')), {
    system: 'none',
    data: 'system:storage_unreadable',
  })
  t.equal(await save(live), SAVED, 'nothing of it is open')
  t.match(live.log.join('\n'), file, 'the path is in the log')
  t.strictSame(live.stray, [])
})
