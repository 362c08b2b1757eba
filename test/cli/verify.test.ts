/** `flying-squid-system verify` on what a real server left, and on what became of it. */
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { decodeTree, encodeTree, type NbtCompound } from '../../lib/codec/nbt/index.js'
import { addEntry, INBOX, NO_GOODS, reserveOrder } from '../../lib/inventory/index.js'
import { CHAT_BOUNDS, TOMBSTONE } from '../../lib/storage/index.js'
import { Report } from '../../plugins/cli/verify/report.js'
import { verifyData } from '../../plugins/cli/verify/verify.js'
import { openFileDriver } from '../support/file-driver.js'
import { somePlayer } from '../support/kernel.js'
import { valueOf } from '../support/player-store.js'
import {
  cli,
  copyOf,
  editFile,
  editPart,
  flip,
  half,
  intTag,
  makeWorld,
  snapshot,
  withStore,
  type World,
} from './world.js'

const world = await makeWorld(t)
const OTHER = somePlayer()

async function check({ folder }: World): Promise<Report> {
  const report = new Report()
  await verifyData({ data: folder, world: folder }, report)
  return report
}

const text = (value: string): Uint8Array => valueOf(encodeTree({ type: 'string', value }))

void t.test('nothing is wrong with what a server left, and nothing is changed', async (t) => {
  const { folder } = world
  const before = await snapshot(folder)
  const json = await cli(folder, 'verify', '--data', folder, '--json')
  t.equal(json.status, 0, json.stdout + json.stderr)
  const { findings, notes, counts } = JSON.parse(json.stdout) as Report
  t.strictSame(findings, [])
  t.match(counts, { players: 1, files: 7, usageDays: 1, findings: 0 })
  t.strictSame(notes.map(({ code, part }) => `${code} ${part}`).sort(), [
    'unknown_type test:log',
    'unknown_type test:rounds',
    'unknown_type test:rows',
    'unknown_type test:rows',
  ])
  const plain = await cli(folder, 'verify', '--world', folder)
  t.equal(plain.status, 0)
  t.match(plain.stdout, /^note unknown_type .*\n(.*\n)*7 files, 1 players: 0 findings, 4 notes\n$/)
  t.strictSame(await snapshot(folder), before)
})

type Damage = (paths: {
  folder: string
  business: string
  chat: string
  file: string
  own: string
  shared: string
  usage: string
  at: (...names: string[]) => string
}) => Promise<unknown>

/** The player file's marks, changed. */
const marks = (file: string, edit: (members: Map<string, Uint8Array>) => void): Promise<void> =>
  editFile(file, (parts) => editPart(parts, 'flying-squid-system', edit))

const long = (value: number) => ({ type: 'long', value: BigInt(value) }) as const
const op = (id: string, seq: number): NbtCompound => ({
  id: { type: 'string', value: id },
  seq: long(seq),
  kind: { type: 'string', value: 'give' },
  moved: { type: 'list', value: { type: 'end', value: [] } },
  xp: long(0),
  rest: { type: 'list', value: { type: 'end', value: [] } },
})
const ops = (...all: NbtCompound[]): Uint8Array =>
  valueOf(encodeTree({ type: 'list', value: { type: 'compound', value: all } }))

/** As the marks were when alice had paid nothing yet. */
function beforeTheTake(members: Map<string, Uint8Array>): void {
  const recent = valueOf(decodeTree(members.get('recent') ?? intTag(0)))
  const [given] = (recent.value as { value: readonly unknown[] }).value as readonly NbtCompound[]
  if (given === undefined) throw new Error('no operation in the marks')
  members.set('recent', ops(given))
  members.set('ops', valueOf(encodeTree({ type: 'list', value: { type: 'end', value: [] } })))
  members.set('seq', valueOf(encodeTree(long(1))))
}

