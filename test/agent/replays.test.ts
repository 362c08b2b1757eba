import t from 'tap'
import { z } from 'zod'
import { askFingerprint } from '../../lib/agent/replays.js'
import { failure, FailureError } from '../../lib/core/failure.js'
import { identifier, randomIds, type RequestId } from '../../lib/core/ids.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, DONE, TestKernel, testModule, turn, type KernelSetup } from '../support/kernel.js'

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301' as RequestId
const SAID = { ...DONE, message: { key: 'test.said', params: { count: 3 } } } as const

/** A kernel whose module counts its executions. */
function counting(over: KernelSetup = {}, execute: () => Promise<unknown> = () => Promise.resolve(SAID)) {
  const runs: number[] = []
  const module = testModule(
    'test:count',
    () => {
      runs.push(runs.length)
      return execute()
    },
    { action: z.strictObject({ word: z.string().optional() }) },
  )
  return { runs, k: new TestKernel({ modules: [module], ...over }) }
}

void t.test('the same id is executed once, also while it runs and when it was saved', async (t) => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const { k, runs } = counting({}, async () => {
    await opened
    return SAID
  })
  const alice = await k.join()
  const ask = () => k.command(alice, 'test:count', { word: 'a' }, { requestId: ID })
  const both = [ask(), ask()]
  await turn()
  open()
  const [first, second] = await Promise.all(both)
  t.same(first, second)
  t.match(first, { requestId: ID, source: 'command', module: 'test:count', result: SAID })
  await k.store.settled()
  t.same(await ask(), first, 'out of the record')
  t.equal(runs.length, 1)
  t.equal(k.engine.log.recent(alice).length, 1)
})

void t.test('other content under the same id is refused, in any order of its members not', async (t) => {
  const { k, runs } = counting()
  const [alice, bob] = [await k.join(), await k.join('bob')]
  await k.command(alice, 'test:count', { word: 'a' }, { requestId: ID })
  t.equal(
    codeOf(await k.command(alice, 'test:count', { word: 'b' }, { requestId: ID })),
    'system:receipt_mismatch',
  )
  t.equal(codeOf(await k.text(alice, 'a', { requestId: ID })), 'system:receipt_mismatch')
  await k.store.settled()
  t.equal(codeOf(await k.command(alice, 'test:count', {}, { requestId: ID })), 'system:receipt_mismatch')
  t.equal(runs.length, 1)
  t.equal(
    codeOf(await k.command(bob, 'test:count', { word: 'b' }, { requestId: ID })),
    'ok',
    'ids are a player’s own',
  )
  t.equal(runs.length, 2)
})

void t.test('the fingerprint: module, version and decoded action; of text the text', async (t) => {
  const module = (version: number) =>
    testModule('test:m', () => Promise.resolve(DONE), {
      version,
      action: z.strictObject({ a: z.int().default(1), b: z.int().default(2) }),
    })
  const of = (version: number, input: unknown) => {
    const k = new TestKernel({ modules: [module(version)] })
    return askFingerprint(k.registry, {
      kind: 'action',
      source: 'command',
      module: identifier('test:m'),
      input,
    })
  }
  t.match(of(1, {}), /^[0-9a-f]{64}$/)
  t.equal(of(1, {}), of(1, { b: 2, a: 1 }))
  t.not(of(1, {}), of(2, {}))
  t.not(of(1, {}), of(1, { a: 2 }))
  t.equal(of(1, { a: 'x' }), null, 'what does not decode has none')
  const { registry } = new TestKernel()
  t.not(
    askFingerprint(registry, { kind: 'text', text: 'a' }),
    askFingerprint(registry, { kind: 'text', text: 'b' }),
  )
})

void t.test('failures are replayed too, but not what was refused or ended from outside', async (t) => {
  let reason = failure('system:unknown_item', { query: 'x' })
  const { k, runs } = counting({}, () => Promise.reject(new FailureError(reason)))
  const alice = await k.join()
  const ask = (requestId: RequestId) => k.command(alice, 'test:count', {}, { requestId })
  const first = await ask(ID)
  await k.store.settled()
  t.same(await ask(ID), first)
  t.match(first.result.failure, { code: 'system:unknown_item', params: { query: 'x' } })
  t.equal(runs.length, 1)
  for (const code of ['system:cancelled', 'system:busy', 'system:module_closed'] as const) {
    reason = failure(code)
    const id = randomIds.requestId()
    t.equal(codeOf(await ask(id)), code)
    await k.store.settled()
    const before = runs.length
    t.equal(codeOf(await ask(id)), code)
    t.equal(runs.length, before + 1, `${code} runs anew`)
    await k.store.settled()
  }
  for (const id of ['no-uuid', ID.toUpperCase()]) {
    const before = runs.length
    t.equal(codeOf(await ask(id as RequestId)), 'system:internal', 'ids have one form')
    t.equal(runs.length, before)
  }
})

