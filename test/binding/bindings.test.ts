import t from 'tap'
import { BINDING, Bindings } from '../../lib/binding/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { MemoryDriver, type PlayerStore } from '../../lib/storage/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { somePlayer } from '../support/kernel.js'
import { openStore, valueOf } from '../support/player-store.js'

const defined = (...ids: string[]) => ({ isDefined: (id: string) => ids.includes(id), systems: () => ids })
const SYSTEMS = defined('system:default', 'test:other')
function setup(store: PlayerStore = openStore({ types: [BINDING] }).store) {
  const clock = new ManualClock()
  const bindings = new Bindings({ store, clock, ...SYSTEMS })
  const grant = async (player: PlayerId, system = 'system:default') => {
    const granted = await bindings.grant(player, system, 'alice')
    return granted.ok ? 'ok' : granted.failure
  }
  const revoke = async (player: PlayerId) => {
    const revoked = await bindings.delete(player, 'revoke')
    return revoked.ok ? 'ok' : revoked.failure.code
  }
  const kept = async (player: PlayerId) => valueOf(await store.read(player)).get(BINDING).binding
  return { clock, bindings, store, grant, revoke, kept, player: somePlayer() }
}

void t.test('grant: once, one System', async (t) => {
  const { bindings, store, grant, kept, player, clock } = setup()
  t.ok((await store.attach(player)).ok)
  t.match(bindings.check(player), { code: 'system:not_bound' })
  clock.advance(5)
  t.equal(await grant(player), 'ok')
  t.equal(bindings.systemOf(player), 'system:default')
  t.equal(bindings.check(player), null)
  t.same(await kept(player), { system: 'system:default', since: clock.now() })
  clock.advance(5)
  t.match(await grant(player), {
    code: 'system:already_bound',
    params: { player: 'alice', system: 'system:default' },
  })
  t.match(await grant(player, 'test:other'), {
    code: 'system:bound_other',
    params: { player: 'alice', system: 'system:default' },
  })
  t.equal((await kept(player))?.since, clock.now() - 5, 'a refusal changes nothing')
})

void t.test('grant: only Systems that exist', async (t) => {
  const { bindings, grant, kept, player } = setup()
  t.same(bindings.systems(), ['system:default', 'test:other'])
  for (const system of ['system:nope', 'default', '', '__proto__', 'constructor', 'SYSTEM:DEFAULT'])
    t.match(await grant(player, system), { code: 'system:unknown_system', params: { system } })
  t.equal(await kept(player), null)
})

void t.test('revoke', async (t) => {
  const { bindings, store, grant, revoke, kept, player } = setup()
  await store.attach(player)
  t.equal(await revoke(player), 'system:not_bound')
  await grant(player)
  t.equal(await revoke(player), 'ok')
  t.equal(bindings.systemOf(player), null)
  t.equal(await kept(player), null)
  t.equal(await revoke(player), 'system:not_bound')
  t.equal(await grant(player, 'test:other'), 'ok', 'free for another one')
})

void t.test('a binding outlives the stay, its copy does not', async (t) => {
  const { bindings, store, grant, player } = setup()
  await store.attach(player)
  await grant(player)
  store.detach(player)
  t.equal(bindings.systemOf(player), null, 'not online')
  t.ok((await store.attach(player)).ok)
  t.equal(bindings.systemOf(player), 'system:default')
})

void t.test(
  'a System whose definition is gone: nothing works, nothing takes its place, until it is back',
  async (t) => {
    const { store } = openStore({ types: [BINDING] })
    const ids = ['system:default', 'test:other']
    const bindings = new Bindings({
      store,
      clock: new ManualClock(),
      isDefined: (id) => ids.includes(id),
      systems: () => ids,
    })
    const player = somePlayer()
    await store.attach(player)
    t.ok((await bindings.grant(player, 'system:default', 'alice')).ok)
    ids.shift()
    t.equal(bindings.systemOf(player), null)
    t.equal(bindings.boundTo(player), 'system:default')
    t.match(bindings.check(player), { code: 'system:system_missing' }, 'not: no System')
    t.match(await bindings.grant(player, 'test:other', 'alice'), {
      failure: { code: 'system:bound_other', params: { player: 'alice', system: 'system:default' } },
    })
    t.match(await bindings.grant(player, 'system:default', 'alice'), {
      failure: { code: 'system:unknown_system' },
    })
    ids.push('system:default')
    t.equal(bindings.check(player), null, 'back, and it works at once')
    ids.pop()
    t.ok((await bindings.delete(player, 'revoke')).ok)
    t.match(bindings.check(player), { code: 'system:not_bound' })
    t.ok((await bindings.grant(player, 'test:other', 'alice')).ok, 'free for another one')
  },
)

