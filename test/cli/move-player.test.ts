/** `flying-squid-system move-player`: all or nothing of a player, whenever it is interrupted. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { identifier, playerId, type PlayerId } from '../../lib/core/ids.js'
import { INVENTORY_LOG } from '../../lib/inventory/index.js'
import { Databases } from '../../lib/storage/index.js'
import { moveFiles } from '../../plugins/cli/move-plan.js'
import { movePlayer, type MoveOutcome } from '../../plugins/cli/move-player.js'
import { Report } from '../../plugins/cli/verify/report.js'
import { verifyData } from '../../plugins/cli/verify/verify.js'
import type { SquidPlayer } from '../../plugins/squid/types.js'
import { readDat } from '../plugins/squid/shield/world.js'
import { startChild } from '../support/child.js'
import { openFileDriver } from '../support/file-driver.js'
import { openLive } from '../support/live-system.js'
import { ManualClock } from '../support/manual-clock.js'
import { valueOf } from '../support/player-store.js'
import { joinRaw, nextEvent } from '../support/squid.js'
import { roundsOf } from '../support/stored-things.js'
import { temporaryFolder } from '../support/system.js'
import { cli, copyOf, filesNaming, makeWorld, ROWS, snapshot, withStore, type World } from './world.js'

const KILLED = fileURLToPath(new URL('../fixtures/killed-move.js', import.meta.url))

const world = await makeWorld(t)
/** Bob's, on a server in offline mode. */
const BOB = offlineId('bob')
const THIRD = playerId('c0ffee00-0000-4000-8000-000000000003')
const FILES = ['playerdata', 'playerdata', 'system/chat', 'system/database/players', 'system/players']

