/** Inbox and orders as their first version kept them: read by this one, with nothing lost. */
import t from 'tap'
import { playerId } from '../../lib/core/ids.js'
import { INBOX, ORDERS, type ItemStorageType } from '../../lib/inventory/index.js'
import { MemoryDriver } from '../../lib/storage/index.js'
import { openStore, valueOf } from '../support/player-store.js'

const ALICE = playerId('00000000-0000-4000-8000-000000000001')
const lines = [{ item: 'minecraft:bread', count: 3, data: '' }]
const ENTRY = {
  id: 'e',
  lines,
  xp: 7,
  source: 'system:item_test',
  state: 'AVAILABLE',
  order: null,
  reissueOf: ['r'],
  isVerified: false,
}
const ORDER = {
  id: 'o',
  source: 'test:shop',
  state: 'PAYMENT_UNKNOWN',
  costs: { lines, xp: 1 },
  gives: { lines: [], xp: 2 },
  entry: 'e',
  taken: null,
  external: 'unknown',
  isIrreversible: true,
  failure: null,
}

/** The type as its first version was. */
function first<T>(type: ItemStorageType<T>): ItemStorageType<unknown> {
  const { id, empty, migrations } = type
  const schema = migrations?.[0]?.schema
  if (schema === undefined) throw new Error('no migration')
  return { id, version: 1, schema, empty }
}

void t.test('what the first version kept is read with what has come since', async (t) => {
  const driver = new MemoryDriver()
  const [inbox, orders] = [first(INBOX), first(ORDERS)]
  const older = openStore({ driver, types: [inbox, orders] }).store
  valueOf(
    await older.update(ALICE, (tx) => {
      tx.set(inbox, [ENTRY])
      tx.set(orders, [ORDER])
    }),
  )
  await older.close()
  const { store } = openStore({ driver, types: [INBOX, ORDERS] })
  const kept = valueOf(await store.read(ALICE))
  t.strictSame(kept.get(INBOX), [{ ...ENTRY, booked: [] }])
  t.strictSame(kept.get(ORDERS), [{ ...ORDER, reserved: [], booked: [], externalType: null, sale: null }])
  valueOf(await store.update(ALICE, (tx) => tx.set(INBOX, [...tx.get(INBOX)])))
  t.equal(valueOf(await store.read(ALICE)).get(INBOX).length, 1, 'and written again')
})