void t.test('granting somebody who is not online is kept, not shown', async (t) => {
  const { bindings, store, grant, player } = setup()
  t.equal(await grant(player), 'ok')
  t.equal(bindings.systemOf(player), null)
  await store.attach(player)
  t.equal(bindings.systemOf(player), 'system:default')
})

void t.test('two grants in one tick: one of them', async (t) => {
  const { bindings, store, grant, player } = setup()
  await store.attach(player)
  const [first, second, third] = await Promise.all([
    grant(player),
    grant(player),
    grant(player, 'test:other'),
  ])
  t.equal(first, 'ok')
  t.match(second, { code: 'system:already_bound' })
  t.match(third, { code: 'system:bound_other' })
  t.equal(bindings.systemOf(player), 'system:default')
})

void t.test('revoke and grant in one tick: what is shown is what is kept', async (t) => {
  for (const order of ['grant first', 'revoke first']) {
    const { bindings, store, grant, revoke, kept, player } = setup()
    await store.attach(player)
    await grant(player)
    await Promise.all(
      order === 'grant first'
        ? [grant(player, 'test:other'), revoke(player)]
        : [revoke(player), grant(player, 'test:other')],
    )
    t.equal(bindings.systemOf(player), (await kept(player))?.system ?? null, order)
  }
})

void t.test('what happens while the record is read at login', async (t) => {
  const reads: (() => void)[] = []
  let isSlow = true
  const driver = new MemoryDriver({
    async fault({ kind, collection }) {
      if (kind === 'read' && collection === 'players' && isSlow)
        await new Promise<void>((resolve) => reads.push(resolve))
      return null
    },
  })
  const { bindings, store, grant, player } = setup(openStore({ types: [BINDING], driver }).store)
  const answer = async (): Promise<void> => {
    while (reads.length === 0) await Promise.resolve()
    reads.shift()?.()
  }

  const loading = store.attach(player)
  const granting = grant(player)
  t.match(bindings.check(player), { code: 'system:not_bound' }, 'until then nobody is bound')
  await answer()
  t.ok((await loading).ok)
  t.equal(await granting, 'ok', 'a grant meanwhile comes after it')
  t.equal(bindings.systemOf(player), 'system:default')

  store.detach(player)
  const late = store.attach(player)
  isSlow = false
  const revoking = bindings.delete(player, 'revoke')
  t.ok((await late).ok)
  t.ok((await revoking).ok)
  t.equal(bindings.systemOf(player), null, 'and so does a revoke')

  await grant(player)
  const gone = store.attach(player)
  store.detach(player)
  await gone
  t.equal(bindings.systemOf(player), null, 'who left meanwhile is not online')
})

void t.test('a player whose data cannot be used is not bound, and nothing is written', async (t) => {
  const driver = new MemoryDriver({
    fault: ({ kind }) => (kind === 'read' ? 'system:storage_unreadable' : null),
  })
  const { bindings, store, grant, revoke, player } = setup(openStore({ types: [BINDING], driver }).store)
  t.match(await store.attach(player), { ok: false, failure: { code: 'system:storage_unreadable' } })
  t.match(bindings.check(player), { code: 'system:not_bound' })
  t.match(await grant(player), {
    code: 'system:player_unusable',
    params: { player: 'alice', code: 'system:storage_unreadable' },
  })
  t.equal(await revoke(player), 'system:storage_unreadable')
  t.strictSame(await driver.list('players'), { ok: true, value: [] })
})
