import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import {
  INBOX,
  itemCountLine,
  ItemTest,
  itemTestLine,
  ORDERS,
  type ItemMode,
} from '../../lib/inventory/index.js'
import { claim, comeToRest, EMERALD, grant, judge, Ledger, order } from './judge.js'
import { KIND, PLAYER, Process, valueOf, type Disk, type Fate } from './world.js'

const diamond = identifier('minecraft:diamond')

async function started(
  fate: Fate = KIND,
  mode: ItemMode = 'exactly-once',
  filled = 0,
): Promise<{ process: Process; ledger: Ledger; disk: Disk; test: ItemTest }> {
  const ledger = new Ledger(100, 10)
  const disk = ledger.disk(filled)
  const process = new Process(disk, KIND, mode)
  if (mode !== 'off') await process.login()
  process.fate = fate
  const inventories = { find: () => process.player, maxStack: () => 64 }
  const test = new ItemTest({ lane: process.lane, store: process.store, inventories, ids: disk.ids })
  return { process, ledger, disk, test }
}

void t.test('the item test gives by way of the inbox, takes all or nothing, and counts', async (t) => {
  const { process, test } = await started(KIND, 'exactly-once', 33)
  t.match(
    itemTestLine(await test.give({ player: PLAYER, item: diamond, count: 100 })),
    /^item-test \w+ done moved=64 rest=36$/,
  )
  t.strictSame(
    itemCountLine(unwrap(await test.count(PLAYER, diamond))),
    'item-test count inventory=64 inbox=36',
  )
  t.match(
    itemTestLine(await test.give({ player: PLAYER, item: diamond, count: 5 })),
    /^item-test \w+ failed system:inventory_full moved=0 rest=5$/,
  )
  t.match(
    itemTestLine(await test.take({ player: PLAYER, item: diamond, count: 65 })),
    /^item-test \w+ failed system:cost_missing moved=0 rest=65$/,
  )
  t.match(
    itemTestLine(await test.take({ player: PLAYER, item: diamond, count: 64 })),
    /^item-test \w+ done moved=64 rest=0$/,
  )
  t.equal(process.lane.status(), 'exactly-once completed=2 failed=1 voided=0 flagged=0')
  await process.logout()
  t.strictSame(
    itemCountLine(unwrap(await test.count(PLAYER, diamond))),
    'item-test count inventory=offline inbox=41',
  )
  t.match(await test.take({ player: PLAYER, item: diamond, count: 1 }), { code: 'system:disconnected' })
})

function unwrap<T>(result: { ok: true; value: T } | { ok: false }): T {
  if (!result.ok) throw new Error('failed')
  return result.value
}

void t.test('without a world nothing is given, nothing reaches the inbox', async (t) => {
  const { process, test, disk } = await started(KIND, 'off')
  t.match(await test.give({ player: PLAYER, item: diamond, count: 1 }), { code: 'system:no_world' })
  t.match(await test.take({ player: PLAYER, item: diamond, count: 1 }), { code: 'system:no_world' })
  t.equal(disk.business.size, 0)
  t.equal(process.lane.status(), 'off completed=0 failed=0 voided=0 flagged=0')
})

void t.test(
  'operations of one player run one at a time, an entry is claimed once, too many are busy',
  async (t) => {
    const { process, ledger, disk } = await started()
    await process.store.update(PLAYER, (tx) => {
      tx.set(INBOX, [])
    })
    await grant(process, ledger, { id: 'g', size: 3 })
    const claims = await Promise.all(Array.from({ length: 20 }, () => process.lane.give(PLAYER, 'g')))
    t.equal(claims.filter(({ ok }) => ok).length, 0, 'it was done before')
    t.equal(claims.filter((one) => !one.ok && one.failure.code === 'system:busy').length, 4)
    t.match(await process.lane.take(PLAYER, 'none'), { failure: { code: 'system:unknown_entry' } })
    await process.logout()
    t.strictSame(judge(disk, ledger, { kind: 'plain', flagged: await comeToRest(disk) }), [])
  },
)

void t.test('a finished order answers the same again, and takes nothing more', async (t) => {
  const { process, ledger, disk } = await started()
  await order(process, ledger, { id: 'o', price: 30, size: 1 })
  t.match(await process.lane.take(PLAYER, 'o'), { ok: true, value: { moved: 30 } })
  await order(process, ledger, { id: 'p', price: 300, size: 1 })
  t.match(await process.lane.take(PLAYER, 'p'), { failure: { code: 'system:cost_missing' } })
  await process.logout()
  t.strictSame(judge(disk, ledger, { kind: 'plain', flagged: await comeToRest(disk) }), [])
})

void t.test('a save in doubt locks an order until the next save decides it', async (t) => {
  const { process, ledger, disk } = await started({ ...KIND, save: () => 'doubt-new' })
  await order(process, ledger, { id: 'o', price: 30, size: 1 })
  const state = (): string | undefined => valueOf(process.committed, ORDERS)[0]?.state
  t.equal(state(), 'PAYMENT_UNKNOWN')
  t.match(
    await process.lane.give(PLAYER, 'g'),
    { failure: { code: 'system:storage_unknown' } },
    'nothing begins',
  )
  process.fate = KIND
  t.ok((await process.lane.settle(PLAYER)).ok)
  t.equal(state(), 'COMPLETED')
  await process.logout()
  t.strictSame(judge(disk, ledger, { kind: 'plain', flagged: await comeToRest(disk) }), [])
})

