/** Who may be run on which way: asked of the rule, and of an engine whose router lies. */
import t from 'tap'
import { AgentEngine, Registry, Router, type AgentModule, type Selection } from '../../../lib/agent/index.js'
import { Budget } from '../../../lib/agent/budget.js'
import { Execution } from '../../../lib/agent/execution.js'
import { LiveRequest, type RouteSource } from '../../../lib/agent/live-request.js'
import { selectionRefusal } from '../../../lib/agent/routing/doors.js'
import { randomIds } from '../../../lib/core/ids.js'
import { codeOf, DONE, TestKernel, testModule } from '../../support/kernel.js'
import { writeTool } from './write-tool.js'

const SOURCES: readonly RouteSource[] = ['structured', 'command', 'local', 'cache', 'model', 'event']
/** Written out: the contract, not the code. */
const ALLOWED: Readonly<Record<Selection, readonly RouteSource[]>> = {
  NORMAL: SOURCES,
  EXPLICIT_ONLY: ['structured', 'command', 'model', 'event'],
  STRUCTURED_ONLY: ['structured', 'event'],
}
const SELECTIONS = ['NORMAL', 'EXPLICIT_ONLY', 'STRUCTURED_ONLY'] as const

const write = writeTool()

let ran = 0
const modules: readonly AgentModule[] = SELECTIONS.map((selection) =>
  testModule(
    `test:${selection.toLowerCase()}`,
    () => {
      ran += 1
      return Promise.resolve(DONE)
    },
    { routing: { selection } },
  ),
)

void t.test('the rule', async (t) => {
  for (const selection of SELECTIONS)
    for (const source of SOURCES) {
      const refused = selectionRefusal({ routing: { selection } }, source)
      t.equal(refused?.code, ALLOWED[selection].includes(source) ? undefined : 'system:no_permission')
    }
  t.equal(selectionRefusal({ routing: { selection: 'NORMAL' } }, null), null)
  for (const selection of ['EXPLICIT_ONLY', 'STRUCTURED_ONLY'] as const)
    t.ok(selectionRefusal({ routing: { selection } }, null), 'a way that nobody knows')
})

void t.test('the execution door keeps it, whoever comes through', async (t) => {
  const k = new TestKernel({ modules })
  const session = k.sessions.get(await k.join())
  if (session === undefined) throw new Error('gone')
  for (const [at, selection] of SELECTIONS.entries())
    for (const source of SOURCES) {
      const module = k.registry.modules()[at]
      if (module === undefined) throw new Error('missing')
      const request = new LiveRequest(randomIds.requestId(), session, k.kernel)
      request.source = source
      const budget = new Budget(module.policy, k.clock, { acceptedAt: request.acceptedAt })
      const execution = new Execution(k.kernel, { request, module, budget })
      let isRun = false
      const run = execution.measured(() => {
        isRun = true
      })
      if (ALLOWED[selection].includes(source)) await run
      else
        t.match(await run.catch((thrown: unknown) => thrown), { failure: { code: 'system:no_permission' } })
      t.equal(isRun, ALLOWED[selection].includes(source), `${selection} ${source}`)
    }
})

void t.test('a router that lies about the way runs nothing that it may not', async (t) => {
  for (const [at, selection] of SELECTIONS.entries())
    for (const source of SOURCES) {
      const k = new TestKernel({ modules })
      const player = await k.join()
      const module = k.registry.modules()[at]
      if (module === undefined) throw new Error('missing')
      const router = new Router(k.kernel, { route: async () => null, nearest: async () => [] })
      router.routeLocally = async () => ({ source, module, action: {} })
      const engine = new AgentEngine(k.kernel, router, () => k.lane)
      const byModel = new Router(k.kernel, { route: async () => null, nearest: async () => [] })
      byModel.routeByModel = async () => ({ ok: true, value: { source, module, action: {} } })
      const second = new AgentEngine(k.kernel, byModel, () => k.lane)
      for (const lied of [engine, second]) {
        ran = 0
        const outcome = await lied.submit(player, { kind: 'text', text: 'do it' })
        // a sentence is no press and no event either
        const may = ALLOWED[selection].includes(source) && ['local', 'cache', 'model'].includes(source)
        t.equal(codeOf(outcome), may ? 'ok' : 'system:no_permission', `${selection} ${source}`)
        t.equal(ran, may ? 1 : 0)
      }
    }
})

void t.test('a button runs what only buttons may, a command does not', async (t) => {
  const k = new TestKernel({ modules })
  const player = await k.join()
  const module = k.registry.modules()[2]
  if (module === undefined) throw new Error('missing')
  for (const source of ['structured', 'command'] as const) {
    ran = 0
    const outcome = await k.engine.submit(player, { kind: 'action', source, module: module.id, input: {} })
    t.equal(codeOf(outcome), source === 'structured' ? 'ok' : 'system:no_permission')
    t.equal(ran, source === 'structured' ? 1 : 0)
  }
})

void t.test('what writes does not begin with a guess, even when the router says so', async (t) => {
  const writing = testModule(
    'test:writing',
    async (context) => {
      const done = await context.tool(write.type, {})
      return { ...DONE, ...(done.ok ? {} : { status: 'failed', failure: done.failure }) }
    },
    { tools: [write.type.id], policy: { toolCalls: 1, writeSteps: 1, steps: 1 } },
  )
  for (const source of ['local', 'cache', 'model'] as const) {
    const k = new TestKernel({ modules: [writing], tools: [write] })
    const player = await k.join()
    const module = k.registry.findModule('test:writing')
    if (module === undefined) throw new Error('missing')
    const router = new Router(k.kernel, { route: async () => null, nearest: async () => [] })
    router.routeLocally = async () => ({ source, module, action: {} })
    const engine = new AgentEngine(k.kernel, router, () => k.lane)
    const outcome = engine.submit(player, { kind: 'text', text: 'do it' })
    for (let turns = 0; turns < 5; turns += 1) {
      await new Promise(setImmediate)
      k.tickQueue.tick()
    }
    t.equal(codeOf(await outcome), source === 'model' ? 'ok' : 'system:no_permission', source)
  }
})

void t.test(
  'a writing module that slipped past registration is not guessed by an honest router',
  async (t) => {
    for (const isWriting of [true, false]) {
      const k = new TestKernel({ modules, tools: [write] })
      const session = k.sessions.get(await k.join())
      const found = k.registry.findModule('test:normal')
      if (session === undefined || found === undefined) throw new Error('missing')
      const tools = isWriting ? [write.type.id] : []
      const module = { ...found, tools, routing: { selection: 'NORMAL' as const, extract: () => ({}) } }
      const registry = new Registry()
      registry.findModule = () => module
      registry.findTool = (id) => k.registry.findTool(id)
      const router = new Router(
        { ...k.kernel, registry },
        {
          route: async (text) => ({ moduleId: 'test:normal', sentence: { text, item: null } }),
          nearest: async () => [],
        },
      )
      const routed = await router.routeLocally(
        new LiveRequest(randomIds.requestId(), session, k.kernel),
        'do it',
      )
      t.equal(routed?.module.id, isWriting ? undefined : 'test:normal')
    }
  },
)
