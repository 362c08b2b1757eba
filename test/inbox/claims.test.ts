/** What a press on an inbox takes: by entry, all at once, twice, without room, in every mode, and with a process that dies. */
import t from 'tap'
import type { ToolCall } from '../../lib/agent/index.js'
import { Display, type Market } from '../../lib/commerce/index.js'
import { FailureError } from '../../lib/core/failure.js'
import { claimTool, type Claimed } from '../../lib/inbox/claims.js'
import {
  addEntry,
  INBOX,
  ORDERS,
  type InboxEntry,
  type ItemMode,
  type NewEntry,
} from '../../lib/inventory/index.js'
import { credit, RESOURCES, RewardTypes } from '../../lib/rewards/index.js'
import { orThrow } from '../../lib/core/result.js'
import { MAX_STACK, type MarketWorld } from '../commerce/market-world.js'
import { ALICE, COIN, has, marketOf, open, put } from '../commerce/shop-world.js'
import { comeToRest, Ledger } from '../inventory/judge.js'
import { KIND, PLAYER, Process, valueOf, type Disk, type Fate } from '../inventory/world.js'

const BREAD = 'minecraft:bread'
const GEM = 'minecraft:gem'
const FULL = Number.MAX_SAFE_INTEGER

const coins = (amount: number) => ({
  type: 'system:resource',
  value: { type: 'system:resource', resource: COIN, amount },
})

const entry = (
  id: string,
  lines: readonly (readonly [string, number])[],
  more: Partial<NewEntry> = {},
): NewEntry => ({
  id,
  source: 'system:signin',
  lines: lines.map(([item, count]) => ({ item, count, data: '' })),
  xp: 0,
  ...more,
})

/** What the tool gives, or the code of what it throws. */
async function press(
  market: Market,
  id: string | null,
  signal = new AbortController().signal,
): Promise<Claimed | string> {
  try {
    return await claimTool(market).handler({ entry: id }, { player: ALICE, signal } as ToolCall)
  } catch (thrown) {
    if (thrown instanceof FailureError) return thrown.failure.code
    throw thrown
  }
}

async function withEntries(
  entries: readonly NewEntry[],
  filled = 0,
): Promise<{ world: MarketWorld; market: Market }> {
  const world = await open({})
  for (let slot = 9; slot < 9 + filled; slot++) put(world, slot, 'minecraft:dirt', MAX_STACK)
  orThrow(
    await world.store.update(ALICE, (tx) => {
      for (const one of entries) orThrow(addEntry(tx, one))
    }),
  )
  return { world, market: marketOf(world) }
}

const inbox = (world: MarketWorld): readonly InboxEntry[] =>
  world.store
    .online(ALICE)
    ?.get(INBOX)
    .filter(({ state }) => state === 'AVAILABLE') ?? []
const balance = (world: MarketWorld): number => world.store.online(ALICE)?.get(RESOURCES)[0]?.amount ?? 0
/** Things as words. */
const words = (things: Claimed['things']): string =>
  things
    .map((thing) =>
      thing.kind === 'item'
        ? `${thing.count} ${thing.item.replace('minecraft:', '')}`
        : thing.kind === 'resource'
          ? `${thing.amount} coins`
          : thing.kind === 'xp'
            ? `${thing.points} xp`
            : thing.kind,
    )
    .join(', ')
const told = (claimed: Claimed | string): readonly (string | null)[] =>
  typeof claimed === 'string' ? [claimed] : [words(claimed.things), words(claimed.left), claimed.failure]

void t.test('B25: an entry is had once, however often it is pressed, and after a login', async (t) => {
  const { world, market } = await withEntries([
    entry('a', [[BREAD, 6]], { xp: 5, booked: [coins(7)] }),
    entry('b', [[GEM, 2]]),
  ])
  const all = await Promise.all(Array.from({ length: 10 }, () => press(market, 'a')))
  t.strictSame(all.filter((one) => typeof one !== 'string').map(told), [
    ['6 bread, 5 xp, 7 coins', '', null],
    ...Array.from({ length: 9 }, () => ['', '', 'system:unknown_entry']),
  ])
  t.strictSame(told(await press(market, 'a')), ['system:unknown_entry'])
  await world.logout(ALICE)
  await world.login(ALICE)
  t.strictSame(told(await press(market, 'a')), ['system:unknown_entry'])
  t.strictSame(told(await press(market, 'nothing')), ['system:unknown_entry'])
  t.strictSame([has(world, BREAD), world.inventory(ALICE).xp(), balance(world)], [6, 5, 7])
  t.strictSame(
    inbox(world).map(({ id }) => id),
    ['b'],
  )
})