function offlineId(name: string): PlayerId {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x30
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return playerId(hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

interface Moving extends World {
  move(from?: PlayerId, to?: PlayerId, fault?: (step: number) => void): Promise<MoveOutcome>
}

async function copied(t: Test): Promise<Moving> {
  const copy = await copyOf(t, world)
  const places = { data: copy.folder, world: copy.folder }
  return {
    ...copy,
    move: (from = copy.alice, to = BOB, fault = () => {}) => movePlayer({ places, from, to, fault }),
  }
}

const found = async (folder: string): Promise<readonly string[]> => {
  const report = new Report()
  await verifyData({ data: folder, world: folder }, report)
  return report.findings.map(({ code }) => code)
}

const killedAt =
  (stop: number) =>
  (step: number): void => {
    if (step === stop) throw new Error('killed')
  }

/** What a player's files hold, whatever their names and times. */
async function contents(folder: string, id: PlayerId): Promise<readonly string[]> {
  const all: string[] = []
  for (const name of await filesNaming(folder, id)) {
    const path = join(folder, name)
    const plain = name.startsWith('playerdata')
      ? JSON.stringify(await readDat(path), (_key, value: unknown) =>
          typeof value === 'bigint' ? `${value}` : value,
        )
      : (await readFile(path)).toString('base64')
    all.push(`${name} ${plain}`)
  }
  return all
}

void t.test('all of the player is another one’s', async (t) => {
  const { folder, alice } = await copied(t)
  const before = await filesNaming(folder, alice)
  const done = await cli(
    folder,
    'move-player',
    alice.toUpperCase(),
    BOB.replaceAll('-', ''),
    '--world',
    '.',
    '--json',
  )
  t.equal(done.status, 0, done.stdout + done.stderr)
  const moved = before.map((name) => name.replace(alice, BOB)).sort()
  const outcome = JSON.parse(done.stdout) as MoveOutcome
  t.match(outcome, { from: alice, to: BOB, resumed: false, findings: [], notes: [{ code: 'usage_stays' }] })
  t.strictSame(
    outcome.moved,
    [...moveFiles({ data: '', world: '' }, alice, BOB)].reverse().map((file) => file.moved),
    'the player file first, conversations last',
  )
  t.strictSame(await filesNaming(folder, alice), [])
  t.strictSame(await filesNaming(folder, BOB), moved)
  t.strictSame(await found(folder), [])
  const bits = BigInt(`0x${BOB.replaceAll('-', '')}`)
  for (const name of [`${BOB}.dat`, `${BOB}.dat_old`]) {
    const dat = await readDat(join(folder, 'playerdata', name))
    t.equal(String(dat['UUIDMost']), String(BigInt.asIntN(64, bits >> 64n)), 'the uuid in the file too')
    t.equal(String(dat['UUIDLeast']), String(BigInt.asIntN(64, bits)))
  }
  await withStore(folder, async (store, driver) => {
    const view = valueOf(await store.read(BOB))
    t.equal(view.get(INVENTORY_LOG).seq, 2)
    t.strictSame(roundsOf(view), ['round 1', 'round 2', 'round 3'])
    const databases = new Databases({ driver, clock: new ManualClock(), maxBytes: () => 1_000 })
    t.strictSame(valueOf(await databases.of(BOB, () => null).get(ROWS, 'mine')), { text: 'b' })
    await databases.close()
    t.equal(valueOf(await store.read(alice)).get(INVENTORY_LOG).seq, 0)
  })
  const again = await cli(folder, 'move-player', alice, BOB, '--world', '.', '--json')
  t.equal(again.status, 1)
  t.match(JSON.parse(again.stdout), { findings: [{ code: 'nothing_to_move' }], moved: [] })
})

void t.test(
  'whom it was moved to finds what the other one left, and back again nothing differs',
  async (t) => {
    const { folder, alice, move } = await copied(t)
    t.match(await move(), { findings: [] })
    const live = await openLive(t, { squid: { worldFolder: folder } })
    const joined = nextEvent<SquidPlayer>(live.serv, 'newPlayer')
    const client = await joinRaw(t, live.port, live.version, 'bob')
    t.equal((await joined).uuid, BOB)
    const count = await live.runtime.items.test.count(BOB, identifier('minecraft:diamond'))
    t.strictSame(count, { ok: true, value: { inventory: 3, inbox: 0 } })
    t.match((await live.status())['items'], /voided=0 flagged=0/)
    client.end('bye')
    const other = await copied(t)
    t.match(await other.move(), { findings: [] })
    t.match(await other.move(BOB, alice), { findings: [] })
    t.strictSame(await contents(other.folder, alice), await contents(world.folder, alice))
  },
)

void t.test('refused when the new uuid has anything at all', async (t) => {
  for (const file of moveFiles({ data: '', world: '' }, world.alice, BOB)) {
    const { folder, alice, move } = await copied(t)
    await writeFile(join(folder, file.moved), 'mine')
    const before = await snapshot(folder)
    t.match(await move(), { moved: [], findings: [{ code: 'has_data', file: file.moved }] })
    const after = await snapshot(folder)
    t.strictSame(await filesNaming(folder, alice), await filesNaming(world.folder, alice))
    t.strictSame([...after.keys()], [...before.keys()])
  }
})

void t.test('interrupted at any step: nobody has a part, and the same command goes on', async (t) => {
  const straight = await copied(t)
  let steps = 0
  await straight.move(undefined, undefined, () => void (steps += 1))
  t.equal(steps, 12)
  const expected = await contents(straight.folder, BOB)
  for (let stop = 0; stop < steps; stop += 1) {
    const { folder, alice, move } = await copied(t)
    await t.rejects(move(alice, BOB, killedAt(stop)), { message: 'killed' })
    const names = await filesNaming(folder, alice)
    const live = (id: PlayerId): number =>
      [...names].filter((name) => name.endsWith(`${id}.dat`) || name.endsWith(`${id}.dat_old`)).length
    const newNames = (await filesNaming(folder, BOB)).filter((name) => !name.endsWith('.move'))
    t.ok(live(alice) === 0 || newNames.length === 0, 'never both')
    if (stop > 0) {
      t.ok((await found(folder)).includes('unfinished_move'))
      t.match(await move(alice, THIRD), { moved: [], findings: [{ code: 'other_move' }] })
      t.match(await move(BOB, THIRD), { moved: [], findings: [{ code: 'other_move' }] })
    }
    // and once more, a step later
    if (stop < steps - 2) await t.rejects(move(alice, BOB, killedAt(1)), { message: 'killed' })
    t.match(await move(), { findings: [] })
    t.strictSame(await contents(folder, BOB), expected)
    t.strictSame(await filesNaming(folder, alice), [])
    t.strictSame(await found(folder), [])
  }
})

void t.test('killed for real: the lock is taken over and the move goes on', async (t) => {
  for (const step of [3, 8]) {
    const { folder, alice } = await copied(t)
    const child = startChild(t, KILLED, { args: [folder, alice, BOB, String(step)], cwd: folder })
    t.equal(await child.ended, 'SIGKILL')
    t.ok((await found(folder)).includes('unfinished_move'), 'a dead server is no obstacle')
    const again = await cli(folder, 'move-player', alice, BOB, '--data', '.', '--json')
    t.equal(again.status, 0, again.stdout)
    t.match(JSON.parse(again.stdout), { resumed: true, findings: [] })
    t.strictSame(await found(folder), [])
    t.strictSame(await filesNaming(folder, alice), [])
  }
})

void t.test('somebody played on over an interrupted move: it says so and touches nothing', async (t) => {
  for (const [stop, made] of [
    [2, 'old'],
    [5, 'moved'],
    [8, 'old'],
  ] as const) {
    const { folder, alice, move } = await copied(t)
    await t.rejects(move(alice, BOB, killedAt(stop)))
    const [file] = moveFiles({ data: folder, world: folder }, alice, BOB)
    if (file === undefined) throw new Error('no files')
    await writeFile(join(folder, file[made]), 'new')
    const before = await filesNaming(folder, alice)
    const { findings, moved } = await move()
    t.strictSame(moved, [])
    t.ok(findings.length > 0 && findings.every(({ code }) => code === 'conflict'))
    t.ok(findings.some(({ file: named }) => named === file[made]))
    t.strictSame(await filesNaming(folder, alice), before)
  }
})

void t.test('a damaged player file goes along as it is', async (t) => {
  const { folder, alice, move } = await copied(t)
  const path = join(folder, 'playerdata', `${alice}.dat`)
  await truncate(path, 40)
  const bytes = await readFile(path)
  t.match(await move(), { findings: [] })
  t.strictSame(await readFile(join(folder, 'playerdata', `${BOB}.dat`)), bytes)
})

void t.test('one file alone is enough, also without a store', async (t) => {
  const folder = await temporaryFolder(t)
  const { alice } = world
  const source = join(world.folder, 'playerdata', `${alice}.dat`)
  await mkdir(join(folder, 'playerdata'))
  await copyFile(source, join(folder, 'playerdata', `${alice}.dat`))
  const places = { data: folder, world: folder }
  t.match(await movePlayer({ places, from: alice, to: BOB }), {
    moved: [`playerdata/${BOB}.dat`],
    findings: [],
  })
})

void t.test('not while a server runs, and the lock is free afterwards', async (t) => {
  const { folder, alice, move } = await copied(t)
  const driver = await openFileDriver(folder)
  const refused = await cli(folder, 'move-player', alice, BOB, '--data', '.')
  t.equal(refused.status, 1)
  t.match(refused.stdout, /finding locked: .*stop the server first/)
  t.equal((await filesNaming(folder, alice)).length, FILES.length)
  await driver.close()
  t.match(await move(), { findings: [] })
  await (await openFileDriver(folder)).close()
})

void t.test('how it is used', async (t) => {
  const folder = await temporaryFolder(t)
  const help = await cli(folder, 'move-player', '--help')
  t.equal(help.status, 0)
  t.match(help.stdout, /^flying-squid-system move-player <old uuid> <new uuid>/)
  const plain = await cli(folder, 'move-player', world.alice, BOB, '--data', '.')
  t.equal(plain.status, 1)
  t.match(plain.stdout, /finding nothing_to_move: .*\nnothing else was changed\n/)
  for (const [args, said] of [
    [[], /takes the old uuid and the new one/],
    [[BOB], /takes the old uuid and the new one/],
    [[BOB, 'bob'], /not a uuid: bob/],
    [['../../etc/passwd', BOB], /not a uuid/],
    [[BOB, BOB.toUpperCase()], /the same/],
    [[BOB, THIRD, '--world', 'nowhere'], /there is no folder/],
    [[BOB, THIRD, '--force'], /--force/],
  ] as const) {
    const wrong = await cli(folder, 'move-player', ...args, '--json')
    t.equal(wrong.status, 2, args.join(' '))
    t.match(wrong.stderr, said)
    t.equal(wrong.stdout, '')
  }
})
