/** Event tasks: kept before they run, in a lane of their own, until they are over. */
import t from 'tap'
import { z } from 'zod'
import { isForEvents } from '../../../lib/agent/events/task-record.js'
import { failedResult } from '../../../lib/agent/index.js'
import { failure } from '../../../lib/core/failure.js'
import { identifier } from '../../../lib/core/ids.js'
import { DONE, turn } from '../../support/kernel.js'
import { codeOf, LIMITS, valueOf } from '../../support/player-store.js'
import { ASKED, count, EVENT, gate, RULE, Stage } from './stage.js'

void t.test('a task is kept before it runs, and is DONE behind its steps', async (t) => {
  const seen: string[] = []
  const stage = new Stage({
    execute: async (context, { note }) => {
      const task = await stage.task(context.requestId)
      seen.push(`${note} ${String(task?.state)}`)
      t.strictSame(await context.tool(count, { by: 2 }), { ok: true, value: { n: 2 } })
      return { ...DONE, message: { key: 'test.counted' } }
    },
  })
  await stage.join()
  stage.k.clock.advance(5)
  const now = stage.k.clock.now()
  const id = valueOf(await stage.submit('hello'))
  const task = await stage.until(id, 'DONE')
  t.strictSame(seen, ['hello RUNNING'])
  t.match(task, {
    module: EVENT,
    moduleVersion: 1,
    rule: RULE,
    input: { note: 'hello' },
    policy: { writeSteps: 4, ttlMillis: 300_000 },
    spent: { modelCalls: 0, toolCalls: 1, writeSteps: 1, steps: 1, tokens: 0 },
    attempts: 0,
    deadline: now + 300_000,
    createdAt: now,
    over: now,
  })
  t.match((await stage.kept()).receipts.get('test.count'), { over: now, outcome: { n: 2 } })
  t.match(stage.k.shown, [{ player: stage.player, result: { message: { key: 'test.counted' } } }])
  t.match(stage.k.engine.log.recent(stage.player), [{ id, module: EVENT, source: 'event', code: 'ok' }])
  t.equal(stage.k.engine.log.routes().event, 1)
  t.strictSame(stage.k.engine.events.state(), {
    queued: 0,
    running: 0,
    waiting: 0,
    done: 1,
    failed: 0,
    refused: 0,
  })
})

void t.test('what is refused keeps nothing', async (t) => {
  const stage = new Stage({ rule: ({ input }) => (input as { note: string }).note !== 'forbidden' })
  t.equal(codeOf(await stage.submit()), 'system:disconnected')
  stage.k.sessions.open(stage.player, 'alice', 'en_us')
  t.equal(codeOf(await stage.submit()), 'system:not_bound')
  stage.k.sessions.close(stage.player)
  await stage.join()
  const other = identifier('test:other')
  t.equal(codeOf(await stage.submit('x', { module: other })), 'system:unknown_module')
  t.equal(codeOf(await stage.submit('x', { rule: other })), 'system:no_permission')
  t.equal(codeOf(await stage.submit('forbidden')), 'system:no_permission')
  t.equal(codeOf(await stage.submit('x', { input: { note: 'x', more: 1 } })), 'system:not_understood')
  stage.disk.fate = ({ kind }) => (kind === 'commit' ? 'system:storage_failed' : null)
  t.equal(codeOf(await stage.submit()), 'system:storage_failed')
  t.equal((await stage.kept()).tasks.size, 0)
  await stage.k.engine.stop()
  t.equal(codeOf(await stage.submit()), 'system:stopping')
})

void t.test('a schema that throws at an input: refused, nothing kept, no place lost', async (t) => {
  const action = z.strictObject({ note: z.string() }).transform((given) => {
    if (given.note === 'boom') throw new Error('boom')
    return given
  })
  const stage = new Stage({ module: { action }, eventLane: { active: 1, waiting: 0 } })
  await stage.join()
  t.equal(codeOf(await stage.submit('boom')), 'system:internal')
  const read = (note: string) => stage.k.engine.background(stage.player, { module: ASKED, input: { note } })
  t.match(await read('boom'), { status: 'failed', failure: { code: 'system:internal' } })
  t.match(stage.k.logger.messages(), [/test:event/, /test:asked/], 'its author is told')
  t.equal((await stage.kept()).tasks.size, 0)
  t.match(await read('x'), { status: 'succeeded' })
  await stage.until(valueOf(await stage.submit()), 'DONE')
})

void t.test('modules with a command or in a catalogue are not for events', async (t) => {
  for (const routing of [{ selection: 'NORMAL' }, { selection: 'EXPLICIT_ONLY' }] as const) {
    const stage = new Stage({ module: { routing } })
    await stage.join()
    t.equal(codeOf(await stage.submit()), 'system:unknown_module')
  }
  const { module } = new Stage()
  const routing = { selection: 'STRUCTURED_ONLY' } as const
  t.equal(isForEvents({ ...module, routing }), true)
  t.equal(isForEvents({ ...module, routing: { ...routing, command: { name: 'count' } } }), false)
})

void t.test('a full journal refuses a task; the next one has a place again', async (t) => {
  const storeLimits = { ...LIMITS, eventTaskBytes: 10 }
  const stage = new Stage({ storeLimits, eventLane: { active: 1, waiting: 0 } })
  await stage.join()
  t.equal(codeOf(await stage.submit()), 'system:journal_full')
  t.equal((await stage.kept()).tasks.size, 0)
  Object.assign(storeLimits, { eventTaskBytes: 10_000 })
  await stage.until(valueOf(await stage.submit()), 'DONE')
})