void t.test('a second request of another id is still one too many', async (t) => {
  let open = (): void => {}
  const { k } = counting({}, () => new Promise((resolve) => (open = () => resolve(DONE))))
  const alice = await k.join()
  const first = k.command(alice, 'test:count', {}, { requestId: ID })
  await turn()
  const other = randomIds.requestId()
  t.equal(codeOf(await k.command(alice, 'test:count', {}, { requestId: other })), 'system:request_active')
  open()
  t.equal(codeOf(await first), 'ok')
  const again = k.command(alice, 'test:count', {}, { requestId: other })
  await turn()
  open()
  t.equal(codeOf(await again), 'ok', 'a refusal leaves no trace')
})

void t.test('a player who may not ask is shown nothing again', async (t) => {
  let isClosed = false
  const { k } = counting({ access: () => (isClosed ? failure('system:module_closed') : null) })
  const alice = await k.join()
  await k.command(alice, 'test:count', {}, { requestId: ID })
  await k.store.settled()
  isClosed = true
  t.equal(codeOf(await k.command(alice, 'test:count', {}, { requestId: ID })), 'system:module_closed')
})

void t.test(
  'after relog and restart; a receipt without its result says so; without a receipt it runs anew',
  async (t) => {
    const disk = new Disk()
    const { k, runs } = counting({ driver: disk.open() })
    const alice = await k.join()
    const first = await k.command(alice, 'test:count', {}, { requestId: ID })
    await k.store.settled()
    k.sessions.close(alice)
    k.store.detach(alice)
    k.sessions.open(alice, 'alice', 'en_us')
    await k.store.attach(alice)
    t.same(await k.command(alice, 'test:count', {}, { requestId: ID }), first)
    const later = counting({ driver: await disk.reopen() })
    later.k.sessions.open(alice, 'alice', 'en_us')
    await later.k.store.attach(alice)
    const ask = (requestId: RequestId) => later.k.command(alice, 'test:count', {}, { requestId })
    t.same(await ask(ID), first)
    await later.k.memory.forget(alice, { all: false })
    t.match(await ask(ID), {
      requestId: ID,
      result: { status: 'failed', failure: { code: 'system:result_gone' } },
    })
    t.equal(runs.length + later.runs.length, 1)
    t.equal(codeOf(await ask(randomIds.requestId())), 'ok')
    t.equal(later.runs.length, 1)
  },
)

void t.test('the process ends between answer and save: asked again it runs anew', async (t) => {
  const disk = new Disk()
  const { k } = counting({ driver: disk.open() })
  const alice = await k.join()
  disk.fate = () => 'crash'
  t.equal(
    codeOf(await k.command(alice, 'test:count', {}, { requestId: ID })),
    'ok',
    'the answer waits for no disk',
  )
  await turn()
  disk.fate = () => null
  const later = counting({ driver: await disk.reopen() })
  later.k.sessions.open(alice, 'alice', 'en_us')
  await later.k.store.attach(alice)
  t.equal(codeOf(await later.k.command(alice, 'test:count', {}, { requestId: ID })), 'ok')
  t.equal(later.runs.length, 1)
})

void t.test('a save that fails is in the log, and the answer stands', async (t) => {
  const disk = new Disk()
  const { k, runs } = counting({ driver: disk.open() })
  const alice = await k.join()
  disk.fate = () => 'system:storage_failed'
  t.equal(codeOf(await k.command(alice, 'test:count', {}, { requestId: ID })), 'ok')
  await k.store.settled()
  await turn()
  disk.fate = () => null
  t.ok(k.logger.messages().some((line) => line.includes('is not kept')))
  await k.store.readAgain(alice)
  t.equal(codeOf(await k.command(alice, 'test:count', {}, { requestId: ID })), 'ok')
  t.equal(runs.length, 2)
})

void t.test('without history no text is kept: the receipt alone says that it was done', async (t) => {
  const { k, runs } = counting({ keepsHistory: () => false })
  const alice = await k.join()
  await k.command(alice, 'test:count', {}, { requestId: ID })
  await k.store.settled()
  t.equal(codeOf(await k.command(alice, 'test:count', {}, { requestId: ID })), 'system:result_gone')
  t.equal(runs.length, 1)
})
