import t from 'tap'
import { z } from 'zod'
import { shown, type ExecutionContext, type Turn } from '../../lib/agent/index.js'
import { CardFact, cardOf, type CardType } from '../../lib/cards/index.js'
import { PINS, ROUNDS, pin } from '../../lib/conversation/index.js'
import { codePoints } from '../../lib/core/code-points.js'
import { failure, FailureError } from '../../lib/core/failure.js'
import { identifier, randomIds, type PlayerId } from '../../lib/core/ids.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, DONE, TestKernel, testModule, turn, type KernelSetup } from '../support/kernel.js'

const note: CardType<{ text: string }> = {
  id: identifier('test:note'),
  schema: z.strictObject({ text: z.string() }),
  build: () => ({ title: null, lines: [], buttons: [] }),
  memoryFact: ({ text }) => text,
}
const mute: CardType<{ text: string }> = {
  id: identifier('test:mute'),
  schema: note.schema,
  build: note.build,
}

/** A module that says its word, and gives what it knew of earlier rounds. */
function talking(over: KernelSetup = {}) {
  const known: (readonly Turn[])[] = []
  const say = (id: string, result: (word: string, context: ExecutionContext) => unknown) => ({
    ...testModule(id, () => Promise.resolve(DONE), { action: z.strictObject({ word: z.string() }) }),
    execute(context: ExecutionContext, action: unknown) {
      known.push(context.conversation())
      const { word } = action as { word: string }
      return Promise.resolve(result(word, context)) as Promise<typeof DONE>
    },
  })
  const modules = [
    say('test:note', (word) => shown(cardOf(note, { text: word }))),
    say('test:mute', (word) => shown(cardOf(mute, { text: word }))),
    say('test:silent', (word) => ({ ...shown(cardOf(note, { text: word })), silent: true })),
    say('test:fail', (word) => {
      throw new FailureError(failure(word as 'system:cancelled'))
    }),
  ]
  const k = new TestKernel({ modules, cardTypes: [note, mute] as readonly CardType[], ...over })
  const tell = (player: PlayerId, word: string, module = 'test:note') =>
    k.command(player, module, { word }, { said: `say ${word}` })
  return { k, known, tell }
}
const asked = (turns: readonly Turn[] | undefined): readonly string[] =>
  turns?.map((each) => each.asked) ?? []

void t.test('a round is known to the next request at once, with its fact, and to nobody else', async (t) => {
  const { k, known, tell } = talking()
  const [alice, bob] = [await k.join(), await k.join('bob')]
  await tell(alice, 'one')
  await tell(alice, 'two')
  await tell(bob, 'other')
  t.same(known, [[], [{ asked: 'say one', answered: '', facts: ['one'] }], []])
  await k.store.settled()
  await tell(alice, 'three')
  t.same(asked(known[3]), ['say one', 'say two'])
  t.same(
    k.store
      .online(alice)
      ?.entries(ROUNDS)
      .map(({ conversation }) => conversation),
    [1, 1],
  )
})

void t.test(
  'nothing is kept of cards without a fact, silent results and requests that were ended',
  async (t) => {
    const { k, known, tell } = talking()
    const alice = await k.join()
    await tell(alice, 'x', 'test:mute')
    await tell(alice, 'x', 'test:silent')
    for (const code of [
      'system:cancelled',
      'system:revoked',
      'system:no_permission',
      'system:module_closed',
      'system:forgotten',
      'system:busy',
    ])
      await tell(alice, code, 'test:fail')
    await tell(alice, 'system:unknown_tool', 'test:fail')
    await tell(alice, 'last')
    t.same(known.at(-1), [
      { asked: 'say system:unknown_tool', answered: 'system.failure.unknown_tool', facts: [] },
    ])
  },
)

void t.test('words, facts and rounds are bounded', async (t) => {
  const { k, known, tell } = talking()
  const alice = await k.join()
  await k.command(alice, 'test:note', { word: 'é'.repeat(5_000) }, { said: '😀'.repeat(1_500) })
  await tell(alice, 'next')
  const first = known[1]?.[0]
  t.equal(codePoints(first?.asked ?? ''), 1_000)
  t.equal(codePoints(first?.facts[0] ?? ''), CardFact.limit)
  for (let n = 0; n < 12; n++) await tell(alice, String(n))
  t.same(
    asked(known.at(-1)),
    ['3', '4', '5', '6', '7', '8', '9', '10'].map((n) => `say ${n}`),
  )
})

void t.test('a pause begins a new conversation', async (t) => {
  const { k, known, tell } = talking()
  const alice = await k.join()
  await tell(alice, 'one')
  await k.store.settled()
  k.clock.advance(30 * 60_000)
  await tell(alice, 'two')
  await k.store.settled()
  k.clock.advance(30 * 60_000 + 1)
  await tell(alice, 'three')
  await tell(alice, 'four')
  t.same(known.map(asked), [[], ['say one'], [], ['say three']])
  t.same(
    k.memory.rounds(alice).map(({ conversation }) => conversation),
    [1, 1, 2, 2],
  )
})

void t.test('history off: nothing is kept, nothing is known, also of before', async (t) => {
  let keeps = true
  const { k, known, tell } = talking({ keepsHistory: () => keeps })
  const alice = await k.join()
  await tell(alice, 'before')
  await k.store.settled()
  keeps = false
  await tell(alice, 'off')
  await tell(alice, 'off')
  t.same([known[1], known[2]], [[], []])
  keeps = true
  await tell(alice, 'on')
  t.same(asked(known[3]), ['say before'])
})

