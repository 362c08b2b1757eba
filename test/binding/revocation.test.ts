/** How a System is taken: the order of it, what fails in between, and what may not come back. */
import t from 'tap'
import { Lane, RevokedHooks, Sessions, type RevokedHook } from '../../lib/agent/index.js'
import { BINDING, Bindings, Revocation } from '../../lib/binding/index.js'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import type { Result } from '../../lib/core/result.js'
import { ManualClock } from '../../lib/testing/index.js'
import { RecordingLogger, somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, ROUNDS } from '../support/stored-things.js'

const TYPES = [...ALL, BINDING]
const COLLECTIONS = ['players', 'chats', 'databases'] as const
const turn = (): Promise<void> => new Promise(setImmediate)

/** One process on a disk. */
function start(disk: Disk, player: PlayerId, hooks: Readonly<Record<string, RevokedHook>> = {}) {
  const clock = new ManualClock()
  const logger = new RecordingLogger()
  const sessions = new Sessions()
  const events: string[] = []
  disk.done.length = 0
  const { store, databases } = openStore({ types: TYPES, driver: disk.open(), clock, logger })
  const bindings = new Bindings({
    store,
    clock,
    isDefined: (id) => id === 'system:default',
    systems: () => ['system:default'],
  })
  const registered = new RevokedHooks()
  for (const [owner, hook] of Object.entries(hooks)) registered.add(identifier(owner), hook)
  const lane = new Lane(() => ({ active: 1, waiting: 1 }))
  sessions.onEnd((_, { code }) => events.push(`generation moved: ${code}`))
  const revocation = new Revocation({
    bindings,
    store,
    sessions,
    cards: { clear: () => void events.push('cards') },
    hooks: registered,
    lane,
    items: {
      cancelWaiting: () => void events.push('items end'),
      alone: (_, work) => (events.push(`items alone, bound=${bindings.boundTo(player)}`), work()),
    },
    clock,
    logger,
  })
  const run = (kind: 'revoke' | 'reset' = 'revoke') => revocation.run({ id: player, name: 'alice' }, kind)
  return { clock, logger, sessions, events, store, databases, bindings, lane, revocation, run }
}

/** A player who is online, bound, and of whom everything is kept that can be. */
async function setup(hooks: Readonly<Record<string, RevokedHook>> = {}) {
  const disk = new Disk()
  const player = somePlayer()
  const process = start(disk, player, hooks)
  process.sessions.open(player, 'alice', 'en_us')
  await process.store.attach(player)
  valueOf(await process.bindings.grant(player, 'system:default', 'alice'))
  await process.store.update(player, (tx) => {
    tx.append(ROUNDS, { conversation: 1, at: 1, body: 'hello' })
    return countUp(tx)
  })
  const key = { collection: 'databases', id: player } as const
  const put = new Map([['row', Uint8Array.of(1, 1)]])
  await disk.records.commit([{ key, base: 0, put, drop: [], maxBytes: 99 }])
  disk.done.length = 0
  const kept = async () => {
    const lists = await Promise.all(COLLECTIONS.map((collection) => disk.records.list(collection)))
    return COLLECTIONS.filter((_, at) => valueOf(lists[at] ?? { ok: true, value: [] }).length > 0)
  }
  return { ...process, disk, player, kept }
}

const failureOf = (result: Result<unknown>) => (result.ok ? null : result.failure)

void t.test('generation, work, hooks, files, cards: in this order', async (t) => {
  const seen: unknown[] = []
  const made = await setup({
    'test:one': (player) => void made.events.push(`hook ${made.store.online(player)?.get(COUNT).n}`),
  })
  const { run, events, disk, bindings, player, kept, sessions } = made
  const generation = sessions.get(player)?.generation ?? -1
  const removing = run()
  await turn()
  seen.push(await removing)
  t.strictSame(seen, [{ ok: true, value: { discarded: null } }])
  t.strictSame(events, [
    'generation moved: system:revoked',
    'items end',
    'hook 1',
    'items alone, bound=null',
    'cards',
  ])
  t.strictSame(
    disk.done.filter((what) => /commit|remove/.test(what)),
    ['commit players', 'remove chats', 'remove databases', 'remove players'],
  )
  t.match(sessions.check(player, generation), { code: 'system:revoked' })
  t.equal(bindings.boundTo(player), null)
  t.strictSame(await kept(), [])
  t.match(failureOf(await run()), { code: 'system:player_not_bound', params: { player: 'alice' } })
  t.equal(codeOf(await bindings.grant(player, 'system:default', 'alice')), 'ok')
})

