import t from 'tap'
import { z } from 'zod'
import { REASONING_POLICY, type Tool } from '../../lib/agent/index.js'
import { failure } from '../../lib/core/failure.js'
import { identifier, type Identifier, type PlayerId } from '../../lib/core/ids.js'
import type { Holder } from '../../lib/registry/index.js'
import type { ModuleConfiguration } from '../../lib/systems/index.js'
import { ScriptedModel, type ModelStep } from '../../lib/testing/index.js'
import { codeOf, DONE, TestKernel, testModule, testTool } from '../support/kernel.js'

const LINES = identifier('test:lines')

const configuration = (name: string, type: Identifier = LINES): Holder<ModuleConfiguration> => ({
  id: identifier(`test:${name}`),
  value: { type, parameters: { line: name }, condition: null, client: null },
})
const [NORTH, SOUTH] = [configuration('north'), configuration('south')]

/** Asks the line's office; what a test does meanwhile is its own. */
function office(during: () => void = () => {}): Tool {
  const tool = testTool(
    { id: 'test.line', input: z.strictObject({}), output: z.string(), kind: 'async' },
    (_, { configuration }) => {
      during()
      return `${configuration?.id ?? 'none'} ${String(configuration?.parameters['line'])}`
    },
  )
  return { ...tool, owner: LINES }
}

const answer = z.strictObject({ text: z.string() })
const reported: unknown[] = []

const loop = (tool: Tool) =>
  testModule(
    'test:loop',
    async (context) => {
      const outcome = await context.react({ question: 'x', prompt: 'react', tools: [tool.type], answer })
      reported.push(outcome)
      return DONE
    },
    { tools: [tool.type.id], policy: REASONING_POLICY },
  )

/** Who has which configurations open now. */
class Lines {
  readonly open = new Map<PlayerId, readonly Holder<ModuleConfiguration>[]>()
  readonly of = (player: PlayerId) => this.open.get(player) ?? []

  kernel(tool: Tool, ...steps: readonly ModelStep[]): TestKernel {
    reported.length = 0
    return new TestKernel({
      tools: [tool],
      modules: [
        loop(tool),
        testModule(
          'test:once',
          async (context) => {
            reported.push(await context.tool(tool.type as never, {} as never))
            return DONE
          },
          { tools: [tool.type.id] },
        ),
        testModule('test:named', async (context) => {
          reported.push(context.configuration)
          this.open.set(context.player, [SOUTH])
          reported.push(context.configuration)
          context.check()
          return DONE
        }),
        testModule('test:unnamed', async (context) => {
          this.open.set(context.player, [SOUTH])
          context.check()
          return DONE
        }),
      ],
      model: new ScriptedModel(...steps),
      configurations: this.of,
      openedBy: (module) => (module === 'test:named' ? [LINES] : []),
      ownerAccess: (player, owner) =>
        owner !== LINES || this.of(player).some(({ value }) => value.type === owner)
          ? null
          : failure('system:module_closed'),
    })
  }
}

const LOOK = { type: 'test.line', input: {} }
const SAY = { type: 'answer', text: 'done' }

void t.test('two players, two configurations of one tool, two answers', async (t) => {
  const lines = new Lines()
  const k = lines.kernel(office(), LOOK, SAY, LOOK, SAY)
  const [alice, bob] = [await k.join('alice'), await k.join('bob')]
  lines.open.set(alice, [configuration('other', identifier('test:other')), NORTH, SOUTH])
  lines.open.set(bob, [SOUTH, NORTH])
  for (const player of [alice, bob]) await k.command(player, 'test:once')
  t.strictSame(reported, [
    { ok: true, value: 'test:north north' },
    { ok: true, value: 'test:south south' },
  ])
  reported.length = 0
  for (const player of [alice, bob]) t.equal(codeOf(await k.command(player, 'test:loop')), 'ok')
  t.match(reported, [
    { end: 'answer', observations: [{ outcome: { value: 'test:north north' } }] },
    { end: 'answer', observations: [{ outcome: { value: 'test:south south' } }] },
  ])
})

void t.test('a loop keeps to the configuration that it began with', async (t) => {
  const lines = new Lines()
  const k = lines.kernel(
    office(() => lines.open.set(alice, [SOUTH, NORTH])),
    LOOK,
    { ...LOOK, input: {} },
    SAY,
  )
  const alice = await k.join()
  lines.open.set(alice, [NORTH, SOUTH])
  t.equal(codeOf(await k.command(alice, 'test:loop')), 'ok')
  t.match(reported, [{ end: 'answer', observations: [{ outcome: { value: 'test:north north' } }] }])
  await k.command(alice, 'test:once')
  t.match(reported[1], { value: 'test:south south' }, 'the next call takes what is first now')
})