void t.test('nothing begins after a give in doubt until a save has succeeded', async (t) => {
  const { process, ledger, disk } = await started({ ...KIND, save: () => 'doubt-new' })
  await grant(process, ledger, { id: 'g', size: 3 })
  t.notOk(ledger.done.has('g'))
  process.fate = { ...KIND, save: () => 'failed' }
  t.match(await process.lane.give(PLAYER, 'g'), { failure: { code: 'system:storage_unknown' } })
  process.fate = KIND
  await claim(process, ledger, 'g')
  t.ok(ledger.done.has('g'))
  await process.logout()
  t.strictSame(judge(disk, ledger, { kind: 'plain', flagged: await comeToRest(disk) }), [])
})

void t.test(
  'a cost outside that hangs is in doubt after ten seconds, and an admin has the last word',
  async (t) => {
    const { process, ledger } = await started({ ...KIND, external: () => 'unknown' })
    await order(process, ledger, { id: 'o', price: 30, size: 1, external: true })
    await order(process, ledger, { id: 'p', price: 30, size: 1, external: true })
    t.match(await process.lane.take(PLAYER, 'o'), { failure: { code: 'system:payment_unknown' } })
    t.ok((await process.lane.resolve(PLAYER, 'o', 'complete')).ok)
    t.ok((await process.lane.resolve(PLAYER, 'p', 'refund')).ok)
    t.match(await process.lane.resolve(PLAYER, 'p', 'complete'), {
      failure: { code: 'system:unknown_entry' },
    })
    t.match(valueOf(process.committed, ORDERS), [{ state: 'COMPLETED' }, { state: 'FAILED' }])
    t.match(valueOf(process.committed, INBOX).at(-1), {
      id: 'p-refund',
      lines: [{ item: EMERALD, count: 30 }],
    })

    let asked = 0
    const second = await started({ ...KIND, external: () => (asked++ === 0 ? 'hang' : 'answer') })
    const paying = order(second.process, second.ledger, { id: 'o', price: 30, size: 1, external: true })
    while (second.process.clock.pending === 0) await Promise.resolve()
    t.equal(valueOf(second.process.committed, ORDERS)[0]?.state, 'RESERVED')
    second.process.clock.advance(10_000)
    await paying
    t.equal(
      valueOf(second.process.committed, ORDERS)[0]?.state,
      'COMPLETED',
      'the status says that it was charged',
    )
    t.equal(second.process.clock.pending, 0)
  },
)

void t.test('a stop waits for the operation under way, but not for ever, and refuses new ones', async (t) => {
  const { process, ledger } = await started()
  const giving = grant(process, ledger, { id: 'g', size: 3 })
  while (process.player?.held === null) await Promise.resolve()
  await process.lane.close()
  t.equal(process.clock.pending, 0)
  await giving
  t.ok(ledger.done.has('g'))
  t.match(await process.lane.give(PLAYER, 'g'), { failure: { code: 'system:stopping' } })

  const stuck = await started({
    ...KIND,
    step: (process, point) => {
      if (point === 'save.begin') process.isAlive = false
    },
  })
  void grant(stuck.process, stuck.ledger, { id: 'g', size: 3 })
  while (stuck.process.isAlive) await Promise.resolve()
  const closing = stuck.process.lane.close()
  stuck.process.clock.advance(2_000)
  await closing
  t.equal(stuck.process.clock.pending, 0)
})

void t.test('where the host saves players, a crash at any step never doubles a delivery', async (t) => {
  let steps = Infinity
  for (let endAt = 1; endAt <= steps + 1; endAt++) {
    const { process, ledger, disk } = await started(KIND, 'at-most-once', 20)
    const first = process.steps
    process.fate = {
      ...KIND,
      step: (process) => {
        if (process.steps - first === endAt) process.kill()
      },
    }
    await grant(process, ledger, { id: 'g', size: 1200 })
    if (process.steps - first < endAt) {
      steps = process.steps - first
      process.fate = KIND
      process.player?.change([{ slot: 40, stack: null }])
      await claim(process, ledger, 'g')
      await order(process, ledger, { id: 'o', price: 30, size: 1 })
      t.match(valueOf(process.committed, ORDERS), [{ state: 'COMPLETED' }])
      t.match(valueOf(process.committed, INBOX), [
        { id: 'g', state: 'DONE', isVerified: false },
        { id: 'g.1' },
        { id: 'o-e' },
      ])
    }
    const has = (disk.file?.slots ?? []).reduce((sum, one) => sum + (one?.data === 'g' ? one.count : 0), 0)
    const open = valueOf(disk.business, INBOX).filter(
      ({ state, order }) => state === 'AVAILABLE' && order === null,
    )
    const waits = open.flatMap(({ lines }) => lines).reduce((sum, { count }) => sum + count, 0)
    t.ok(has + waits <= 1200, `${endAt}: ${has} + ${waits}`)
  }
  t.ok(steps > 5)
})

void t.test('a record of a full inbox refuses more, nothing is written', async (t) => {
  const { process, test } = await started()
  const entries = Array.from({ length: 4096 }, (_, n) => ({
    id: `x${n}`,
    lines: [{ item: EMERALD, count: 1, data: '' }],
    xp: 0,
    source: 'test:x',
    state: 'AVAILABLE' as const,
    order: null,
    reissueOf: [],
    isVerified: true,
    booked: [],
  }))
  await process.store.update(PLAYER, (tx) => tx.set(INBOX, entries))
  t.match(await test.give({ player: PLAYER, item: diamond, count: 1 }), { code: 'system:inbox_full' })
  t.equal(valueOf(process.committed, INBOX).length, 4096)
  t.ok((await process.lane.give(PLAYER, 'x7')).ok)
})
