/** A login that could not decide: nothing of the player begins before somebody has decided. */
import t from 'tap'
import { INBOX, ORDERS } from '../../lib/inventory/index.js'
import { comeToRest, judge, Ledger, order } from './judge.js'
import { KIND, PLAYER, Process, valueOf, type Disk, type Fate } from './world.js'

const FAILING: Fate = { ...KIND, commit: () => 'failed' }
const UNDECIDED = { ok: false, failure: { code: 'system:storage_unknown' } }

/** An order was paid and its goods wait; then the player's file of before is put back. */
async function restored(): Promise<{ disk: Disk; ledger: Ledger }> {
  const ledger = new Ledger(100, 10)
  const disk = ledger.disk()
  const process = new Process(disk, KIND)
  await process.login()
  await order(process, ledger, { id: 'o', price: 30, size: 5 })
  await process.logout()
  disk.file = disk.files[0] ?? null
  return { disk, ledger }
}

const states = (disk: Disk): readonly string[] =>
  [...valueOf(disk.business, ORDERS), ...valueOf(disk.business, INBOX)].map(({ state }) => state)
const goods = ({ player }: Process): number =>
  (player?.slots() ?? []).reduce((sum, one) => sum + (one?.data === 'o' ? one.count : 0), 0)

void t.test('price and goods never meet: nothing is given before the store is asked again', async (t) => {
  const { disk, ledger } = await restored()
  const process = new Process(disk, FAILING)
  t.match(await process.login(), { failure: { code: 'system:storage_failed' } })
  t.match(await process.lane.give(PLAYER, 'o-e'), UNDECIDED)
  t.match(await process.lane.take(PLAYER, 'o'), UNDECIDED)
  t.match(await process.lane.settle(PLAYER), UNDECIDED)
  t.match(await process.lane.decide(PLAYER), UNDECIDED)
  t.strictSame(states(disk), ['COMPLETED', 'AVAILABLE'])
  process.fate = KIND
  t.match(await process.lane.give(PLAYER, 'o-e'), { failure: { code: 'system:unknown_entry' } })
  t.strictSame([states(disk), goods(process)], [['VOIDED', 'WITHDRAWN'], 0])
  t.match(await process.lane.decide(PLAYER), { value: null }, 'once is enough')
  await process.logout()
  const flagged = await comeToRest(disk)
  t.strictSame(judge(disk, ledger, { kind: 'old-file', flagged }), [])
})

void t.test('what is decided late is the same as at login, and the session has its marks', async (t) => {
  const ledger = new Ledger(100, 10)
  const disk = ledger.disk()
  // ends when the file has the price and the store doesn't know
  const first = new Process(disk, {
    ...KIND,
    step: (process, point) => {
      if (point === 'take.saved') process.kill()
    },
  })
  await first.login()
  await order(first, ledger, { id: 'o', price: 30, size: 5 })
  const process = new Process(disk, FAILING)
  await process.login()
  t.equal(process.player?.marks().ops.length, 1)
  process.fate = KIND
  t.match(await process.lane.decide(PLAYER), { value: { counts: { completed: 1 } } })
  t.strictSame([process.player?.marks().ops, process.player?.marks().recent.map(({ id }) => id)], [[], ['o']])
  t.ok((await process.lane.give(PLAYER, 'o-e')).ok)
  await process.logout()
  t.strictSame(judge(disk, ledger, { kind: 'plain', flagged: await comeToRest(disk) }), [])
})

void t.test('a login that has to wait too long, and a player who has left, stay undecided', async (t) => {
  const { disk } = await restored()
  const process = new Process(disk, FAILING)
  const asked = Array.from({ length: 16 }, () => process.lane.settle(PLAYER))
  t.match(await process.login(), { failure: { code: 'system:busy' } })
  await Promise.all(asked)
  await process.logout()
  process.fate = KIND
  t.match(await process.lane.give(PLAYER, 'o-e'), UNDECIDED)
  t.strictSame(states(disk), ['COMPLETED', 'AVAILABLE'])
  t.ok((await process.login()).ok)
  t.strictSame(states(disk), ['VOIDED', 'WITHDRAWN'])
})

void t.test('a login reads a record again that was unreadable before', async (t) => {
  const { disk } = await restored()
  const process = new Process(disk, KIND)
  process.isUnreadable = true
  t.match(await process.login(), { failure: { code: 'system:storage_unreadable' } })
  await process.logout()
  process.isUnreadable = false
  t.ok((await process.login()).ok)
  t.strictSame(states(disk), ['VOIDED', 'WITHDRAWN'])
})

