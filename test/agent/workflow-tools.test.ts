/** Workflows as tools of a loop: run inside of its request, or put before the player as a card. */
import t from 'tap'
import { z } from 'zod'
import {
  FAST_POLICY,
  shown,
  type AgentModule,
  type ExecutionContext,
  type Observation,
  type ReactOutcome,
  type Tool,
} from '../../lib/agent/index.js'
import { confirmationCardType } from '../../lib/agent/index.js'
import { failure } from '../../lib/core/failure.js'
import { identifier } from '../../lib/core/ids.js'
import { ScriptedModel, type ModelStep } from '../../lib/testing/index.js'
import { codeOf, DONE, testModule, TestKernel, testTool, turn, type KernelSetup } from '../support/kernel.js'

const answer = z.strictObject({ text: z.string(), sources: z.array(z.int()).default([]) })
const ANSWER = { type: 'answer', text: 'Done.', sources: [1] }
const call = (type: string, input: unknown = {}): Record<string, unknown> => ({ type, input })
const card = (n: number) => ({ type: identifier('test:card'), data: { n } })

const POLICY = {
  modelCalls: 6,
  toolCalls: 6,
  steps: 20,
  reactIterations: 6,
  ttlMillis: 90_000,
  modelTimeoutMillis: 30_000,
}

interface Ran {
  readonly k: TestKernel
  readonly code: string
  readonly observations: readonly Observation[]
  readonly outcome: ReactOutcome<unknown> | null
}

/** A loop over the given workflows, by the given replies. */
async function converse(
  modules: readonly AgentModule[],
  replies: readonly ModelStep[],
  setup: KernelSetup & { readonly during?: (k: TestKernel) => void } = {},
): Promise<Ran> {
  const seen: { outcome: ReactOutcome<unknown> | null } = { outcome: null }
  const chat = testModule(
    'test:chat',
    async (context) => {
      seen.outcome = await context.react({
        question: 'q',
        prompt: 'react',
        tools: [],
        workflows: true,
        answer,
      })
      return DONE
    },
    { policy: POLICY },
  )
  const k = new TestKernel({ model: new ScriptedModel(...replies), modules: [chat, ...modules], ...setup })
  const running = k.command(await k.join(), 'test:chat')
  setup.during?.(k)
  const code = codeOf(await running)
  return { k, code, outcome: seen.outcome, observations: seen.outcome?.observations ?? [] }
}

const offered = ({ k }: Ran): readonly string[] =>
  [...JSON.stringify(k.model.requests[0]).matchAll(/test:[a-z]+/g)].map(([id]) => id)

const input = z.strictObject({ n: z.int() })
const look = (execute: (context: ExecutionContext, n: number) => Promise<unknown>, over = {}): AgentModule =>
  ({
    ...testModule('test:look', () => Promise.resolve(DONE), over),
    action: input,
    execute: (context: ExecutionContext, action: { n: number }) => execute(context, action.n),
  }) as unknown as AgentModule

void t.test('one that reads is run inside, its card is kept, the model reads what it gave', async (t) => {
  const ran = await converse(
    [
      look((context, n) => {
        t.equal(context.card, null)
        t.equal(context.playerName, 'alice')
        return Promise.resolve(shown(card(n)))
      }),
    ],
    [call('test:look', { n: 7 }), ANSWER],
  )
  t.match(ran.observations, [{ id: 1, tool: 'test:look', input: { n: 7 }, card: card(7) }])
  t.match(ran.outcome, { end: 'answer', answer: { text: 'Done.', sources: [1] } })
  t.match(JSON.stringify(ran.k.model.requests[1]), /succeeded/)
  t.match(JSON.stringify(ran.k.model.requests[1]), /test:card/)
})

