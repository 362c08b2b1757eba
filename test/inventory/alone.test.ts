/** What a revoke asks of the item lane: its turn between whole operations, and an end for those that wait. */
import t from 'tap'
import { fail, ok } from '../../lib/core/result.js'
import { INBOX, INVENTORY_LOG, ORDERS, type FaultPoint } from '../../lib/inventory/index.js'
import { claim, EMERALD, grant, Ledger, order } from './judge.js'
import { KIND, PLAYER, Process, valueOf, type Disk } from './world.js'

const has = (process: Process, item: string): number =>
  (process.player?.slots() ?? []).reduce((sum, one) => sum + (one?.item === item ? one.count : 0), 0)

/** As the store does it: all goes but what survives. */
async function revoke(process: Process, disk: Disk): Promise<void> {
  await process.store.update(PLAYER, (tx) => {
    tx.set(INBOX, [])
    tx.set(ORDERS, [])
  })
  disk.setBusiness(new Map([[INVENTORY_LOG.id, valueOf(disk.business, INVENTORY_LOG)]]))
}

const GIVES: readonly FaultPoint[] = ['give.planned', 'give.saved', 'give.applied', 'give.committed']
const TAKES: readonly FaultPoint[] = ['take.reserved', 'take.debited', 'take.saved', 'take.committed']

for (const point of [...GIVES, ...TAKES])
  for (const isKilled of [false, true])
    void t.test(
      `revoke at ${point}${isKilled ? ', killed right after it' : ''}: items are whole`,
      async (t) => {
        const ledger = new Ledger(100, 0)
        const disk = ledger.disk()
        let revoking: Promise<unknown> = Promise.resolve()
        let seen: unknown = null
        const process = new Process(disk, {
          ...KIND,
          step(now, at) {
            if (at !== point || seen !== null) return
            seen = 'asked'
            now.lane.cancelWaiting(PLAYER)
            revoking = now.lane.alone(PLAYER, async () => {
              seen = [
                now.player?.marks().ops.length,
                valueOf(disk.business, ORDERS).map(({ state }) => state),
              ]
              await revoke(now, disk)
              if (isKilled) now.kill()
              return ok(undefined)
            })
          },
        })
        await process.login()
        const isGive = GIVES.includes(point)
        if (isGive) await grant(process, ledger, { id: 'g', size: 5 })
        else await order(process, ledger, { id: 'o', price: 30, size: 5 })
        await Promise.race([revoking, process.ended])
        t.strictSame(seen, [0, isGive ? [] : ['COMPLETED']], 'behind the whole operation')
        t.strictSame([valueOf(disk.business, INBOX), valueOf(disk.business, ORDERS)], [[], []])
        if (!isKilled) {
          await claim(process, ledger, isGive ? 'g' : 'o-e')
          await process.logout()
        }
        const later = new Process(disk, KIND)
        t.match(await later.login(), { ok: true, value: [] })
        t.equal(later.flagged, 0, 'nothing looks like a lost file')
        t.equal(has(later, 'minecraft:diamond'), isGive ? 5 : 0, 'what was delivered stays, once')
        t.equal(has(later, EMERALD), isGive ? 100 : 70, 'what was paid is not given back')
      },
    )

void t.test('operations that wait end, the one under way and later ones do not', async (t) => {
  const ledger = new Ledger(100, 0)
  const disk = ledger.disk()
  const process = new Process(disk, KIND)
  await process.login()
  await grant(process, ledger, { id: 'first', size: 1 })
  const many = Array.from({ length: 16 }, () => process.lane.settle(PLAYER))
  await Promise.resolve()
  process.lane.cancelWaiting(PLAYER)
  const alone = process.lane.alone(PLAYER, async () => ok('alone'))
  const [first, ...rest] = await Promise.all(many)
  t.ok(first !== undefined)
  t.ok(
    rest.every((one) => !one.ok && one.failure.code === 'system:revoked'),
    'those that wait',
  )
  t.strictSame(await alone, { ok: true, value: 'alone' }, 'also where the line is full')
  t.ok((await process.lane.settle(PLAYER)).ok)
  process.lane.cancelWaiting(PLAYER)
  t.ok((await process.lane.settle(PLAYER)).ok, 'where nothing waited')
})

void t.test('its turn fails as its work does, without a world it has no line to wait in', async (t) => {
  const ledger = new Ledger(100, 0)
  const process = new Process(ledger.disk(), KIND)
  await process.login()
  const failing = async () => fail('system:storage_failed')
  t.match(await process.lane.alone(PLAYER, failing), { failure: { code: 'system:storage_failed' } })
  t.ok((await process.lane.settle(PLAYER)).ok)
  const without = new Process(ledger.disk(), KIND, 'off')
  t.match(await without.lane.alone(PLAYER, failing), { failure: { code: 'system:storage_failed' } })
})