void t.test(
  'a commit that ended unknown and cannot be read: price and goods wait, nothing begins',
  async (t) => {
    for (const end of ['doubt-new', 'doubt-lost', 'doubt-old'] as const)
      for (const next of ['settle', 'login', 'crash'] as const) {
        const ledger = new Ledger(100, 10)
        const disk = ledger.disk()
        let commits = 0
        const fate: Fate = { ...KIND, commit: () => (commits++ === 0 ? 'durable' : end), reread: () => false }
        let process = new Process(disk, fate)
        await process.login()
        await order(process, ledger, { id: 'o', price: 30, size: 5 })
        const moment = `${end}, ${next}`
        t.equal(emeralds(process), 70, moment)
        t.equal(process.player?.marks().ops.length, 1, 'the file knows what is open')
        t.match(await process.lane.take(PLAYER, 'o'), UNDECIDED, moment)
        t.match(await process.lane.give(PLAYER, 'o-e'), UNDECIDED, moment)
        t.notOk((await process.lane.book(PLAYER)).ok, 'no state of before is shown')
        t.strictSame([emeralds(process), goods(process)], [70, 0], 'nothing is taken or given twice')
        if (next === 'crash') {
          process.kill()
          process = new Process(disk, KIND)
        } else process.fate = KIND
        if (next === 'settle') t.ok((await process.lane.settle(PLAYER)).ok)
        else {
          await process.logout()
          t.ok((await process.login()).ok)
        }
        t.strictSame(states(disk), ['COMPLETED', 'AVAILABLE'], moment)
        await process.logout()
        t.strictSame(judge(disk, ledger, { kind: 'plain', flagged: await comeToRest(disk) }), [], moment)
      }
  },
)

async function once(): Promise<{ process: Process; ledger: Ledger }> {
  const ledger = new Ledger(100, 10)
  const process = new Process(ledger.disk(), KIND, 'at-most-once')
  await process.login()
  return { process, ledger }
}
/** The order is reserved, and from then on no commit succeeds. */
function reservedOnly(): Fate {
  let commits = 0
  return { ...KIND, commit: () => (commits++ === 0 ? 'durable' : 'failed') }
}
const emeralds = ({ player }: Process): number =>
  (player?.slots() ?? []).reduce((sum, one) => sum + (one?.item === 'minecraft:emerald' ? one.count : 0), 0)

void t.test(
  'where the host saves players, a price is taken once however often it is asked for',
  async (t) => {
    const { process, ledger } = await once()
    process.fate = reservedOnly()
    await order(process, ledger, { id: 'o', price: 30, size: 5 })
    t.equal(emeralds(process), 70)
    t.match(await process.lane.take(PLAYER, 'o'), UNDECIDED)
    t.match(await process.lane.give(PLAYER, 'g'), UNDECIDED, 'nothing new begins')
    process.fate = KIND
    t.match(await process.lane.take(PLAYER, 'o'), { ok: true, value: { moved: 30 } })
    t.match(await process.lane.take(PLAYER, 'o'), { ok: true, value: { moved: 30 } })
    t.equal(emeralds(process), 70)
    t.strictSame(states(process.disk), ['COMPLETED', 'AVAILABLE'])
  },
)

void t.test('where the host saves players, a login or a save finishes what was taken', async (t) => {
  for (const finish of ['login', 'settle'] as const) {
    const { process, ledger } = await once()
    process.fate = reservedOnly()
    await order(process, ledger, { id: 'o', price: 30, size: 5 })
    process.fate = KIND
    if (finish === 'login') {
      await process.logout()
      t.ok((await process.login()).ok)
    } else t.ok((await process.lane.settle(PLAYER)).ok)
    t.strictSame([states(process.disk), emeralds(process)], [['COMPLETED', 'AVAILABLE'], 70])
  }
})

void t.test('where the host saves players, a login ends what a crash left reserved', async (t) => {
  const { process, ledger } = await once()
  process.fate = {
    ...KIND,
    step: (process, point) => {
      if (point === 'take.debited') process.kill()
    },
  }
  await order(process, ledger, { id: 'o', price: 30, size: 5 })
  t.strictSame(states(process.disk), ['RESERVED', 'LOCKED'])
  const next = new Process(process.disk, KIND, 'at-most-once')
  t.ok((await next.login()).ok)
  t.strictSame(states(process.disk), ['FAILED', 'WITHDRAWN'])
})