void t.test('from the first step on nothing new begins', async (t) => {
  let letGo = (): void => {}
  const made = await setup({ 'test:slow': () => new Promise<void>((resolve) => (letGo = resolve)) })
  const { run, bindings, player, store } = made
  t.equal(bindings.check(player), null)
  const running = run()
  await turn()
  t.match(bindings.check(player), { code: 'system:not_bound' })
  t.equal(bindings.systemOf(player), null)
  t.equal(valueOf(await store.read(player)).get(COUNT).n, 1, 'while it still is kept')
  letGo()
  t.ok((await running).ok)
})

void t.test('who is not bound loses nothing, and no hook runs', async (t) => {
  const ran: string[] = []
  const { run, store, bindings, player, events } = await setup({ 'test:one': () => void ran.push('one') })
  await run()
  events.length = ran.length = 0
  await store.update(player, countUp)
  for (const kind of ['revoke', 'reset'] as const)
    t.match(failureOf(await run(kind)), { code: 'system:player_not_bound' })
  t.strictSame([events, ran], [[], []])
  t.equal(valueOf(await store.read(player)).get(COUNT).n, 1)
  t.equal(bindings.boundTo(player), null)
})

void t.test('hooks: all of them, side by side, within three seconds; who fails is named', async (t) => {
  const ran: string[] = []
  const broken = (text: string) => () => {
    ran.push(text)
    throw new Error(text)
  }
  const made = await setup({
    'test:throws': broken('throws'),
    'test:rejects': () => Promise.reject(new Error('rejects')),
    'test:both': () => Promise.resolve().then(broken('both')),
    'test:hangs': () => new Promise(() => {}),
    // waits for one that hangs before it
    'test:last': async () => {
      await turn()
      ran.push('last')
    },
  })
  const { run, clock, logger, kept } = made
  const running = run()
  await turn()
  await turn()
  t.strictSame(ran, ['throws', 'both', 'last'])
  clock.advance(2_999)
  await turn()
  t.strictSame(
    await kept(),
    ['players', 'chats', 'databases'],
    'nothing is deleted before hooks have had their time',
  )
  clock.advance(1)
  t.ok((await running).ok)
  t.strictSame(await kept(), [])
  t.equal(clock.pending, 1, 'that of the databases alone')
  const said = logger.messages()
  for (const owner of ['throws', 'rejects', 'both'])
    t.ok(
      said.some((line) => line.includes(`test:${owner} failed`)),
      owner,
    )
  t.match(said.at(-1), /test:hangs still runs after 3000 ms/)
  t.equal(said.length, 4)
})

void t.test('a hook that computes for long is named', async (t) => {
  const made = await setup({ 'test:busy': () => made.clock.advance(6) })
  t.ok((await made.run()).ok)
  t.match(made.logger.messages(), [/the revoked hook of test:busy computed for 6\.0 ms/])
})

void t.test('a view of before writes nothing any more, at whatever step', async (t) => {
  let letGo = (): void => {}
  const made = await setup({ 'test:slow': () => new Promise<void>((resolve) => (letGo = resolve)) })
  const { run, store, player, kept } = made
  const view = valueOf(await store.read(player))
  const running = run()
  t.equal(codeOf(await view.update(countUp)), 'system:revoked', 'in the same turn')
  await turn()
  t.equal(codeOf(await view.update(countUp)), 'system:revoked', 'while hooks run')
  letGo()
  t.ok((await running).ok)
  t.equal(codeOf(await view.update(countUp)), 'system:revoked', 'and afterwards')
  t.strictSame(await kept(), [])
})

for (const [step, left] of [
  ['commit players', ['players', 'chats', 'databases']],
  ['remove chats', ['players', 'chats', 'databases']],
  ['remove databases', ['players', 'databases']],
  ['remove players', ['players']],
] as const)
  void t.test(`a file that can't be deleted (${step}): the reason, no success, and again`, async (t) => {
    const { run, disk, player, kept, bindings, logger, events, sessions } = await setup()
    const generation = sessions.get(player)?.generation ?? -1
    disk.fate = ({ kind, collection }) => (`${kind} ${collection}` === step ? 'system:storage_failed' : null)
    for (let attempt = 0; attempt < 2; attempt++) {
      t.match(failureOf(await run()), {
        code: 'system:revoke_failed',
        params: { player: 'alice', code: 'system:storage_failed' },
      })
      t.match(sessions.check(player, generation), { code: 'system:revoked' }, 'what ran is over')
      t.strictSame(await kept(), left)
      t.notOk(events.includes('cards'))
    }
    t.ok(
      logger
        .messages()
        .some((line) => /not everything of .* could be deleted: system:storage_failed/.test(line)),
    )
    t.equal(bindings.boundTo(player), step === 'commit players' ? 'system:default' : null)
    disk.fate = () => null
    t.strictSame(await run(), { ok: true, value: { discarded: null } })
    t.strictSame(await kept(), [])
    t.match(failureOf(await run()), { code: 'system:player_not_bound' })
    t.equal(codeOf(await bindings.grant(player, 'system:default', 'alice')), 'ok')
  })