void t.test('all: two presses at once give each entry once', async (t) => {
  const { world, market } = await withEntries(
    Array.from({ length: 5 }, (_, at) => entry(`e${at}`, [[BREAD, 1]])),
  )
  const done = await Promise.all([press(market, null), press(market, null)])
  t.equal(has(world, BREAD), 5)
  t.strictSame(inbox(world), [])
  const counts = done.map((one) =>
    typeof one === 'string' ? 0 : ((one.things[0] as { count?: number })?.count ?? 0),
  )
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    5,
    'each is told what it gave',
  )
})

void t.test('all: equal things are one line, and 64 entries are taken by a press', async (t) => {
  const { world, market } = await withEntries(
    Array.from({ length: 70 }, (_, at) => entry(`e${at}`, [[BREAD, 1]])),
  )
  t.strictSame(told(await press(market, null)), ['64 bread', '', null])
  t.equal(inbox(world).length, 6)
  t.strictSame(told(await press(market, null)), ['6 bread', '', null])
})

void t.test('all: it ends where there is no more room, and says what is left', async (t) => {
  const { world, market } = await withEntries(
    [
      entry('a', [[BREAD, 60]]),
      // the same item in two lines
      entry('b', [
        [BREAD, 10],
        [BREAD, 50],
      ]),
      entry('c', [[BREAD, 1]]),
    ],
    35,
  )
  t.strictSame(told(await press(market, null)), ['64 bread', '56 bread', null])
  t.strictSame(
    inbox(world).map(({ id, lines }) => [id, lines[0]?.count]),
    [
      ['c', 1],
      ['b.1', 56],
    ],
  )
  t.strictSame(told(await press(market, null)), ['', '', 'system:inventory_full'])
  t.strictSame(told(await press(market, 'b.1')), ['', '', 'system:inventory_full'])
  world.inventory(ALICE).change([{ slot: 9, stack: null }])
  t.strictSame(told(await press(market, 'b.1')), ['56 bread', '', null])
  t.strictSame(told(await press(market, null)), ['1 bread', '', null])
  t.equal(has(world, BREAD), 121)
  t.strictSame(inbox(world), [])
})

void t.test('B29: a balance that is full keeps its entry back, and no other', async (t) => {
  const { world, market } = await withEntries([
    entry('a', [], { booked: [coins(2)] }),
    entry('b', [[BREAD, 3]], { booked: [coins(2)] }),
    entry('c', [[GEM, 1]]),
  ])
  orThrow(await world.store.update(ALICE, (tx) => credit(tx, COIN, FULL)))
  t.strictSame(told(await press(market, null)), ['3 bread, 1 gem', '', 'system:resource_full'])
  t.equal(balance(world), FULL)
  t.strictSame(
    inbox(world).map(({ id, lines, booked }) => [id, lines.length, booked.length]),
    [
      ['a', 0, 1],
      ['b-owed', 0, 1],
    ],
  )
  orThrow(await world.store.update(ALICE, (tx) => tx.set(RESOURCES, [])))
  t.strictSame(told(await press(market, null)), ['2 coins, 2 coins', '', null])
  t.equal(balance(world), 4)
})

void t.test('nothing more is begun for who has gone', async (t) => {
  const { world, market } = await withEntries([entry('a', [[BREAD, 1]]), entry('b', [[BREAD, 1]])])
  const request = new AbortController()
  const pressed = press(market, null, request.signal)
  request.abort()
  t.strictSame(told(await pressed), ['1 bread', '', null])
  t.strictSame(
    inbox(world).map(({ id }) => id),
    ['b'],
  )
})

/** A process that may die, with its own entries. */
function processMarket(process: Process): Market {
  const display = new Display({ rewards: new RewardTypes(), nameOf: (item) => item, hasText: () => false })
  const kept = () => ({
    get: <T>(type: Parameters<typeof valueOf<T>>[1]) => valueOf(process.committed, type),
  })
  return { display, lane: () => process.lane, kept } as unknown as Market
}

const pressIn = (process: Process, id: string | null): Promise<Claimed | string> => {
  const call = { player: PLAYER, signal: new AbortController().signal } as ToolCall
  return Promise.resolve(claimTool(processMarket(process)).handler({ entry: id }, call)).catch(
    (thrown: unknown) =>
      thrown instanceof FailureError ? thrown.failure.code : Promise.reject(thrown as Error),
  )
}

