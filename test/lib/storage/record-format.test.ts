import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import nbt from 'prismarine-nbt'
import t from 'tap'
import { encodeTree } from '../../../lib/codec/nbt/index.js'
import {
  decodeRecord,
  encodeRecord,
  RECORD_FORMAT,
  type RecordFormat,
} from '../../../lib/storage/drivers/record-format.js'
import { openFileDriver } from '../../support/file-driver.js'
import {
  int,
  noise,
  PLAYER,
  refused,
  ROOMY,
  shown,
  valueOf,
  write,
} from '../../support/storage-driver-contract.js'

const fixture = fileURLToPath(new URL('../../../../test/fixtures/storage/record-v1.dat', import.meta.url))

void t.test('a file of version 1 is read as long as there are files of version 1', async (t) => {
  const record = valueOf(decodeRecord(readFileSync(fixture), ROOMY))
  t.equal(record.revision, 7)
  t.strictSame(
    [...record.parts],
    [
      ['system:binding', new Uint8Array(int(5))],
      ['shop:offers/一😀', new Uint8Array(int(6))],
    ],
  )
})

void t.test('older files go through every migration on their way; newer ones are refused', async (t) => {
  const renamed = (from: string, to: string) => (parts: ReadonlyMap<string, Uint8Array>) =>
    new Map([...parts].map(([name, tag]) => [name === from ? to : name, tag]))
  const third: RecordFormat = {
    version: 3,
    migrations: new Map([
      [1, renamed('system:binding', 'system:second')],
      [2, renamed('system:second', 'system:third')],
    ]),
  }
  const migrated = valueOf(decodeRecord(readFileSync(fixture), ROOMY, third))
  t.strictSame([...migrated.parts.keys()], ['system:third', 'shop:offers/一😀'])
  t.equal(migrated.revision, 7)
  const written = valueOf(encodeRecord(migrated, ROOMY, third)).bytes
  t.strictSame(valueOf(decodeRecord(written, ROOMY, third)), migrated)
  t.match(decodeRecord(written, ROOMY), refused('system:storage_newer'))
  t.equal(RECORD_FORMAT.migrations.size, RECORD_FORMAT.version - 1, 'no version is without a way from it')

  const without: RecordFormat = { version: 2, migrations: new Map() }
  t.match(decodeRecord(readFileSync(fixture), ROOMY, without), refused('system:storage_unreadable'))
  const throwing: RecordFormat = {
    version: 2,
    migrations: new Map([
      [
        1,
        () => {
          throw new Error('parts that make no sense')
        },
      ],
    ]),
  }
  t.match(decodeRecord(readFileSync(fixture), ROOMY, throwing), refused('system:storage_unreadable'))
})

void t.test('prismarine-nbt alone reads what is written', async (t) => {
  const folder = t.testdir()
  const driver = await openFileDriver(folder)
  const tree = {
    type: 'compound',
    value: { v: { type: 'int', value: 1 }, d: { type: 'string', value: 'hello' } },
  } as const
  await driver.commit([write({ put: { 'system:binding': valueOf(encodeTree(tree)), a: noise(20) } })])
  await driver.close()
  const { parsed, type } = await nbt.parse(readFileSync(join(folder, `system/players/${PLAYER}.dat`)))
  t.equal(type, 'big')
  t.match(nbt.simplify(parsed), { version: 1, 'system:binding': { v: 1, d: 'hello' } })
  t.match(parsed.value['revision'], { type: 'long', value: { 0: 0, 1: 1 } })
})

void t.test("files lie where the hosts are told, and are their owner's alone", async (t) => {
  const folder = t.testdir()
  const driver = await openFileDriver(folder)
  const ids = {
    players: PLAYER,
    chats: PLAYER,
    databases: PLAYER,
    shared: 'shared',
    quests: 'team',
    world: 'ai_access',
  }
  for (const [collection, id] of Object.entries(ids)) {
    const key = { collection: collection as keyof typeof ids, id }
    t.match(await driver.commit([write({ key, put: { a: int(1) } })]), { ok: true })
  }
  await driver.close()
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  )
  const files = names.filter((name) => name.endsWith('.dat')).sort()
  t.strictSame(files, [
    'data/system/ai_access.dat',
    `system/chat/${PLAYER}.dat`,
    `system/database/players/${PLAYER}.dat`,
    'system/database/shared.dat',
    `system/players/${PLAYER}.dat`,
    'system/quests/team.dat',
  ])
  t.notOk(names.includes('system/store.lock'))
  if (process.platform === 'win32') return
  for (const name of names) {
    const { mode } = statSync(join(folder, name))
    t.equal((mode & 0o777).toString(8), files.includes(name) ? '600' : '700', name)
  }
})

void t.test(
  'what an interrupted write left is removed when the folder is opened, and nothing else',
  async (t) => {
    const folder = t.testdir()
    const players = join(folder, 'system/players')
    mkdirSync(join(players, `x.dat.${'d'.repeat(16)}.tmp`), { recursive: true })
    mkdirSync(join(folder, 'playerdata'))
    const ours = Array.from(
      { length: 1_000 },
      (_, index) => `${PLAYER}.dat.${index.toString(16).padStart(16, '0')}.tmp`,
    )
    const others = [
      'b.tmp',
      `${PLAYER}.dat.tmp`,
      `${PLAYER}.dat.0123456789ABCDEF.tmp`,
      `${PLAYER}.dat.0123456789abcde.tmp`,
      `${PLAYER}.dat.0123456789abcdef.tmp2`,
      '.0123456789abcdef.tmp',
    ]
    for (const name of [...ours, ...others]) writeFileSync(join(players, name), '')
    writeFileSync(join(folder, 'playerdata', ours[0] ?? ''), '')
    const driver = await openFileDriver(folder)
    t.strictSame(readdirSync(players).sort(), [...others, `x.dat.${'d'.repeat(16)}.tmp`].sort())
    t.equal(readdirSync(join(folder, 'playerdata')).length, 1, "the host's own folders are not ours to clean")
    t.strictSame(valueOf(await driver.list('players')), [])
    await driver.close()
  },
)

void t.test('a backup that is put back under a running server is what counts from then on', async (t) => {
  const folder = t.testdir()
  const driver = await openFileDriver(folder)
  const path = join(folder, `system/players/${PLAYER}.dat`)
  await driver.commit([write({ put: { a: int(1) } })])
  const backup = readFileSync(path)
  await driver.commit([write({ base: 1, put: { a: int(2) } })])
  writeFileSync(path, backup)
  t.match(await driver.commit([write({ base: 2, put: { b: int(2) } })]), refused('system:storage_conflict'))
  t.match(await driver.commit([write({ base: 1, put: { b: int(2) } })]), { ok: true })
  t.strictSame(await shown(driver), { revision: 2, parts: { a: '0300000001', b: '0300000002' } })
  await driver.close()
})