void t.test('what a login has ended meanwhile is told as done', async (t) => {
  const { run, disk, player, store } = await setup()
  disk.fate = ({ kind, collection }) =>
    kind === 'remove' && collection === 'chats' ? 'system:storage_failed' : null
  t.equal(codeOf(await run()), 'system:revoke_failed')
  disk.fate = () => null
  t.ok((await store.attach(player)).ok)
  t.ok((await run()).ok)
  t.equal(codeOf(await run()), 'system:player_not_bound')
})

for (const code of ['system:storage_unreadable', 'system:storage_newer'] as const)
  void t.test(`${code}: revoke leaves it and says what helps, reset discards it`, async (t) => {
    const ran: string[] = []
    const { disk, player, kept } = await setup()
    let isThere = true
    disk.fate = ({ kind, collection }) => {
      if (collection !== 'players') return null
      if (kind === 'remove') isThere = false
      return kind === 'read' && isThere ? code : null
    }
    const { run, store, bindings, events } = start(disk, player, { 'test:one': () => void ran.push('one') })
    t.equal(codeOf(await store.attach(player)), code)
    t.match(failureOf(await run('revoke')), {
      code: 'system:player_unusable',
      params: { player: 'alice', code },
    })
    t.strictSame([events, ran], [[], []], 'nothing was begun')
    t.equal((await kept()).length, 3)
    t.strictSame(await run('reset'), { ok: true, value: { discarded: code } })
    t.strictSame(ran, ['one'])
    t.equal(events.at(-1), 'cards')
    t.strictSame(await kept(), [])
    t.match(bindings.check(player), { code: 'system:not_bound' })
    t.equal(codeOf(await bindings.grant(player, 'system:default', 'alice')), 'ok', 'at once')
  })

void t.test('killed at each step: bound as before, or nothing is left after the next login', async (t) => {
  for (const isDone of [false, true])
    for (let stop = 0; stop < 4; stop++) {
      const { run, disk, player, kept } = await setup()
      let step = 0
      disk.fate = ({ kind }) => {
        if (kind === 'read' || kind === 'list' || step++ !== stop) return null
        if (!isDone) return 'crash'
        disk.crash()
        return null
      }
      let isTold = false
      void run().then(() => (isTold = true))
      await turn()
      disk.fate = () => null
      t.notOk(isTold)
      const later = start(disk, player)
      t.ok((await later.store.attach(player)).ok)
      const isRevoked = stop > 0 || isDone
      t.equal(later.bindings.boundTo(player), isRevoked ? null : 'system:default', `${stop} ${isDone}`)
      t.equal(codeOf(await later.run()), isRevoked ? 'system:player_not_bound' : 'ok')
      t.strictSame(await kept(), [])
    }
})

void t.test('the maintenance lane is full: busy at once, and nothing is begun', async (t) => {
  const { run, lane, events, bindings, player } = await setup()
  const places = [lane.enter(), lane.enter()].map(valueOf)
  t.equal(codeOf(await run()), 'system:busy')
  t.strictSame(events, [])
  t.equal(bindings.boundTo(player), 'system:default')
  places[1]?.leave()
  const waiting = run()
  await turn()
  t.match(bindings.check(player), { code: 'system:not_bound' }, 'ended while it waits for its place')
  places[0]?.leave()
  t.ok((await waiting).ok)
  t.strictSame(lane.state(), { active: 0, waiting: 0, refused: 1 })
})

void t.test(
  'the server stops in the middle: hooks are not waited for, and nobody is told of a success',
  async (t) => {
    const { run, revocation, store, clock, kept, logger } = await setup({
      'test:hangs': () => new Promise(() => {}),
    })
    const running = run()
    await turn()
    revocation.close()
    await store.close()
    t.match(failureOf(await running), { code: 'system:revoke_failed', params: { code: 'system:stopping' } })
    t.equal((await kept()).length, 3)
    t.equal(clock.pending, 1, 'that of the databases alone')
    t.notOk(logger.messages().some((line) => line.includes('still runs')))
    t.equal(codeOf(await run()), 'system:stopping')
  },
)
