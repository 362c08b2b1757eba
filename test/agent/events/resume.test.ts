/** Event tasks over logouts, crashes, stops and new versions: what they began with holds until they are over. */
import t from 'tap'
import { z } from 'zod'
import { failedResult, type AgentResult, type ExecutionContext } from '../../../lib/agent/index.js'
import { failure, FailureError } from '../../../lib/core/failure.js'
import { DONE, turn } from '../../support/kernel.js'
import { valueOf } from '../../support/player-store.js'
import { count, gate, Stage, type StageSetup } from './stage.js'

/** A step, a wait, a step: ends in the wait in the first process. */
const twoSteps =
  (wait: () => Promise<unknown>) =>
  async (context: ExecutionContext): Promise<AgentResult> => {
    const first = await context.tool(count, { by: 2 }, { step: 'first' })
    if (!first.ok) return failedResult(first.failure)
    await wait()
    const second = await context.tool(count, { by: 3 }, { step: 'second' })
    return second.ok ? DONE : failedResult(second.failure)
  }
const never = () => new Promise<never>(() => {})

/** A process that has made its first step of a task, and waits. */
async function begun(setup: StageSetup = {}) {
  const stage = new Stage({ execute: twoSteps(never), policy: { ttlMillis: 60_000 }, ...setup })
  await stage.join()
  const id = valueOf(await stage.submit())
  while ((await stage.kept()).n < 2) await turn()
  const task = await stage.task(id)
  if (task === undefined) throw new Error('no task')
  return { stage, id, task }
}

/** The process after it, its clock as far on. */
const next = (before: Stage, setup: StageSetup = {}, afterMs = 1_000): Stage => {
  const stage = new Stage({
    disk: before.disk,
    player: before.player,
    execute: twoSteps(() => Promise.resolve()),
    ...setup,
  })
  stage.k.clock.advance(before.k.clock.now() - stage.k.clock.now() + afterMs)
  return stage
}

void t.test(
  'after a crash: the steps made are skipped, budget, policy and deadline are those of before',
  async (t) => {
    const { stage, id, task } = await begun()
    t.match(task, { state: 'RUNNING', spent: { writeSteps: 1, toolCalls: 1, steps: 1 } })
    // the module has another policy by now
    const later = next(stage, { policy: { writeSteps: 0, ttlMillis: 14_500 } }, 30_000)
    await later.join()
    const over = await later.until(id, 'DONE')
    t.equal(over.deadline, task.deadline)
    t.strictSame({ ...over.policy }, { ...task.policy })
    t.match(over.spent, { writeSteps: 2, toolCalls: 2, steps: 2 }, 'what was skipped is not charged again')
    t.equal((await later.kept()).n, 5)
    t.equal(later.handled, 1)
    t.match(over, { attempts: 0 })
  },
)

void t.test('the original deadline ends it, however late the server comes back', async (t) => {
  const { stage, id } = await begun()
  const later = next(stage, {}, 60_000)
  await later.join()
  await later.until(id, 'FAILED')
  t.equal((await later.kept()).n, 2)
  t.match(later.k.logger.messages(), [/has failed: system:deadline/])

  const again = await begun()
  const tight = next(again.stage, { execute: twoSteps(never) }, 59_000)
  await tight.join()
  await tight.until(again.id, 'RUNNING')
  await tight.k.advance(1_000)
  await tight.until(again.id, 'FAILED')
})

void t.test('a clock that was set back gives no task more than its own time', async () => {
  const { stage, id } = await begun()
  const later = next(stage, { execute: twoSteps(never) }, -500_000)
  await later.join()
  await later.until(id, 'RUNNING')
  await later.k.advance(60_000)
  await later.until(id, 'FAILED')
})

void t.test('after a logout it waits, and goes on at the next login', async (t) => {
  const { opened, open } = gate()
  const { stage, id, task } = await begun({ execute: twoSteps(() => opened) })
  stage.leave()
  t.match(await stage.until(id, 'WAITING'), { deadline: task.deadline, spent: { writeSteps: 1 } })
  t.match(stage.k.engine.events.state(), { running: 0, waiting: 1 })
  await stage.k.advance(10_000)
  t.match(await stage.task(id), { state: 'WAITING' })
  open()
  await stage.join()
  t.equal((await stage.until(id, 'DONE')).deadline, task.deadline)
  t.equal((await stage.kept()).n, 5)
  t.match(stage.k.engine.events.state(), { running: 0, waiting: 0, done: 1 })
})