const writer = testTool(
  { id: 'write', write: true, input: z.strictObject({}), output: z.strictObject({}) },
  () => ({}),
)
const { reasoning: _, ...writeType } = writer.type
const WRITE: Tool = { ...writer, type: writeType }
const pay = (ran: { times: number }, over: object = {}): AgentModule => ({
  ...testModule('test:pay', () => Promise.resolve(DONE), {
    policy: { writeSteps: 1 },
    tools: ['write'],
    ...over,
  }),
  action: z.strictObject({ to: z.string(), n: z.int().default(1) }),
  execute() {
    ran.times += 1
    return Promise.resolve(DONE)
  },
})

void t.test('one that writes is never run: a card asks for the decoded action', async (t) => {
  for (const over of [{}, { policy: { writeSteps: 0 } }, { tools: [], policy: { writeSteps: 1 } }]) {
    const paid = { times: 0 }
    const ran = await converse(
      [pay(paid, over)],
      [call('test:pay', { to: '§4bob' }), call('test:pay', { to: '§4bob', n: 1 }), ANSWER],
      { tools: [WRITE] },
    )
    t.equal(paid.times, 0, 'nothing is done by the choice of a model')
    t.equal(ran.observations.length, 1, 'the same action again is a repeat')
    const kept = ran.observations[0]?.card
    t.same(kept, {
      type: confirmationCardType.id,
      data: { module: 'test:pay', help: 'system.command.help.ask', input: { to: '§4bob', n: 1 } },
    })
    const view = confirmationCardType.build(confirmationCardType.schema.parse(kept?.data))
    t.match(view.buttons, [
      { action: { kind: 'server', module: 'test:pay', params: {}, input: { to: '§4bob', n: 1 } } },
    ])
    t.match(
      view.lines.filter(({ kind }) => kind === 'row').map((line) => line),
      [
        {},
        { label: { params: { name: 'to' } }, value: '\\u{a7}4bob' },
        { label: { params: { name: 'n' } }, value: '1' },
      ],
    )
    t.match(JSON.stringify(ran.k.model.requests[1]), /Nothing has been done/)
  }
})

void t.test('a policy of the host that lets it write makes a card of it', async (t) => {
  let runs = 0
  const harmless = look(() => {
    runs += 1
    return Promise.resolve(DONE)
  })
  const policies = { policies: { 'test:look': { ...FAST_POLICY, writeSteps: 1 } } }
  const ran = await converse([harmless], [call('test:look', { n: 1 }), ANSWER], { policies })
  t.equal(runs, 0)
  t.equal(ran.observations[0]?.card?.type, confirmationCardType.id)
})

void t.test('no flood of cards, and none that could not be read whole', async (t) => {
  const replies = ['a', 'b', 'c', 'd'].map((to) => call('test:pay', { to }))
  const ran = await converse([pay({ times: 0 })], [...replies, ANSWER], { tools: [WRITE] })
  t.equal(ran.observations.filter((o) => o.card !== null).length, 3)
  const long = await converse([pay({ times: 0 })], [call('test:pay', { to: 'x'.repeat(2_000) }), ANSWER], {
    tools: [WRITE],
  })
  t.match(long.observations, [
    { card: null, outcome: { ok: false, failure: { code: 'system:tool_too_large' } } },
  ])
})

void t.test('what a model may not choose is no tool, whatever it says', async (t) => {
  let runs = 0
  const count = (): Promise<unknown> => {
    runs += 1
    return Promise.resolve(DONE)
  }
  const ran = await converse(
    [
      testModule('test:button', count, { routing: { selection: 'STRUCTURED_ONLY' } }),
      testModule('test:model', count, { needs: 'route' }),
      testModule('test:closed', count),
      testModule('test:explicit', count, { routing: { selection: 'EXPLICIT_ONLY' } }),
    ],
    [
      call('test:button'),
      call('test:model'),
      call('test:closed'),
      call('test:chat'),
      call('test:explicit'),
      ANSWER,
    ],
    { access: (_, module) => (module === 'test:closed' ? failure('system:module_closed') : null) },
  )
  t.same([...new Set(offered(ran))], ['test:explicit'])
  t.equal(runs, 1)
  t.same(
    ran.observations.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.failure.code)),
    [...Array<string>(4).fill('system:unknown_tool'), 'ok'],
  )
})