/** What is done to the files, and what of it must be found (findings first, then notes). */
const CASES: readonly (readonly [what: string, damage: Damage, findings: string, notes?: string])[] = [
  ['a torn business record', ({ business }) => half(business), 'unreadable players'],
  ['a business record that claims much', ({ business }) => half(business, 0x7fffffff), 'unreadable players'],
  ['an empty business record', ({ business }) => truncate(business), 'unreadable players'],
  ['a flipped bit in the conversations', ({ chat }) => flip(chat), 'unreadable chat'],
  ['a torn database of the server', ({ shared }) => half(shared), 'unreadable database'],
  ['a torn private database', ({ own }) => half(own), 'unreadable database'],
  ['a torn ledger', ({ usage }) => half(usage), 'unreadable data'],
  ['a torn player file', ({ file }) => half(file), 'unreadable playerdata'],
  ['a torn generation before', ({ file }) => half(`${file}_old`), 'unreadable playerdata'],
  [
    'a record of a later version',
    ({ business }) => editFile(business, (parts) => parts.set('version', intTag(2))),
    'newer players',
  ],
  [
    'a part of a later version',
    ({ business }) =>
      editFile(business, (parts) =>
        editPart(parts, 'system:inbox', (m) => m.set('v', intTag(INBOX.version + 1))),
      ),
    'newer players system:inbox',
  ],
  [
    'a part of another shape',
    ({ business }) =>
      editFile(business, (parts) => editPart(parts, 'system:inv', (m) => m.set('d', text('no')))),
    'unreadable players system:inv',
  ],
  [
    'a part of nobody’s without a version',
    ({ business }) => editFile(business, (parts) => parts.set('other:thing', text('no'))),
    'unreadable players other:thing',
    'unknown_type players other:thing',
  ],
  [
    'a row that is no row',
    ({ shared }) => editFile(shared, (parts) => parts.set('test:rows#b', text('no'))),
    'unreadable database test:rows#b',
  ],
  [
    'a row of text that is none',
    ({ shared }) =>
      editFile(shared, (parts) =>
        editPart(parts, 'test:rows#all', (m) => m.set('d', Uint8Array.of(8, 0, 1, 0xff))),
      ),
    'unreadable database test:rows#all',
  ],
  [
    'our compound of another shape',
    ({ file }) => marks(file, (m) => m.set('seq', text('no'))),
    'unreadable playerdata',
  ],
  [
    'our compound of a later version',
    ({ file }) => marks(file, (m) => m.set('v', intTag(9))),
    'newer playerdata',
  ],
  ['a file above every limit', async ({ chat }) => truncate(chat, 65 * 1_024 * 1_024), 'too_large chat'],
  [
    'foreign names',
    async ({ at, business }) => {
      await copyFile(business, at('system', 'players', `${OTHER.toUpperCase()}.dat`.replace('-4', '-A')))
      await writeFile(at('system', 'database', 'copy of shared.dat'), '')
      await writeFile(at('system', 'todo.txt'), '')
    },
    'foreign_name database; foreign_name players; foreign_name todo.txt',
  ],
  [
    'a folder in a file’s place',
    ({ at }) => mkdir(at('system', 'players', `${OTHER}.dat`)),
    'not_a_file players',
  ],
  [
    'a pipe in the place of a player file',
    async ({ file }) => {
      await rm(file)
      execFileSync('mkfifo', [file])
    },
    'not_a_file playerdata',
    'previous_only playerdata',
  ],
  [
    'what interruptions leave',
    async ({ business, file }) => {
      await writeFile(`${business}.0123456789abcdef.tmp`, 'half')
      await writeFile(`${file}.0123456789abcdef.tmp`, 'half')
      await writeFile(`${file}_unreadable_1790000000000`, 'half')
      await writeFile(`${file}.bak`, 'mine')
    },
    '',
    'left_over players; left_over playerdata; other_file playerdata; set_aside playerdata',
  ],
  [
    'a move that was interrupted',
    ({ business, at }) => rename(business, at('system', 'players', `${OTHER}.dat.from-${world.alice}.move`)),
    'unfinished_move players; items playerdata',
    'chat_left_over chat',
  ],
  [
    'entries beyond those that count',
    ({ business }) =>
      editFile(business, (parts) =>
        editPart(parts, CHAT_BOUNDS.id, (m) =>
          editPart(m, 'd', (d) => d.set('last', valueOf(encodeTree(long(2))))),
        ),
      ),
    '',
    'chat_left_over chat',
  ],
  [
    'bounds that bound nothing',
    ({ business }) =>
      editFile(business, (parts) =>
        editPart(parts, CHAT_BOUNDS.id, (m) =>
          editPart(m, 'd', (d) => d.set('first', valueOf(encodeTree(long(9))))),
        ),
      ),
    'chat_bounds players system:chat',
    'chat_left_over chat',
  ],
  [
    'an older player file',
    ({ file }) => marks(file, beforeTheTake),
    'items playerdata',
    'next_login playerdata',
  ],
  [
    'a torn player file and an older generation before',
    async ({ file }) => {
      await half(file)
      await marks(`${file}_old`, beforeTheTake)
    },
    'unreadable playerdata; items playerdata',
    'next_login playerdata',
  ],
  ['the generation before alone', ({ file }) => rm(file), '', 'previous_only playerdata'],
  [
    'no player file',
    async ({ file }) => {
      await rm(file)
      await rm(`${file}_old`)
    },
    'items playerdata',
  ],
  ['no store', ({ business }) => rm(business), 'items playerdata', 'chat_left_over chat'],
  [
    'an operation that is newer than its file',
    ({ file }) => marks(file, (m) => m.set('ops', ops(op('x', 99)))),
    'items playerdata; items playerdata',
  ],
  [
    'players who used more than all',
    ({ usage }) =>
      editFile(usage, (parts) =>
        editPart(parts, '2026-11-30', (m) =>
          editPart(m, 'total', (d) => d.set('calls', valueOf(encodeTree(long(1))))),
        ),
      ),
    'usage data 2026-11-30',
  ],
  [
    'a day without its totals',
    ({ usage }) => editFile(usage, (parts) => void parts.delete('2026-11-30')),
    'usage data 2026-11-30',
  ],
]

