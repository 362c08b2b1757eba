import t from 'tap'
import { appendRound, forgetChat, type Transaction } from '../../lib/storage/index.js'
import { RecordingLogger, somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, LIMITS, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, ROUNDS, roundsOf } from '../support/stored-things.js'

const DAY_MS = 86_400_000

const say =
  (body: string, { conversation = 1, at = 1, limits = LIMITS } = {}) =>
  (tx: Transaction): number => {
    appendRound(tx, ROUNDS, { entry: { conversation, at, body }, limits })
    return countUp(tx)
  }

const open = (disk: Disk, limits = LIMITS) => openStore({ types: ALL, driver: disk.open(), limits })

/** What another process finds: rounds, and the count that was committed with them. */
async function found(disk: Disk, player = somePlayer()) {
  const view = valueOf(await openStore({ types: ALL, driver: disk.records }).store.read(player))
  return { rounds: roundsOf(view), count: view.get(COUNT).n }
}

void t.test('rounds are committed with the business, in order', async (t) => {
  const disk = new Disk()
  const { store } = open(disk)
  const player = somePlayer()
  await Promise.all(['a', 'b', 'c'].map((body) => store.update(player, say(body))))
  await store.update(player, say('d'))
  t.same(roundsOf(valueOf(await store.read(player))), ['a', 'b', 'c', 'd'])
  t.same(await found(disk, player), { rounds: ['a', 'b', 'c', 'd'], count: 4 })
  t.strictSame(
    disk.done.filter((what) => what.startsWith('commit')),
    ['commit chats', 'commit players', 'commit chats', 'commit players'],
    'the business record is the commit point',
  )
  await store.update(player, countUp)
  t.equal(
    disk.done.filter((what) => what === 'commit chats').length,
    2,
    'a change without a round writes none',
  )
})

void t.test('rounds whose business was not written do not count, and never will', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  await open(disk).store.update(player, say('kept'))
  disk.fate = ({ kind, collection }) => (kind === 'commit' && collection === 'players' ? 'crash' : null)
  void open(disk).store.update(player, say('lost'))
  await new Promise(setImmediate)
  disk.fate = () => null
  const { store } = open(disk)
  t.same(roundsOf(valueOf(await store.read(player))), ['kept'])
  // the next entry would get the number of the lost one, but isn't written because it is too large
  await store.update(player, say('x'.repeat(5_000), { limits: LIMITS }))
  t.same(await found(disk, player), { rounds: ['kept', 'x'.repeat(5_000)], count: 2 })
  const chats = valueOf(await disk.records.read({ collection: 'chats', id: player }, 99_999))
  t.equal(chats?.parts.size, 2)
})

void t.test('a lost round cannot take the place of one that was skipped', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  const small = { ...LIMITS, chatBytes: 1_000 }
  await open(disk, small).store.update(player, say('kept'))
  disk.fate = ({ kind, collection }) => (kind === 'commit' && collection === 'players' ? 'crash' : null)
  void open(disk, small).store.update(player, say('lost'))
  await new Promise(setImmediate)
  disk.fate = () => null
  const { store } = open(disk, small)
  t.equal(valueOf(await store.update(player, say('x'.repeat(5_000)))), 2, 'business is unaffected')
  t.same(roundsOf(valueOf(await store.read(player))), ['kept'], 'memory is what is kept')
  t.same(await found(disk, player), { rounds: ['kept'], count: 2 })
})

void t.test('a commit that failed behind the chat leaves no round', async (t) => {
  const disk = new Disk()
  const { store } = open(disk)
  const player = somePlayer()
  await store.update(player, say('a'))
  let isFailing = true
  disk.fate = ({ kind, collection }) =>
    kind === 'commit' && collection === 'players' && isFailing ? 'system:storage_failed' : null
  t.equal(codeOf(await store.update(player, say('lost'))), 'system:storage_failed')
  t.same(roundsOf(valueOf(await store.read(player))), ['a'])
  isFailing = false
  t.equal(valueOf(await store.update(player, say('b'))), 2)
  t.same(await found(disk, player), { rounds: ['a', 'b'], count: 2 })
})

