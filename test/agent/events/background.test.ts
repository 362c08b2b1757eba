/** Reading in the background, and what event tasks may take of the model. */
import t from 'tap'
import { z } from 'zod'
import type { ExecutionContext } from '../../../lib/agent/index.js'
import { failure } from '../../../lib/core/failure.js'
import { DONE, callOf, turn } from '../../support/kernel.js'
import { valueOf } from '../../support/player-store.js'
import { ScriptedModel } from '../../../lib/testing/index.js'
import { EVENT_ACCOUNT } from '../../../lib/usage/index.js'
import { COUNT, countUp } from '../../support/stored-things.js'
import { ASKED, count, gate, Stage, type StageSetup } from './stage.js'

const answer = z.strictObject({ text: z.string() })
const MODEL = { modelCalls: 2, steps: 4 }
const complete = (context: ExecutionContext) =>
  context.complete({ question: 'q', prompt: 'question', answer })

async function background(setup: StageSetup) {
  const stage = new Stage({ lane: { active: 1, waiting: 0 }, ...setup })
  await stage.join()
  return {
    stage,
    read: (input: unknown = { note: 'read' }) =>
      stage.k.engine.background(stage.player, { module: ASKED, input }),
  }
}

void t.test('it reads beside the one request of its player', async (t) => {
  const { opened, open } = gate()
  const { stage, read } = await background({
    execute: async (context, { note }) => {
      if (note === 'asked') await opened
      t.equal(context.store().get(COUNT).n, 0)
      t.equal(context.card, null)
      return DONE
    },
  })
  const asked = stage.ask('asked')
  t.match(await read(), { status: 'succeeded' })
  open()
  t.match(await asked, { result: { status: 'succeeded' } })
  t.equal(stage.k.engine.log.routes().event, 1)
  t.match(stage.k.engine.state(), { active: 0 })
})

void t.test('it writes nothing: no tool, no change of the store', async (t) => {
  for (const write of [
    (context: ExecutionContext) => context.tool(count, { by: 1 }),
    (context: ExecutionContext) => context.store().update((tx) => countUp(tx)),
  ]) {
    const { stage, read } = await background({
      execute: async (context) => {
        await write(context)
        return DONE
      },
    })
    t.match(await read(), { failure: { code: 'system:no_permission' } })
    t.strictSame([(await stage.kept()).n, stage.handled], [0, 0])
  }
})

void t.test('it asks a model within its policy, and none of the calls are the player’s own', async (t) => {
  const model = new ScriptedModel()
  const { stage, read } = await background({
    model,
    limits: { dailyModelCalls: 1 },
    policy: { ...MODEL, modelCalls: 1 },
    execute: async (context) => {
      t.match(await complete(context), { ok: true, value: { text: 'read' } })
      t.match(await complete(context), { ok: false, failure: { code: 'system:budget_model_calls' } })
      return DONE
    },
  })
  for (let times = 0; times < 2; times++) {
    model.script({ type: 'answer', text: 'read' })
    t.match(await read(), { status: 'succeeded' })
  }
  const day = stage.k.usage.day()
  t.equal(day.countsOf(stage.player).calls, 0)
  t.equal(day.countsOf(EVENT_ACCOUNT).calls, 2)
  t.equal(stage.k.usage.today().calls, 2, 'they count for the server')
  t.ok(stage.k.usage.take(callOf(stage.player)).ok, 'the player has its one call still')
  t.notOk(stage.k.usage.take(callOf(stage.player)).ok)
})

void t.test('what it is refused with, and what ends it', async (t) => {
  let closed: ReturnType<typeof failure> | null = null
  const { stage, read } = await background({
    eventLane: { active: 1, waiting: 0 },
    access: () => closed,
    policy: { ttlMillis: 12_000 },
    execute: () => new Promise(() => {}),
  })
  const unknown = await stage.k.engine.background(stage.player, { module: 'test:none' as never, input: {} })
  t.match(unknown, { failure: { code: 'system:unknown_module' } })
  t.match(await read({}), { failure: { code: 'system:not_understood' } })
  const late = read()
  t.match(await read(), { failure: { code: 'system:busy' } })
  await stage.k.advance(12_000)
  t.match(await late, { failure: { code: 'system:deadline' } })
  await stage.k.advance(2_000)
  const left = read()
  stage.leave()
  t.match(await left, { failure: { code: 'system:disconnected' } })
  t.match(await read(), { failure: { code: 'system:disconnected' } })
  await stage.k.advance(2_000)
  await stage.join()
  closed = failure('system:module_closed')
  t.match(await read(), { failure: { code: 'system:module_closed' } })
  closed = null
  const cut = read()
  const stopped = stage.k.engine.stop()
  t.match(await cut, { failure: { code: 'system:stopping' } })
  await stage.k.advance(3_000)
  await stopped
  t.match(await read(), { failure: { code: 'system:stopping' } })
})