void t.test('it is there after relog and restart', async (t) => {
  const disk = new Disk()
  const { k, tell } = talking({ driver: disk.open() })
  const alice = await k.join()
  await tell(alice, 'one')
  await k.store.settled()
  k.sessions.close(alice)
  k.store.detach(alice)
  k.sessions.open(alice, 'alice', 'en_us')
  await k.store.attach(alice)
  t.same(asked(k.memory.conversation(alice)), ['say one'])
  const later = talking({ driver: await disk.reopen() })
  later.k.sessions.open(alice, 'alice', 'en_us')
  await later.k.store.attach(alice)
  t.same(asked(later.k.memory.conversation(alice)), ['say one'])
})

void t.test('forget ends what runs, without a last word; it leaves nothing behind', async (t) => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const { k } = talking({
    modules: [
      testModule('test:slow', async (context) => {
        await opened
        context.check()
        return DONE
      }),
    ],
  })
  const told: [PlayerId, boolean][] = []
  k.memory.onForget((player, { all }) => told.push([player, all]))
  k.memory.onForget(() => {
    throw new Error('a listener of an author')
  })
  const alice = await k.join()
  const running = k.command(alice, 'test:slow')
  await turn()
  const forgotten = k.memory.forget(alice, { all: false })
  t.equal(codeOf(await running), 'system:forgotten')
  t.match(await forgotten, { ok: true })
  open()
  await k.store.settled()
  t.same(told, [[alice, false]])
  t.same(k.memory.rounds(alice), [])
})

void t.test('what is being saved when forget comes is not there afterwards', async (t) => {
  const disk = new Disk()
  const { k, tell } = talking({ driver: disk.open() })
  const alice = await k.join()
  let release = (): void => {}
  const held = new Promise<null>((resolve) => (release = () => resolve(null)))
  disk.fate = () => held
  await tell(alice, 'one')
  await tell(alice, 'two')
  t.same(asked(k.memory.conversation(alice)), ['say one', 'say two'])
  const forgotten = k.memory.forget(alice, { all: false })
  t.same(k.memory.conversation(alice), [], 'at once')
  release()
  t.match(await forgotten, { ok: true })
  await k.store.settled()
  t.same(k.memory.rounds(alice), [])
  await tell(alice, 'three')
  t.same(asked(k.memory.conversation(alice)), ['say three'])
})

void t.test('forget keeps pins, forget all does not; revoke takes all', async (t) => {
  const { k, tell } = talking()
  const alice = await k.join()
  const card = cardOf(note, { text: 'pinned' })
  const pinned = () => k.store.online(alice)?.rows(PINS).size
  await k.store.update(alice, (tx) => pin(tx, { id: 'a', card, version: 1, at: 1, ask: null }))
  await k.memory.forget(alice, { all: false })
  t.equal(pinned(), 1)
  await k.memory.forget(alice, { all: true })
  t.equal(pinned(), 0)
  await tell(alice, 'one')
  await k.store.settled()
  await k.store.revoke(alice)
  await k.store.attach(alice)
  t.same(k.memory.rounds(alice), [])
})

void t.test(
  'while a forget is under way nobody reads what goes; one that fails has taken nothing',
  async (t) => {
    const disk = new Disk()
    const { k, known, tell } = talking({ driver: disk.open() })
    const alice = await k.join()
    const requestId = randomIds.requestId()
    const ask = () => k.command(alice, 'test:note', { word: 'zero' }, { requestId, said: 'say zero' })
    await ask()
    await tell(alice, 'one')
    await k.store.settled()
    const holding = (): (() => void) => {
      let release = (): void => {}
      const held = new Promise<null>((resolve) => (release = () => resolve(null)))
      disk.fate = () => held
      return () => release()
    }

    const release = holding()
    const both = [k.memory.forget(alice, { all: false }), k.memory.forget(alice, { all: false })]
    t.same([k.memory.conversation(alice), k.memory.rounds(alice)], [[], []])
    t.equal(codeOf(await ask()), 'system:result_gone')
    await tell(alice, 'two')
    t.same(known.at(-1), [], 'a new request knows nothing')
    t.same(asked(k.memory.conversation(alice)), ['say two'], 'but what is new')
    release()
    t.match(await Promise.all(both), [{ ok: true }, { ok: true }])
    await k.store.settled()
    t.same(asked(k.memory.conversation(alice)), ['say two'])

    disk.fate = () => 'system:storage_failed'
    t.match(await k.memory.forget(alice, { all: false }), { ok: false })
    disk.fate = () => null
    await k.store.readAgain(alice)
    t.same(asked(k.memory.conversation(alice)), ['say two'])
  },
)

void t.test('of who has left nothing of a forget is remembered in memory', async (t) => {
  const { k } = talking()
  const [alice, bob] = [await k.join(), await k.join('bob')]
  await k.memory.forget(alice, { all: false })
  await k.memory.forget(bob, { all: false })
  t.not(k.memory.generation(alice), 0, 'requests of hers may run')
  k.sessions.close(alice)
  k.store.detach(alice)
  await k.memory.forget(bob, { all: false })
  t.equal(k.memory.generation(alice), 0)
  t.not(k.memory.generation(bob), 0)
})