void t.test('who comes again before the end of the first stay is kept does not lose the task', async (t) => {
  const { opened, open } = gate()
  const { stage, id } = await begun({ execute: twoSteps(() => opened) })
  open()
  stage.leave()
  await stage.join()
  await stage.until(id, 'DONE')
  t.equal((await stage.kept()).n, 5)
})

void t.test('a workflow of an earlier stay that goes on can do nothing', async (t) => {
  const { opened, open } = gate()
  const ends: string[] = []
  let runs = 0
  const { stage, id } = await begun({
    execute: async (context) => {
      if (++runs > 1) return twoSteps(() => Promise.resolve())(context)
      await context.tool(count, { by: 2 }, { step: 'first' })
      await opened
      await context
        .tool(count, { by: 9 }, { step: 'late' })
        .catch((thrown: Error) => ends.push(thrown.message))
      return DONE
    },
  })
  stage.leave()
  await stage.until(id, 'WAITING')
  await stage.join()
  await stage.until(id, 'DONE')
  open()
  for (let turns = 0; turns < 20; turns++) await turn()
  t.strictSame(ends, ['system:disconnected'])
  t.equal((await stage.kept()).n, 5)
})

void t.test('an orderly stop keeps it for the next start', async (t) => {
  const { stage, id, task } = await begun()
  const queued = valueOf(await stage.submit())
  const stopped = stage.k.engine.stop()
  await stage.k.advance(1_000)
  await stopped
  await stage.k.store.close()
  const later = next(stage)
  await later.join()
  t.equal((await later.until(id, 'DONE')).deadline, task.deadline)
  await later.until(queued, 'DONE')
  t.equal((await later.kept()).n, 10)
})

void t.test('a stop is seen in what is kept', async () => {
  const { stage, id } = await begun()
  const stopped = stage.k.engine.stop()
  await stage.until(id, 'WAITING')
  await stage.k.advance(1_000)
  await stopped
})