void t.test('a throw and nonsense are failures of their own', async (t) => {
  for (const execute of [() => Promise.reject(new Error('boom')), async () => 'nonsense' as never]) {
    const { stage, read } = await background({ execute })
    t.match(await read(), { failure: { code: 'system:internal' } })
    t.match(stage.k.logger.messages(), ['module test:asked failed in the background'])
  }
})

void t.test('event tasks leave one model call to players', async (t) => {
  for (const [modelConcurrency, most] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ] as const) {
    const stage = new Stage({ limits: { modelConcurrency } })
    const { meter } = stage.k
    const wait = { waitMs: 60_000, signal: new AbortController().signal }
    const event = { ...callOf(stage.player), isEvent: true }
    const granted: string[] = []
    const take = (name: string, call = event) =>
      meter.acquire(call, wait).then((permit) => (granted.push(name), permit))
    const calls = [take('a'), take('b'), take('c')]
    const own = take('own', { ...callOf(stage.player), isEvent: false })
    for (let turns = 0; turns < 3; turns++) await turn()
    t.strictSame(granted, modelConcurrency === 1 ? ['a'] : [...['a', 'b', 'c'].slice(0, most), 'own'])
    for (const call of calls) {
      meter.release(valueOf(await call), null)
      await turn()
    }
    meter.release(valueOf(await own), null)
    t.match(meter.state(), { running: 0, waiting: 0 })
  }
})

void t.test('a model call of a task is kept before it goes out', async (t) => {
  const model = new ScriptedModel()
  const spent: unknown[] = []
  const stage = new Stage({
    model,
    policy: MODEL,
    execute: async (context) => {
      t.match(await complete(context), { ok: true })
      return DONE
    },
  })
  await stage.join()
  const acquire = stage.k.meter.acquire.bind(stage.k.meter)
  stage.k.meter.acquire = async (...given) => {
    for (const [, task] of (await stage.kept()).tasks) spent.push({ ...task.spent })
    return acquire(...given)
  }
  model.script({ type: 'answer', text: 'done' })
  const id = valueOf(await stage.submit())
  const task = await stage.until(id, 'DONE')
  t.match(spent, [{ modelCalls: 1, steps: 1 }])
  t.ok(
    (spent[0] as { tokens: number }).tokens > Number(task.spent['tokens']),
    'the worst case, then what it was',
  )
  t.equal(stage.k.usage.day().countsOf(stage.player).calls, 0)
})

void t.test('a call that can not be kept is not made', async (t) => {
  const model = new ScriptedModel()
  const stage = new Stage({
    model,
    policy: MODEL,
    execute: async (context) => {
      stage.disk.fate = ({ kind }) => (kind === 'commit' ? 'system:storage_failed' : null)
      t.match(await complete(context), { ok: false, failure: { code: 'system:storage_failed' } })
      stage.disk.fate = () => null
      return DONE
    },
  })
  await stage.join()
  const id = valueOf(await stage.submit())
  t.match(await stage.until(id, 'DONE'), { spent: { modelCalls: 1, tokens: 0 } })
  t.equal(model.requests.length, 0)
})

for (const kind of ['background', 'event'] as const)
  void t.test(`the right to what the module needs is taken away: ${kind} ends at once`, async (t) => {
    const { opened, open } = gate()
    const { stage, read } = await background({
      module: { needs: 'route' },
      execute: () => {
        open()
        return new Promise(() => {})
      },
    })
    const reading = kind === 'background' ? read() : null
    const id = kind === 'event' ? valueOf(await stage.submit()) : null
    await opened
    await stage.k.preferences.allow(stage.player, 'off')
    for (let turns = 0; turns < 20; turns++) await turn()
    t.equal(stage.k.engine.log.routes().event, 1, 'it is over')
    if (id !== null) t.match(await stage.until(id, 'FAILED'), { state: 'FAILED' })
    else t.match(await reading, { failure: { code: 'system:ai_off' } })
  })
