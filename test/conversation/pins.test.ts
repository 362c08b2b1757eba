import t from 'tap'
import type { CardData } from '../../lib/cards/index.js'
import { pin, PINS, pinsOf, unpin, type PinnedAsk } from '../../lib/conversation/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { StorageTable } from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'

const card = (data: unknown): CardData => ({ type: identifier('gone:card'), data })

function setup() {
  const disk = new Disk()
  const player = somePlayer()
  const { store } = openStore({ types: [PINS], driver: disk.open() })
  const add = (id: string, data: unknown, at = 1) =>
    store.update(player, (tx) => pin(tx, { id, card: card(data), version: 2, at, ask: null }))
  return { disk, player, store, add }
}

void t.test('pins come back as they were, oldest first, whoever knows their type', async (t) => {
  const { disk, player, store, add } = setup()
  await add('b', { list: [1, 'x', null] }, 2)
  await add('a', 'text', 1)
  const later = openStore({ types: [PINS], driver: disk.open() }).store
  t.same(pinsOf(valueOf(await later.read(player))), [
    { id: 'a', card: card('text'), version: 2, at: 1, ask: null },
    { id: 'b', card: card({ list: [1, 'x', null] }), version: 2, at: 2, ask: null },
  ])
  t.equal(valueOf(await later.update(player, (tx) => unpin(tx, 'a'))), true)
  t.equal(valueOf(await later.update(player, (tx) => unpin(tx, 'a'))), false)
  t.same(
    pinsOf(valueOf(await later.read(player))).map(({ id }) => id),
    ['b'],
  )
  await store.settled()
})

void t.test('32 pins of 16 KiB', async (t) => {
  const { add } = setup()
  for (let n = 0; n < 32; n++) t.equal(codeOf(await add(`p${n}`, n)), 'ok')
  t.equal(codeOf(await add('more', 0)), 'system:pins_full')
  t.equal(codeOf(await add('p0', 'again')), 'ok', 'one that is there is replaced')
  t.equal(codeOf(await add('p0', 'x'.repeat(16_382))), 'ok')
  t.equal(codeOf(await add('p0', 'x'.repeat(16_383))), 'system:storage_too_large')
  t.equal(codeOf(await add('p0', new Date(0))), 'system:internal', 'what JSON cannot hold')
})

void t.test('what makes a card anew is kept with it, unless JSON cannot hold it or it is long', async (t) => {
  const { store, player } = setup()
  const asked = (ask: PinnedAsk) =>
    store.update(player, (tx) => {
      pin(tx, { id: 'a', card: card(1), version: 1, at: 1, ask })
      return pinsOf(tx)[0]?.ask
    })
  const text: PinnedAsk = { kind: 'text', text: 'what is a piston' }
  t.same(valueOf(await asked(text)), text)
  const action: PinnedAsk = { kind: 'action', module: identifier('test:module'), input: { n: 1 } }
  t.same(valueOf(await asked(action)), action)
  t.equal(valueOf(await asked({ ...action, input: new Date(0) })), null)
  t.equal(valueOf(await asked({ kind: 'text', text: '語'.repeat(1_400) })), null)
})

void t.test('pins of the first version can be looked at', async (t) => {
  const player = somePlayer()
  const disk = new Disk()
  const { migrations: _, ...now } = PINS
  const first = { card: identifier('gone:card'), version: 2, data: '"text"', at: 1 }
  const old = { ...now, version: 1, schema: PINS.migrations?.[0]?.schema } as unknown as StorageTable<
    typeof first
  >
  const before = openStore({ types: [old], driver: disk.open() }).store
  await before.update(player, (tx) => tx.put(old, 'a', first))
  const { store } = openStore({ types: [PINS], driver: disk.open() })
  t.same(pinsOf(valueOf(await store.read(player))), [
    { id: 'a', card: card('text'), version: 2, at: 1, ask: null },
  ])
})
