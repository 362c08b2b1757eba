import t from 'tap'
import { SWITCHES } from '../../lib/preferences/index.js'
import { MemoryDriver } from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { openStore, valueOf } from '../support/player-store.js'

/** What the first version has written of who had switched off all but free chat. */
const FIRST =
  '0a03000176000000010a00016401000a65787465726e616c416900010008667265654368617401010007686973746f7279000000'

void t.test('settings of the first version are kept, the others are as if never set', async (t) => {
  const driver = new MemoryDriver()
  const player = somePlayer()
  const { store } = openStore({ types: [SWITCHES], driver })
  valueOf(await store.update(player, (tx) => tx.set(SWITCHES, { ...SWITCHES.empty, surface: 'book' })))
  await store.close()
  const key = { collection: 'players', id: player } as const
  const put = new Map([[SWITCHES.id, new Uint8Array(Buffer.from(FIRST, 'hex'))]])
  valueOf(await driver.commit([{ key, base: 1, put, drop: [], maxBytes: 1_000_000 }]))
  const again = openStore({ types: [SWITCHES], driver }).store
  t.same(valueOf(await again.read(player)).get(SWITCHES), {
    externalAi: false,
    freeChat: true,
    history: false,
    notifications: true,
    sounds: true,
    surface: null,
    language: null,
  })
})

void t.test('who has set nothing leaves nothing behind, whatever else is kept', async (t) => {
  t.equal(SWITCHES.survive?.(SWITCHES.empty), null)
  for (const set of [{ sounds: false }, { surface: 'chat' }, { language: 'zh_cn' }] as const) {
    const kept = { ...SWITCHES.empty, ...set }
    t.same(SWITCHES.survive?.(kept), kept)
  }
})