void t.test(
  'so many run, so many wait, and one more is busy at once; the interactive lane is another',
  async (t) => {
    const { opened, open } = gate()
    let running = 0
    let most = 0
    const stage = new Stage({
      lane: { active: 1, waiting: 0 },
      eventLane: { active: 2, waiting: 3 },
      execute: async (_, { note }) => {
        if (note === 'asked') return DONE
        most = Math.max(most, ++running)
        await opened
        running--
        return DONE
      },
    })
    await stage.join()
    const submitted = await Promise.all(Array.from({ length: 7 }, () => stage.submit()))
    t.strictSame(submitted.map(codeOf), [
      ...Array.from({ length: 5 }, () => 'ok'),
      'system:busy',
      'system:busy',
    ])
    for (let turns = 0; turns < 20; turns++) await turn()
    t.match(stage.k.engine.events.state(), { queued: 3, running: 2, refused: 2 })
    t.strictSame(stage.k.engine.state(), { active: 0, waiting: 0, refused: 0 }, 'of requests it is nothing')
    t.equal((await stage.ask('asked')).result.status, 'succeeded', 'the player may ask meanwhile')
    open()
    for (const result of submitted.slice(0, 5)) await stage.until(valueOf(result), 'DONE')
    t.equal(most, 2)
    t.match(stage.k.engine.events.state(), { queued: 0, running: 0, done: 5 })
  },
)

void t.test('what ends a task FAILED, and what is told of it', async (t) => {
  const cases = [
    ['a failure', async () => failedResult(failure('system:cost_missing')), 'system:cost_missing'],
    ['a throw', () => Promise.reject(new Error('boom')), 'system:internal'],
    ['nonsense', async () => 'nonsense' as never, 'system:internal'],
  ] as const
  for (const [name, execute, code] of cases) {
    const stage = new Stage({ execute })
    await stage.join()
    const id = valueOf(await stage.submit())
    const task = await stage.until(id, 'FAILED')
    t.ok(task.over > 0, name)
    t.match(stage.k.logger.messages().at(-1), new RegExp(`${id}.*${code}`))
    t.strictSame(stage.k.shown, [])
    t.match(stage.k.engine.events.state(), { failed: 1, done: 0 })
  }
})

void t.test('the deadline ends a task that waits and one that runs', async (t) => {
  const { opened } = gate()
  const stage = new Stage({
    eventLane: { active: 1, waiting: 4 },
    policy: { ttlMillis: 20_000 },
    execute: async () => {
      await opened
      return DONE
    },
  })
  await stage.join()
  const running = valueOf(await stage.submit())
  await stage.until(running, 'RUNNING')
  const queued = valueOf(await stage.submit())
  await stage.k.advance(20_000)
  for (const id of [running, queued]) t.match(await stage.until(id, 'FAILED'), { attempts: 0 })
  await stage.k.advance(3_000)
  t.match(stage.k.logger.messages(), [/deadline/, /deadline/, /still running/])
  t.match(stage.k.engine.events.state(), { queued: 0, running: 0, failed: 2 })
})

void t.test('event tasks call only tools that say so, and read what they like', async (t) => {
  const tool = (id: string, over: object) => ({
    type: { ...count, id, ...over },
    owner: identifier('test:owner'),
    handler: () => ({ n: 1 }),
  })
  const tools = [tool('writes', { events: false }), tool('reads', { write: false, events: false })]
  const stage = new Stage({
    tools,
    execute: async (context, { note }) => {
      t.ok((await context.tool(tools[1]?.type as typeof count, { by: 1 })).ok)
      if (note !== 'read') await context.tool(tools[0]?.type as typeof count, { by: 1 })
      return DONE
    },
  })
  await stage.join()
  await stage.until(valueOf(await stage.submit('read')), 'DONE')
  await stage.until(valueOf(await stage.submit('write')), 'FAILED')
  t.equal((await stage.ask()).result.status, 'succeeded', 'a player who asks may')
})

void t.test('a result that can not be shown fails nothing', async (t) => {
  const stage = new Stage()
  Object.assign(stage.k.kernel.events, {
    onResult: () => {
      throw new Error('boom')
    },
  })
  await stage.join()
  await stage.until(valueOf(await stage.submit()), 'DONE')
  t.match(stage.k.logger.messages(), ['the result of an event task could not be shown'])
})

void t.test('an end that is not kept is kept later', async (t) => {
  const stage = new Stage({
    execute: async () => {
      stage.disk.fate = ({ kind }) => (kind === 'commit' ? 'system:storage_failed' : null)
      return DONE
    },
  })
  await stage.join()
  const id = valueOf(await stage.submit())
  for (let turns = 0; turns < 20; turns++) await turn()
  stage.disk.fate = () => null
  t.match(await stage.task(id), { state: 'RUNNING' })
  await stage.k.advance(5_000)
  await stage.until(id, 'DONE')
})

void t.test(
  'an interactive module is no event task, and the other way round nothing is shared',
  async (t) => {
    const stage = new Stage({
      execute: async (context) => {
        await context.tool(count, { by: 1 }, { step: 'pay' })
        return DONE
      },
    })
    await stage.join()
    const ids = [valueOf(await stage.submit()), valueOf(await stage.submit('x', { module: ASKED }))]
    await stage.ask()
    for (const id of ids) await stage.until(id, 'DONE')
    t.equal((await stage.kept()).n, 3, 'each task has steps of its own')
  },
)