void t.test('the loss of the configuration ends the request without a last word', async (t) => {
  const take = (lines: Lines, player: PlayerId, left: readonly Holder<ModuleConfiguration>[]) =>
    lines.open.set(player, left)
  for (const left of [[], [SOUTH]]) {
    for (const moment of ['before a use', 'in the tool', 'before the answer'] as const) {
      const lines = new Lines()
      const losing =
        (step: ModelStep): ModelStep =>
        () => {
          take(lines, alice, left)
          return step
        }
      const steps: Record<typeof moment, readonly ModelStep[]> = {
        'before a use': [losing(LOOK)],
        'in the tool': [LOOK],
        'before the answer': [LOOK, losing(SAY)],
      }
      const k = lines.kernel(
        office(() => moment === 'in the tool' && take(lines, alice, left)),
        ...steps[moment],
      )
      const alice = await k.join()
      lines.open.set(alice, [NORTH])
      const outcome = await k.command(alice, 'test:loop')
      t.equal(codeOf(outcome), 'system:module_closed', `${moment}, ${left.length} left`)
      t.strictSame(outcome.result.cards, [])
      t.strictSame(reported, [], 'the workflow goes no further')
      t.equal(k.model.requests.length, moment === 'before the answer' ? 2 : 1, 'no model is asked again')
    }
  }
})

void t.test('what is lost but was not used ends nothing', async (t) => {
  const lines = new Lines()
  const k = lines.kernel(office(), () => {
    lines.open.set(alice, [])
    return SAY
  })
  const alice = await k.join()
  lines.open.set(alice, [NORTH])
  t.equal(codeOf(await k.command(alice, 'test:loop')), 'ok')
})

void t.test('a direct call that loses its configuration in the tool', async (t) => {
  const lines = new Lines()
  const k = lines.kernel(office(() => lines.open.set(alice, [SOUTH])))
  const alice = await k.join()
  lines.open.set(alice, [NORTH])
  t.equal(codeOf(await k.command(alice, 'test:once')), 'system:module_closed')
})

void t.test('a workflow runs under its first configuration, once it has asked for it', async (t) => {
  const lines = new Lines()
  const k = lines.kernel(office())
  const alice = await k.join()
  for (const [module, code, seen] of [
    ['test:named', 'system:module_closed', [NORTH.id, NORTH.id]],
    ['test:unnamed', 'ok', []],
  ] as const) {
    reported.length = 0
    lines.open.set(alice, [NORTH, SOUTH])
    t.equal(codeOf(await k.command(alice, module)), code, module)
    t.strictSame(
      reported.map((found) => (found as { id: string }).id),
      seen,
    )
  }
})

void t.test('a tool whose owner has no configurations is told of none', async (t) => {
  const lines = new Lines()
  const k = lines.kernel({ ...office(), owner: identifier('test:plugin') })
  await k.command(await k.join(), 'test:once')
  t.strictSame(reported, [{ ok: true, value: 'none undefined' }])
})

void t.test('what was committed is told, even if it has closed what it was made under', async (t) => {
  const lines = new Lines()
  const { reasoning: _, ...type } = office().type
  const tool: Tool = {
    owner: LINES,
    type: { ...type, write: true },
    handler: (_, { player, commit }) =>
      commit(() => {
        lines.open.set(player, [])
        return 'the last ticket'
      }),
  }
  for (const [commits, code] of [
    [true, 'ok'],
    [false, 'system:module_closed'],
  ] as const) {
    const k = new TestKernel({
      tools: [
        commits ? tool : { ...tool, handler: (_, { player }) => (lines.open.set(player, []), 'no ticket') },
      ],
      modules: [
        testModule(
          'test:buys',
          async (context) => {
            reported.push(await context.tool(tool.type, {}))
            return DONE
          },
          { tools: [tool.type.id], policy: { writeSteps: 1 } },
        ),
      ],
      configurations: lines.of,
      ownerAccess: (player) => (lines.of(player).length > 0 ? null : failure('system:module_closed')),
    })
    const events: string[] = []
    k.trace.on((event) => {
      if (event.kind === 'receipt-committed') events.push(`${event.step} ${String(event.isRepeat)}`)
    })
    reported.length = 0
    const alice = await k.join()
    lines.open.set(alice, [NORTH])
    // the type object is the right to call it
    t.equal(codeOf(await k.command(alice, 'test:buys')), code)
    t.strictSame(reported, commits ? [{ ok: true, value: 'the last ticket' }] : [])
    t.strictSame(events, commits ? ['test.line false'] : [], 'the trace tells of the receipt')
  }
})