void t.test('a rule that is gone, says no, throws or waits: FAILED, and nothing runs', async (t) => {
  const rules: readonly Partial<StageSetup>[] = [
    { rules: {} },
    { rule: () => false },
    {
      rule: () => {
        throw new Error('boom')
      },
    },
    { rule: (() => Promise.resolve(true)) as never },
    { rule: () => 1 as never },
  ]
  for (const rule of rules) {
    const { stage, id } = await begun()
    const later = next(stage, rule)
    await later.join()
    t.ok((await later.until(id, 'FAILED')).over > 0)
    t.strictSame([(await later.kept()).n, later.handled], [2, 0])
    t.match(later.k.logger.messages().at(-1), /no_permission \(test:rule doesn't authorize it\)/)
  }
})

void t.test('module versions: listed, taken over, refused', async (t) => {
  const cases: readonly [string, StageSetup['module'], 'DONE' | 'FAILED', string][] = [
    ['the same', { version: 1 }, 'DONE', 'x'],
    ['listed', { version: 3, resumes: [1, 2] }, 'DONE', 'x'],
    [
      'taken over',
      {
        version: 3,
        resumes: (input, version) => ({ note: `${(input as { note: string }).note} of ${version}` }),
      },
      'DONE',
      'x of 1',
    ],
    ['not listed', { version: 3, resumes: [2] }, 'FAILED', ''],
    ['nothing said', { version: 2 }, 'FAILED', ''],
    [
      'a throw',
      {
        version: 2,
        resumes: () => {
          throw new Error('too old')
        },
      },
      'FAILED',
      '',
    ],
    [
      'a schema that throws',
      {
        action: z.strictObject({ note: z.string() }).transform(() => {
          throw new Error('boom')
        }),
      },
      'FAILED',
      '',
    ],
    ['an input that is none', { version: 2, resumes: () => ({ other: 1 }) }, 'FAILED', ''],
    ['a promise', { version: 2, resumes: () => Promise.resolve({ note: 'x' }) }, 'FAILED', ''],
  ]
  for (const [name, module, state, note] of cases) {
    const { stage, id } = await begun()
    let seen = ''
    const later = next(stage, {
      module: { ...module },
      execute: async (_, action) => {
        seen = action.note
        return DONE
      },
    })
    await later.join()
    await later.until(id, state)
    t.equal(seen, note, name)
  }
})

void t.test('a module that is gone, and a policy that can not be read', async (t) => {
  const gone = await begun()
  const later = next(gone.stage, { module: { routing: { selection: 'NORMAL' } } })
  await later.join()
  await later.until(gone.id, 'FAILED')
  t.match(later.k.logger.messages().at(-1), /unknown_module/)
})

void t.test('a lost thread: once more after five seconds, then FAILED; the attempts are kept', async (t) => {
  let runs = 0
  const lost = async (context: ExecutionContext): Promise<AgentResult> => {
    runs++
    await context.tool(count, { by: 2 }, { step: 'first' })
    return failedResult(failure('system:worker_lost'))
  }
  const stage = new Stage({ execute: lost, policy: { ttlMillis: 60_000 } })
  await stage.join()
  const id = valueOf(await stage.submit())
  t.match(await stage.until(id, 'WAITING'), { attempts: 1 })
  t.match(stage.k.engine.events.state(), { waiting: 1, running: 0 })
  await stage.k.advance(4_000)
  t.equal(runs, 1)
  await stage.k.advance(1_000)
  t.match(await stage.until(id, 'FAILED'), { attempts: 2 })
  t.equal(runs, 2)
  t.equal((await stage.kept()).n, 2)

  const cut = new Stage({ execute: lost, policy: { ttlMillis: 60_000 } })
  await cut.join()
  const other = valueOf(await cut.submit())
  await cut.until(other, 'WAITING')
  const later = next(cut, { execute: lost })
  await later.join()
  t.match(await later.until(other, 'FAILED'), { attempts: 2 }, 'a restart gives no further attempt')

  runs = 0
  const healed = new Stage({
    execute: (context) => (runs === 0 ? lost(context) : twoSteps(() => Promise.resolve())(context)),
  })
  await healed.join()
  const third = valueOf(await healed.submit())
  await healed.until(third, 'WAITING')
  await healed.k.advance(5_000)
  t.match(await healed.until(third, 'DONE'), { attempts: 1 })
  t.equal((await healed.kept()).n, 5)
})

void t.test('a logout in the pause before the second run', async (t) => {
  let runs = 0
  const stage = new Stage({
    execute: async () => (++runs === 1 ? failedResult(failure('system:worker_lost')) : DONE),
  })
  await stage.join()
  const id = valueOf(await stage.submit())
  await stage.until(id, 'WAITING')
  stage.leave()
  await stage.k.advance(10_000)
  t.equal(runs, 1)
  t.match(stage.k.engine.events.state(), { waiting: 1 })
  await stage.join()
  t.match(await stage.until(id, 'DONE'), { attempts: 1 })
})

void t.test('more tasks than places go on one after the other', async (t) => {
  const first = new Stage({ execute: never, eventLane: { active: 2, waiting: 8 } })
  await first.join()
  const ids: string[] = []
  for (let task = 0; task < 10; task++) {
    ids.push(valueOf(await first.submit(String(task))))
    first.k.clock.advance(1)
  }
  const order: string[] = []
  const later = next(first, {
    eventLane: { active: 1, waiting: 2 },
    execute: async (_, { note }) => {
      order.push(note)
      return DONE
    },
  })
  await later.join()
  t.match(later.k.engine.events.state(), { queued: 9, running: 1 })
  for (const id of ids) await later.until(id, 'DONE')
  t.strictSame(order, ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], 'the oldest first')
  t.match(later.k.engine.events.state(), { queued: 0, running: 0, done: 10, refused: 0 })
})

void t.test('without a System nothing runs and nothing is lost', async (t) => {
  const { stage, id } = await begun()
  const later = next(stage, { access: () => failure('system:system_missing') })
  await later.join()
  for (let turns = 0; turns < 20; turns++) await turn()
  t.match(await later.task(id), { state: 'RUNNING', over: 0 })
  const last = next(later)
  await last.join()
  await last.until(id, 'DONE')
})

void t.test('a revoke ends what runs, and what was kept is gone', async (t) => {
  const { opened, open } = gate()
  const { stage, id } = await begun({ execute: twoSteps(() => opened) })
  stage.k.store.endViews(stage.player)
  stage.k.sessions.moveGeneration(stage.player)
  valueOf(await stage.k.store.revoke(stage.player))
  open()
  for (let turns = 0; turns < 20; turns++) await turn()
  t.equal(await stage.task(id), undefined)
  const { n, receipts } = await stage.kept()
  t.strictSame([n, receipts.size], [0, 0])
  t.match(stage.k.engine.events.state(), { running: 0, waiting: 0, failed: 1 })
})

void t.test(
  'a workflow that says that its player has gone, while the player is here, has failed',
  async (t) => {
    for (const code of ['system:disconnected', 'system:stopping'] as const)
      for (const execute of [
        () => Promise.resolve(failedResult(failure(code))),
        () => Promise.reject(new FailureError(failure(code))),
      ]) {
        const stage = new Stage({ execute })
        await stage.join()
        await stage.until(valueOf(await stage.submit()), 'FAILED')
        t.pass(code)
      }
  },
)
