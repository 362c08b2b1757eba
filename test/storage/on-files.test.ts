import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { StorageDriver } from '../../lib/storage/index.js'
import { openFileDriver } from '../support/file-driver.js'
import { somePlayer } from '../support/kernel.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, LOG, ROUNDS, roundsOf } from '../support/stored-things.js'

void t.test(
  'the store on real files: kept over a restart, unknown ends written again, revoked',
  async (t) => {
    const folder = t.testdir()
    const player = somePlayer()
    const files = async () =>
      (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(`${player}.dat`)).sort()
    const first = await openFileDriver(folder)
    const { store } = openStore({ types: ALL, driver: first })
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        store.update(player, (tx) => {
          tx.put(LOG, `row-${at}`, { text: 'é\u0000\u{1f600}' })
          tx.append(ROUNDS, { conversation: 1, at, body: `round ${at}` })
          return countUp(tx)
        }),
      ),
    )
    t.ok(results.every(({ ok }) => ok))
    await store.close()
    await first.close()

    const second = await openFileDriver(folder)
    t.teardown(() => second.close())
    // says once that it doesn't know, although it was written
    let isUnknown = true
    const unsure: StorageDriver = {
      read: (key, maxBytes) => second.read(key, maxBytes),
      async commit(writes) {
        const done = await second.commit(writes)
        if (!isUnknown) return done
        isUnknown = false
        return { ok: false, failure: { code: 'system:storage_unknown', params: {} } }
      },
      remove: (key) => second.remove(key),
      list: (collection) => second.list(collection),
      close: () => second.close(),
    }
    const { store: later } = openStore({ types: ALL, driver: unsure })
    const view = valueOf(await later.read(player))
    t.same([view.get(COUNT).n, view.rows(LOG).size, roundsOf(view).length], [50, 50, 50])
    t.equal(view.row(LOG, 'row-7')?.text, 'é\u0000\u{1f600}')
    const before = valueOf(await second.read({ collection: 'players', id: player }, 9_999_999))?.revision ?? 0
    t.equal(codeOf(await later.update(player, countUp)), 'system:storage_unknown')
    t.equal(
      valueOf(await second.read({ collection: 'players', id: player }, 9_999_999))?.revision,
      before + 2,
    )
    t.equal(valueOf(await later.update(player, countUp)), 52)
    t.strictSame(await files(), [
      join('system', 'chat', `${player}.dat`),
      join('system', 'players', `${player}.dat`),
    ])
    t.ok((await later.revoke(player)).ok)
    t.strictSame(await files(), [])
    t.same(valueOf(await later.read(player)).get(COUNT), { n: 0 })
  },
)