for (const [what, damage, findings, notes = ''] of CASES) {
  void t.test(what, async (t) => {
    const copy = await copyOf(t, world)
    const at = (...names: string[]): string => join(copy.folder, ...names)
    const name = `${world.alice}.dat`
    await damage({
      folder: copy.folder,
      at,
      business: at('system', 'players', name),
      chat: at('system', 'chat', name),
      own: at('system', 'database', 'players', name),
      shared: at('system', 'database', 'shared.dat'),
      usage: at('data', 'system', 'token_usage.dat'),
      file: at('playerdata', name),
    })
    const before = await snapshot(copy.folder)
    const report = await check(copy)
    const shown = (remarks: readonly { code: string; file: string; part?: string }[]): string[] =>
      remarks
        .map(({ code, file, part }) => {
          const folder =
            file
              .split('/')
              .slice(0, 2)
              .filter((word) => word !== 'system')[0] ?? ''
          return `${code} ${folder}${part === undefined ? '' : ` ${part}`}`
        })
        .sort()
    const words = (list: string): string[] => (list === '' ? [] : list.split('; ').sort())
    t.strictSame(shown(report.findings), words(findings), JSON.stringify(report.findings))
    t.strictSame(
      shown(report.notes.filter(({ part }) => !part?.startsWith('test:'))),
      words(notes),
      JSON.stringify(report.notes),
    )
    t.ok(report.findings.every(({ message }) => message !== '' && !message.includes(copy.folder)))
    t.strictSame(await snapshot(copy.folder), before, 'nothing was changed')
  })
}

void t.test('what the next login decides is a note, what can’t be is a finding', async (t) => {
  const copy = await copyOf(t, world)
  const { folder, alice } = copy
  await withStore(folder, async (store) => {
    valueOf(
      await store.update(alice, (tx) => {
        addEntry(tx, {
          ...NO_GOODS,
          id: 'given',
          source: 'test',
          lines: [{ item: 'a:b', count: 1, data: '' }],
        })
        reserveOrder(tx, {
          id: 'lost',
          source: 'test',
          costs: NO_GOODS,
          gives: NO_GOODS,
          entry: 'locked',
          isIrreversible: false,
        })
      }),
    )
  })
  await marks(join(folder, 'playerdata', `${alice}.dat`), (m) => {
    m.set('seq', valueOf(encodeTree(long(3))))
    m.set('ops', ops(op('given', 3)))
  })
  const open = await check(copy)
  t.strictSame(open.findings, [])
  t.strictSame(
    open.notes.filter(({ code }) => code === 'next_login').map(({ message }) => message),
    ['completed: entry given', 'failed: order lost'],
  )
  await withStore(folder, async (store) => {
    valueOf(
      await store.update(alice, (tx) => {
        const entries = tx.get(INBOX).filter(({ id }) => id !== 'locked')
        tx.set(
          INBOX,
          entries.flatMap((entry) =>
            entry.id === 'given' ? [entry, { ...entry, state: 'LOCKED', order: 'gone' }] : [entry],
          ),
        )
      }),
    )
  })
  t.strictSame(
    (await check(copy)).findings.filter(({ code }) => code === 'orders').map(({ message }) => message),
    [
      'entry given is there twice',
      'entry given waits for an order that is not open',
      'order lost is open, but its entry locked is not locked',
    ],
  )
})

void t.test('a revoke that was interrupted is a note', async (t) => {
  const copy = await copyOf(t, world)
  await withStore(copy.folder, async (store) => {
    valueOf(await store.update(copy.alice, (tx) => tx.set(TOMBSTONE, { at: 1 })))
  })
  const report = await check(copy)
  t.strictSame(report.findings, [])
  t.ok(report.notes.some(({ code }) => code === 'revoke_unfinished'))
})

void t.test('a server that runs is not checked; one that died is', async (t) => {
  const copy = await copyOf(t, world)
  const driver = await openFileDriver(copy.folder)
  const locked = await cli(copy.folder, 'verify', '--data', '.', '--json')
  t.equal(locked.status, 1)
  t.match(JSON.parse(locked.stdout), { findings: [{ code: 'locked' }], counts: { files: 0 } })
  t.match((await cli(copy.folder, 'verify', '--data', '.')).stdout, /finding locked .*stop the server first/)
  await driver.close()
  const lock = {
    id: 'x',
    heartbeat: 1,
    pid: 1,
    host: hostname(),
    bootId: null,
    pidSpace: null,
    startTime: null,
  }
  await writeFile(join(copy.folder, 'system', 'store.lock'), JSON.stringify(lock))
  const report = await check(copy)
  t.strictSame(report.findings, [])
  t.ok(report.notes.some(({ code }) => code === 'abandoned_lock'))
})