void t.test('inputs of the wrong shape, failures and throws are things that the model learns', async (t) => {
  const ran = await converse(
    [
      look((_, n) => {
        if (n === 1) throw new Error('secret /etc/passwd')
        if (n === 2) return Promise.resolve('nonsense')
        return Promise.resolve({
          ...DONE,
          status: 'failed',
          failure: failure('system:unknown_item', { query: 'x' }),
        })
      }),
    ],
    [
      call('test:look', { n: 'seven' }),
      call('test:look', { n: 1 }),
      call('test:look', { n: 2 }),
      call('test:look', { n: 3 }),
      ANSWER,
    ],
  )
  t.same(
    ran.observations.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.failure.code)),
    ['system:tool_input', 'system:tool_failed', 'system:tool_failed', 'system:unknown_item'],
  )
  t.notMatch(JSON.stringify(ran.k.model.requests), /passwd/)
  t.match(ran.k.logger.messages(), [/module test:look failed as a tool of test:chat/, /test:look/])
})

const twice = testTool({ id: 'twice', kind: 'async', input, output: input }, ({ n }) => ({ n: 2 * n }))

void t.test('what it uses is counted inside and outside', async (t) => {
  const codes: string[] = []
  const greedy = look(
    async (context) => {
      for (let n = 0; n < 9; n++) {
        const used = await context.tool(twice.type, { n })
        codes.push(used.ok ? 'ok' : used.failure.code)
      }
      return DONE
    },
    { tools: ['twice'], policy: { toolCalls: 20, steps: 40 } },
  )
  await converse([greedy], [call('test:look', { n: 1 }), call('test:look', { n: 2 }), ANSWER], {
    tools: [twice],
  })
  // six tool calls in all, the first of them is the workflow itself
  t.same(codes, [...Array<string>(5).fill('ok'), ...Array<string>(4).fill('system:budget_tool_calls')])
})

void t.test('its own policy holds too', async (t) => {
  const codes: string[] = []
  const modest = look(
    async (context) => {
      for (let n = 0; n < 3; n++) {
        const used = await context.tool(twice.type, { n })
        codes.push(used.ok ? 'ok' : used.failure.code)
      }
      return DONE
    },
    { tools: ['twice'], policy: { toolCalls: 2 } },
  )
  await converse([modest], [call('test:look', { n: 1 }), ANSWER], { tools: [twice] })
  t.same(codes, ['ok', 'ok', 'system:budget_tool_calls'])
})

void t.test('one that takes too long is over, its doors are closed, and the loop goes on', async (t) => {
  const inner: { context?: ExecutionContext } = {}
  let k: TestKernel | undefined
  const never = look(
    (context) => {
      inner.context = context
      return new Promise(() => {})
    },
    { tools: ['twice'], policy: { ttlMillis: 2_000, modelTimeoutMillis: 1_000 } },
  )
  const running = converse([never], [call('test:look', { n: 1 }), ANSWER], {
    tools: [twice],
    during: (kernel) => void (k = kernel),
  })
  while (inner.context === undefined) await turn()
  await k?.advance(3_000)
  const ran = await running
  t.match(ran.outcome, { end: 'answer' })
  t.match(ran.observations, [{ outcome: { ok: false, failure: { code: 'system:tool_failed' } } }])
  await t.rejects(inner.context.tool(twice.type, { n: 1 }), /system:cancelled/)
})