void t.test('too many rounds: the oldest go', async (t) => {
  const disk = new Disk()
  const limits = { ...LIMITS, chatRounds: 3 }
  const { store } = open(disk, limits)
  const player = somePlayer()
  for (const body of 'abcde') await store.update(player, say(body, { limits }))
  t.same(await found(disk, player), { rounds: ['c', 'd', 'e'], count: 5 })
  const chats = valueOf(await disk.records.read({ collection: 'chats', id: player }, 99_999))
  t.equal(chats?.parts.size, 3, 'on disk too')
})

void t.test('too many bytes: the oldest go, business is unaffected', async (t) => {
  const disk = new Disk()
  const { store } = open(disk, { ...LIMITS, chatBytes: 2_500 })
  const player = somePlayer()
  for (const letter of 'abcd') await store.update(player, say(letter.repeat(600)))
  const rounds = ['b', 'c', 'd'].map((letter) => letter.repeat(600))
  t.same(roundsOf(valueOf(await store.read(player))), rounds)
  t.same(await found(disk, player), { rounds, count: 4 })
})

void t.test('conversations go by count and by age', async (t) => {
  const disk = new Disk()
  const limits = { ...LIMITS, conversations: 2, conversationDays: 10 }
  const { store } = open(disk, limits)
  const player = somePlayer()
  const at = (day: number) => day * DAY_MS
  await store.update(player, say('1a', { conversation: 1, at: at(0), limits }))
  await store.update(player, say('2a', { conversation: 2, at: at(1), limits }))
  await store.update(player, say('1b', { conversation: 1, at: at(2), limits }))
  t.same((await found(disk, player)).rounds, ['1a', '2a', '1b'])
  const later = open(disk, limits).store
  await later.update(player, say('3a', { conversation: 3, at: at(3), limits }))
  t.same((await found(disk, player)).rounds, ['1a', '1b', '3a'], 'the one without a word for longest')
  await open(disk, limits).store.update(player, say('3b', { conversation: 3, at: at(12.5), limits }))
  t.same((await found(disk, player)).rounds, ['3a', '3b'], 'ten days without a word')
})

void t.test('an entry that cannot be read is dropped alone and counted', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  const { store } = open(disk)
  for (const body of 'abc') await store.update(player, say(body))
  const key = { collection: 'chats', id: player } as const
  const broken = new Map([['test:rounds#000000000002', Uint8Array.of(8, 0, 1, 65)]])
  t.ok((await disk.records.commit([{ key, base: 3, put: broken, drop: [], maxBytes: 99_999 }])).ok)
  const logger = new RecordingLogger()
  const later = openStore({ types: ALL, driver: disk.open(), logger }).store
  t.same(roundsOf(valueOf(await later.read(player))), ['a', 'c'])
  t.match(logger.messages(), [/^1 entries .* can't be read and are dropped$/])
  await later.update(player, say('d'))
  t.same(await found(disk, player), { rounds: ['a', 'c', 'd'], count: 4 })
  t.notOk(valueOf(await disk.records.read(key, 99_999))?.parts.has('test:rounds#000000000002'))
})

void t.test(
  'forgetting: nothing is left, also not of types that are absent, and numbers go on',
  async (t) => {
    const disk = new Disk()
    const player = somePlayer()
    await open(disk).store.update(player, say('a'))
    const absent = openStore({ types: [COUNT], driver: disk.open() }).store
    t.equal(absent.absentTypes().size, 0)
    await absent.update(player, forgetChat)
    const key = { collection: 'chats', id: player } as const
    t.equal(valueOf(await disk.records.read(key, 99_999))?.parts.size, 0)
    const { store } = open(disk)
    t.same(roundsOf(valueOf(await store.read(player))), [])
    const [, , seen] = await Promise.all([
      store.update(player, say('b')),
      store.update(player, forgetChat),
      store.update(player, (tx) => roundsOf(tx)),
      store.update(player, say('c')),
    ])
    t.same(valueOf(seen), [], 'within one commit too')
    t.same(await found(disk, player), { rounds: ['c'], count: 3 })
    t.strictSame(
      [...(valueOf(await disk.records.read(key, 99_999))?.parts.keys() ?? [])],
      ['test:rounds#000000000003'],
    )
  },
)
