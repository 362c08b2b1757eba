import t from 'tap'
import { Bindings } from '../../lib/binding/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { MemoryPlayerStore, type PlayerRecord } from '../../lib/storage/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { somePlayer } from '../support/kernel.js'

const SYSTEMS = new Set(['system:default', 'test:other'])
function setup(store: MemoryPlayerStore = new MemoryPlayerStore()) {
  const clock = new ManualClock()
  const bindings = new Bindings({ store, clock, systems: SYSTEMS })
  const grant = async (player: PlayerId, system = 'system:default') => {
    const granted = await bindings.grant(player, system, 'alice')
    return granted.ok ? 'ok' : granted.failure
  }
  const revoke = async (player: PlayerId) => {
    const revoked = await bindings.revoke(player)
    return revoked.ok ? 'ok' : revoked.failure.code
  }
  return { clock, bindings, store, grant, revoke, player: somePlayer() }
}

void t.test('grant: once, one System', async (t) => {
  const { bindings, store, grant, player, clock } = setup()
  t.equal(await bindings.load(player), null)
  t.match(bindings.check(player), { code: 'system:not_bound' })
  clock.advance(5)
  t.equal(await grant(player), 'ok')
  t.equal(bindings.systemOf(player), 'system:default')
  t.equal(bindings.check(player), null)
  t.same((await store.read(player)).binding, { system: 'system:default', since: clock.now() })
  clock.advance(5)
  t.match(await grant(player), {
    code: 'system:already_bound',
    params: { player: 'alice', system: 'system:default' },
  })
  t.match(await grant(player, 'test:other'), {
    code: 'system:bound_other',
    params: { player: 'alice', system: 'system:default' },
  })
  t.equal((await store.read(player)).binding?.since, clock.now() - 5, 'a refusal changes nothing')
})

void t.test('grant: only Systems that exist', async (t) => {
  const { grant, store, player, bindings } = setup()
  t.same(bindings.systems(), ['system:default', 'test:other'])
  for (const system of ['system:nope', 'default', '', '__proto__', 'constructor', 'SYSTEM:DEFAULT'])
    t.match(await grant(player, system), { code: 'system:unknown_system', params: { system } })
  t.equal((await store.read(player)).binding, null)
})

void t.test('revoke', async (t) => {
  const { bindings, store, grant, revoke, player } = setup()
  await bindings.load(player)
  t.equal(await revoke(player), 'system:not_bound')
  await grant(player)
  t.equal(await revoke(player), 'ok')
  t.equal(bindings.systemOf(player), null)
  t.equal((await store.read(player)).binding, null)
  t.equal(await revoke(player), 'system:not_bound')
  t.equal(await grant(player, 'test:other'), 'ok', 'free for another one')
})

void t.test('a binding outlives the stay, its copy does not', async (t) => {
  const { bindings, grant, player, store } = setup()
  await bindings.load(player)
  await grant(player)
  bindings.unload(player)
  t.equal(bindings.systemOf(player), null, 'not online')
  t.match(await bindings.load(player), { system: 'system:default' })
  t.equal(bindings.systemOf(player), 'system:default')
  const gone = new Bindings({ store, clock: new ManualClock(), systems: new Set(['test:other']) })
  await gone.load(player)
  t.equal(gone.systemOf(player), null, 'its System is defined no more')
  t.match(gone.check(player), { code: 'system:not_bound' })
})

void t.test('granting somebody who is not online is kept, not shown', async (t) => {
  const { bindings, grant, player } = setup()
  t.equal(await grant(player), 'ok')
  t.equal(bindings.systemOf(player), null)
  await bindings.load(player)
  t.equal(bindings.systemOf(player), 'system:default')
})

void t.test('two grants in one tick: one of them', async (t) => {
  const { bindings, grant, player } = setup()
  await bindings.load(player)
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
    const { bindings, grant, revoke, store, player } = setup()
    await bindings.load(player)
    await grant(player)
    await Promise.all(
      order === 'grant first'
        ? [grant(player, 'test:other'), revoke(player)]
        : [revoke(player), grant(player, 'test:other')],
    )
    t.equal(bindings.systemOf(player), (await store.read(player)).binding?.system ?? null, order)
  }
})

/** A store whose reads are answered when the test says so, with what they saw when they were asked. */
class SlowStore extends MemoryPlayerStore {
  readonly reads: (() => void)[] = []
  override async read(player: PlayerId): Promise<PlayerRecord> {
    const seen = await super.read(player)
    await new Promise<void>((resolve) => this.reads.push(resolve))
    return seen
  }
}

void t.test('what happens while the record is read at login', async (t) => {
  const store = new SlowStore()
  const { bindings, grant, player } = setup(store)
  const answer = async (): Promise<void> => {
    while (store.reads.length === 0) await Promise.resolve()
    store.reads.shift()?.()
  }

  const loading = bindings.load(player)
  t.match(bindings.check(player), { code: 'system:not_bound' }, 'until then nobody is bound')
  t.equal(await grant(player), 'ok')
  await answer()
  t.match(await loading, { system: 'system:default' }, 'a grant meanwhile is newer than what was read')
  t.equal(bindings.systemOf(player), 'system:default')

  const late = bindings.load(player)
  const revoking = bindings.revoke(player)
  while (store.reads.length < 2) await Promise.resolve()
  store.reads[1]?.()
  t.ok((await revoking).ok)
  store.reads[0]?.()
  store.reads.length = 0
  t.equal(await late, null, 'and so is a revoke')
  t.equal(bindings.systemOf(player), null)

  await grant(player)
  const gone = bindings.load(player)
  bindings.unload(player)
  await answer()
  await gone
  t.equal(bindings.systemOf(player), null, 'who left meanwhile is not online')
})