async function started(mode: ItemMode, fate: Fate = KIND): Promise<{ process: Process; disk: Disk }> {
  const disk = new Ledger(0, 0).disk()
  const process = new Process(disk, KIND, mode)
  if (mode !== 'off') await process.login()
  await process.store.update(PLAYER, (tx) => {
    for (const id of ['a', 'b', 'c']) orThrow(addEntry(tx, entry(id, [['minecraft:egg', 10]])))
  })
  process.fate = fate
  return { process, disk }
}

/** Eggs in the player's file, and eggs that wait. */
const eggs = (disk: Disk): readonly [number, number] => [
  (disk.file?.slots ?? []).reduce(
    (sum, stack) => sum + (stack?.item === 'minecraft:egg' ? stack.count : 0),
    0,
  ),
  valueOf(disk.business, INBOX)
    .filter(({ state }) => state === 'AVAILABLE')
    .reduce((sum, { lines }) => sum + (lines[0]?.count ?? 0), 0),
]

void t.test('a server that dies at any step of "all" neither loses nor doubles', async (t) => {
  const calm = await started('exactly-once')
  const first = calm.process.steps
  t.strictSame(told(await pressIn(calm.process, null)), ['30 egg', '', null])
  const steps = calm.process.steps - first
  t.ok(steps > 20, `${steps} steps`)
  const outcomes = new Set<number>()
  for (let at = 1; at <= steps; at++) {
    const { process, disk } = await started('exactly-once')
    const from = process.steps
    process.fate = { ...KIND, step: (dying) => void (dying.steps - from === at && dying.kill()) }
    await process.run(pressIn(process, null))
    await comeToRest(disk)
    const [had, waits] = eggs(disk)
    outcomes.add(had)
    t.equal(had + waits, 30, `step ${at}: ${had} had, ${waits} wait`)
  }
  t.strictSame(
    [...outcomes].toSorted((a, b) => a - b),
    [0, 10, 20, 30],
  )
})

void t.test('a disk that fails: told, nothing lost, and it works again', async (t) => {
  const { process, disk } = await started('exactly-once', { ...KIND, save: () => 'failed' })
  t.strictSame(told(await pressIn(process, null)), ['', '', 'system:storage_failed'])
  t.strictSame(eggs(disk), [0, 30])
  process.fate = { ...KIND, commit: () => 'failed' }
  t.strictSame(
    told(await pressIn(process, 'a')),
    ['', '', 'system:storage_unknown'],
    'had, and the store not told',
  )
  process.fate = KIND
  t.strictSame(told(await pressIn(process, 'a')), ['', '', 'system:unknown_entry'], 'it was')
  t.strictSame(told(await pressIn(process, null)), ['20 egg', '', null])
  t.strictSame(eggs(disk), [30, 0])
})

void t.test('without a world nothing is given; at most once it is given, not verified', async (t) => {
  const off = await started('off')
  t.strictSame(told(await pressIn(off.process, null)), ['', '', 'system:no_world'])
  t.strictSame(eggs(off.disk), [0, 30])
  const once = await started('at-most-once')
  t.strictSame(told(await pressIn(once.process, null)), ['30 egg', '', null])
  const states = (): unknown =>
    valueOf(once.disk.business, INBOX).map(({ state, isVerified, reissueOf }) => [
      state,
      isVerified,
      reissueOf.join(),
    ])
  t.strictSame(
    states(),
    Array.from({ length: 3 }, () => ['DONE', false, '']),
  )
  const { lane } = once.process
  t.match(await lane.reissue(PLAYER, 'b'), { ok: true })
  t.match(await lane.reissue(PLAYER, 'b'), { failure: { code: 'system:unknown_entry' } }, 'once')
  t.strictSame(states(), [
    ['DONE', false, ''],
    ['DONE', true, ''],
    ['DONE', false, ''],
    ['AVAILABLE', true, 'b'],
  ])
  t.strictSame(told(await pressIn(once.process, null)), ['10 egg', '', null])
  t.strictSame(valueOf(once.disk.business, ORDERS), [])
})

void t.test('who has left takes nothing', async (t) => {
  const { process, disk } = await started('exactly-once')
  await process.logout()
  t.strictSame(told(await pressIn(process, null)), ['', '', 'system:disconnected'])
  t.strictSame(eggs(disk), [0, 30])
})