void t.test('a cancel, a lost right and a closed workflow end the whole request', async (t) => {
  for (const [how, code] of [
    ['cancel', 'system:cancelled'],
    ['level', 'system:chat_off_self'],
    ['closed', 'system:module_closed'],
  ] as const) {
    let isClosed = false
    const inner: { k?: TestKernel; context?: ExecutionContext; go?: () => void } = {}
    const waits = look(
      async (context) => {
        inner.context = context
        await new Promise<void>((resolve) => (inner.go = resolve))
        await context.tool(twice.type, { n: 1 })
        return DONE
      },
      { tools: ['twice'] },
    )
    const running = converse([waits], [call('test:look', { n: 1 })], {
      tools: [twice],
      access: (_, module) => (isClosed && module === 'test:look' ? failure('system:module_closed') : null),
      during: (k) => void (inner.k = k),
    })
    while (inner.context === undefined || inner.k === undefined) await turn()
    const { k } = inner
    if (how === 'cancel') k.engine.cancel(inner.context.player)
    else if (how === 'level') await k.preferences.set(inner.context.player, { freeChat: false })
    else isClosed = true
    inner.go?.()
    const ran = await running
    t.equal(ran.code, code, how)
    t.equal(k.model.requests.length, 1, 'no last word')
    await t.rejects(inner.context.tool(twice.type, { n: 1 }))
  }
})

void t.test('one that is closed under way, or behind its use, gives no card and no last word', async (t) => {
  for (const moment of ['in it', 'behind it', 'before the answer', 'never'] as const) {
    let isClosed = false
    const closes = look((context, n) => {
      t.ok(context)
      if (moment === 'in it') isClosed = true
      // the result is there, and the right is lost in the same turn
      if (moment === 'behind it') queueMicrotask(() => (isClosed = true))
      return Promise.resolve(shown(card(n)))
    })
    const last: ModelStep = () => {
      if (moment === 'before the answer') isClosed = true
      return ANSWER
    }
    const ran = await converse([closes], [call('test:look', { n: 1 }), last], {
      access: (_, module) => (isClosed && module === 'test:look' ? failure('system:module_closed') : null),
    })
    t.equal(ran.code, moment === 'never' ? 'ok' : 'system:module_closed', moment)
    if (moment !== 'never') t.equal(ran.outcome, null, 'the loop gives nothing')
    const told = JSON.stringify(ran.k.model.requests.slice(1))
    if (moment === 'in it') t.notMatch(told, /test:card/, 'nor does a model read it')
  }
})

void t.test('a workflow that loses its configuration, and one that was not used', async (t) => {
  for (const [used, code] of [
    ['test:look', 'system:module_closed'],
    ['test:other', 'ok'],
  ] as const) {
    const type = identifier('test:type')
    const north = {
      id: identifier('test:north'),
      value: { type, parameters: {}, condition: null, client: null },
    }
    let open = [north]
    const named = look((context) => {
      t.equal(context.configuration?.id, north.id)
      return Promise.resolve(DONE)
    })
    const other = testModule('test:other', () => Promise.resolve(DONE))
    const last: ModelStep = () => {
      open = []
      return ANSWER
    }
    const input = used === 'test:look' ? { n: 1 } : {}
    const ran = await converse([named, other], [call(used, input), last], {
      configurations: () => open,
      openedBy: (module) => (module === 'test:look' ? [type] : []),
    })
    t.equal(ran.code, code)
  }
})

void t.test('inside of a workflow there are no further ones', async (t) => {
  let got: unknown
  const deeper = look(
    async (context) => {
      got = await context.react({ question: 'q', prompt: 'react', tools: [], workflows: true, answer })
      return DONE
    },
    { policy: POLICY },
  )
  const ran = await converse(
    [deeper],
    [call('test:look', { n: 1 }), call('test:look', { n: 2 }), ANSWER, ANSWER],
  )
  t.match(got, {
    end: 'answer',
    observations: [{ outcome: { ok: false, failure: { code: 'system:unknown_tool' } } }],
  })
  t.match(ran.outcome, { end: 'answer' })
})
