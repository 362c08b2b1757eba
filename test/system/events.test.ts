/** Event tasks on a real server: submitted by a plugin, over logouts and restarts, and when a thread is lost. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import {
  EVENT_POLICY,
  failedResult,
  type AgentModule,
  type Registration,
  type Tool,
} from '../../lib/agent/index.js'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import { EVENT_TASKS, type StorageType } from '../../lib/storage/index.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { valueOf } from '../support/player-store.js'
import { consoleSays, joinReader, temporaryFolder, type SystemOptions } from '../support/system.js'

const COUNT: StorageType<{ readonly n: number }> = {
  id: identifier('test:count'),
  version: 1,
  schema: z.strictObject({ n: z.int() }),
  empty: { n: 0 },
}
const MODULE = identifier('test:event')
const RULE = identifier('test:rule')
const WORKERS = new URL('../fixtures/system-workers/', import.meta.url)

const count: Tool<{ by: number }, { n: number }> = {
  type: {
    id: 'test:count',
    input: z.strictObject({ by: z.int() }),
    output: z.strictObject({ n: z.int() }),
    kind: 'async',
    write: true,
    events: true,
  },
  owner: identifier('test:owner'),
  handler: ({ by }, { commit }) =>
    commit((tx) => {
      const n = tx.get(COUNT).n + by
      tx.set(COUNT, { n })
      return { n }
    }),
}

/** What the workflow of a server does between its two steps. */
interface Between {
  wait: () => Promise<unknown>
  /** Asked of a model in between; null: nothing is. */
  question: string | null
}

const extension =
  (between: Between) =>
  (registration: Registration): void => {
    registration.texts('en_us', { 'test.counted': 'Counted to {n}.' })
    registration.storage(COUNT)
    registration.tool(count)
    registration.eventRule(RULE, () => true)
    const module: AgentModule<{ by: number }> = {
      id: MODULE,
      version: 1,
      action: z.strictObject({ by: z.int() }),
      description: 'Counts twice.',
      help: { key: 'system.command.help.ask' },
      tools: [count.type.id],
      policy: { ...EVENT_POLICY, modelCalls: 2 },
      routing: { selection: 'STRUCTURED_ONLY' },
      async execute(context, { by }) {
        const first = await context.tool(count.type, { by }, { step: 'first' })
        if (!first.ok) return failedResult(first.failure)
        await between.wait()
        if (between.question !== null) {
          const answer = z.strictObject({ text: z.string() })
          const asked = await context.complete({ question: between.question, prompt: 'question', answer })
          if (!asked.ok) return failedResult(asked.failure)
        }
        const second = await context.tool(count.type, { by }, { step: 'second' })
        if (!second.ok) return failedResult(second.failure)
        return { status: 'succeeded', message: { key: 'test.counted', params: second.value }, cards: [] }
      },
    }
    registration.module(module)
  }

const open = (t: Test, between: Between, options: SystemOptions = {}): Promise<LiveSystem> =>
  openLive(t, { ...options, register: extension(between) })

const submit = async ({ installation }: LiveSystem, player: PlayerId, by = 2): Promise<string> =>
  valueOf(await installation.submitEvent({ player, module: MODULE, input: { by }, rule: RULE }))

async function stateOf({ runtime }: LiveSystem, player: PlayerId, id: string) {
  const view = valueOf(await runtime.store.read(player))
  return { task: view.row(EVENT_TASKS, id), n: view.get(COUNT).n }
}

const never = () => new Promise<never>(() => {})
const atOnce = () => Promise.resolve()

void t.test('a plugin submits, the player reads the result, the status counts', async (t) => {
  const live = await open(t, { wait: atOnce, question: null })
  const alice = await live.join('alice')
  const id = await submit(live, alice.id)
  t.equal(await alice.reader.nextText(), 'Counted to 4.')
  t.match(await stateOf(live, alice.id, id), { task: { state: 'DONE' }, n: 4 })
  const status = await live.status()
  t.equal(status['events'], 'queued=0 running=0 waiting=0 done=1 failed=0 refused=0')
  t.equal(status['requests'], 'active=0 waiting=0 refused=0')
  t.match(status['routes'], /event=1$/)
  t.equal(status['slowest'], 'none', 'nobody waited for it')
  t.match(status['breaker'], 'closed')
  t.match(status['thread-breaker'], 'agent=closed crashes=0')
  await alice.ask('/system me')
  t.match((await live.status())['slowest'], /^module=system:player_info ms=\d+$/)
  const help = await consoleSays(live, 'system help')
  t.notMatch(help.join('\n'), /test:event|Counts twice/)
  t.strictSame([await alice.rest(), live.stray], [[], []])
})

void t.test('who leaves and comes back reads the result once', async (t) => {
  const between: Between = { wait: never, question: null }
  const live = await open(t, between)
  const alice = await live.join('alice')
  const id = await submit(live, alice.id)
  await eventually(() => live.runtime.store.online(alice.id)?.get(COUNT).n === 2)
  const before = await stateOf(live, alice.id, id)
  await alice.leave()
  await eventually(async () => (await stateOf(live, alice.id, id)).task?.state === 'WAITING')
  t.match((await live.status())['events'], /running=0 waiting=1/)
  between.wait = atOnce
  const back = await live.join('alice')
  t.equal(await back.reader.nextText(), 'Counted to 4.')
  const { task, n } = await stateOf(live, alice.id, id)
  t.match(task, { state: 'DONE', deadline: before.task?.deadline })
  t.equal(n, 4)
  t.strictSame([await back.rest(), live.stray], [[], []])
})

void t.test('an orderly stop keeps the task, the next server ends it', async (t) => {
  const folder = await temporaryFolder(t)
  const options: SystemOptions = {
    squid: { worldFolder: join(folder, 'world') },
    settings: { configFolder: join(folder, 'config') },
  }
  const first = await open(t, { wait: never, question: null }, options)
  const alice = await first.join('alice')
  const id = await submit(first, alice.id)
  await eventually(() => first.runtime.store.online(alice.id)?.get(COUNT).n === 2)
  const before = await stateOf(first, alice.id, id)
  await first.stop()
  t.strictSame(first.stray, [])

  const second = await open(t, { wait: atOnce, question: null }, options)
  t.match((await second.status())['events'], /running=0 waiting=0 done=0/, 'nobody is here')
  const back = await joinReader(t, second, 'alice')
  t.equal(await back.nextText(), 'Counted to 4.')
  const { task, n } = await stateOf(second, alice.id, id)
  t.match(task, { state: 'DONE', deadline: before.task?.deadline, createdAt: before.task?.createdAt })
  t.equal(n, 4)
})

void t.test('a lost thread: once more after five seconds, then it has failed', async (t) => {
  const between: Between = { wait: atOnce, question: 'exit' }
  const live = await open(t, between, { workersUrl: WORKERS })
  const alice = await live.join('alice')
  const id = await submit(live, alice.id)
  await eventually(() => live.runtime.engine.events.state().waiting === 1)
  t.match(await stateOf(live, alice.id, id), { task: { state: 'WAITING', attempts: 1 }, n: 2 })
  await eventually(() => live.runtime.engine.events.state().failed === 1)
  t.match(await stateOf(live, alice.id, id), { task: { state: 'FAILED', attempts: 2 }, n: 2 })
  t.match((await live.status())['thread-breaker'], 'agent=closed crashes=2')
  t.match(live.log.join('\n'), new RegExp(`event task ${id} .* system:worker_lost`))
  t.strictSame([await alice.rest(), live.stray], [[], []], 'nobody is told of what nobody asked for')
  t.match(live.runtime.usage.ledger.day().countsOf(alice.id), { calls: 0 })
})

void t.test('before the System is ready, and after its end, nothing is taken', async (t) => {
  const live = await open(t, { wait: atOnce, question: null })
  const alice = await live.join('alice')
  await live.stop()
  t.match(
    await live.installation.submitEvent({ player: alice.id, module: MODULE, input: { by: 1 }, rule: RULE }),
    { ok: false, failure: { code: 'system:stopping' } },
  )
})
