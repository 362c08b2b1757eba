/** An extension of which each part fails in its own way, beside parts that work. */
import { z } from 'zod'
import {
  CHAT,
  FAST_POLICY,
  REASONING_POLICY,
  shown,
  type AgentModule,
  type ExecutionContext,
  type Registration,
  type ToolType,
} from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { failedResult } from '../../lib/agent/index.js'
import { failure, FailureError, type FailureCode } from '../../lib/core/failure.js'
import { identifier } from '../../lib/core/ids.js'

export const boom = (): never => {
  throw new Error('a mistake of its author')
}

/** Plain JavaScript may make a failure of a word of its own. */
const ownCode = (): never => {
  throw new FailureError(failure('bad:own' as FailureCode))
}
/** Throws what can't even be asked what it is. */
const hostile = (): never => {
  throw new Proxy(new Error('a mistake of its author'), { getPrototypeOf: boom })
}
/** A result that can be read once. */
function readOnce(): unknown {
  let reads = 0
  return {
    ...said('read once'),
    get failure() {
      return ++reads > 1 ? boom() : undefined
    },
  }
}

/** Computes on the main thread. */
export function compute(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const FUNCTIONS = new URL('../fixtures/author-functions.js', import.meta.url)
const owner = identifier('bad:plugin')
const empty = z.strictObject({})
const number = z.strictObject({ n: z.int() })
type Empty = z.infer<typeof empty>
type Numbers = z.infer<typeof number>
type Handler = () => unknown

const base = { input: empty, output: number, write: false, reasoning: 'For tests.' } as const

const saidSchema = z.strictObject({ text: z.string() })
const saidCard: CardType<z.infer<typeof saidSchema>> = {
  id: identifier('bad:said'),
  schema: saidSchema,
  build: ({ text }) => ({ title: null, lines: [{ kind: 'text', text }], buttons: [] }),
}
const said = (text: string) => shown(cardOf(saidCard, { text }))

/** Tools by the end of their id, with what a workflow of the same name calls. */
const TOOLS: Readonly<Record<string, readonly [Partial<ToolType<Empty, Numbers>>, Handler]>> = {
  throws: [{ kind: 'async' }, boom],
  rejects: [{ kind: 'async' }, () => Promise.reject(new Error('a mistake of its author'))],
  throws_in_tick: [{ kind: 'game' }, boom],
  promises_in_tick: [{ kind: 'game' }, () => Promise.resolve({ n: 1 })],
  own_code: [{ kind: 'async' }, ownCode],
  hostile_in_tick: [{ kind: 'game' }, hostile],
  gives_text: [{ kind: 'async' }, () => 'n'],
  gives_nothing: [{ kind: 'game' }, () => undefined],
  gives_more: [{ kind: 'async' }, () => ({ n: 1, more: true })],
  computes: [
    { kind: 'async' },
    () => {
      compute(200)
      return { n: 1 }
    },
  ],
  computes_in_tick: [
    { kind: 'game' },
    () => {
      compute(200)
      return { n: 1 }
    },
  ],
  never: [{ kind: 'async' }, () => new Promise(() => {})],
  input: [{ kind: 'async', input: z.strictObject({}).refine(boom).describe('nothing') }, () => ({ n: 1 })],
  transform: [{ kind: 'async', input: z.strictObject({}).transform(boom) }, () => ({ n: 1 })],
  output: [{ kind: 'async', output: number.refine(boom) }, () => ({ n: 1 })],
}
/** Tools that work, but for what a loop asks of them. */
const CLOSURES: Readonly<Record<string, Partial<ToolType<Empty, Numbers>>>> = {
  project: { project: boom },
  project_later: { project: () => Promise.resolve({}) },
  key: { key: boom },
  card: { card: boom },
}

export const closureNames = Object.keys(CLOSURES)
/** `/system <word>` of a part. */
export const wordOf = (name: string): string => name.replaceAll('_', '')

type Over = Partial<Omit<AgentModule<Empty>, 'routing'>> & { readonly routing?: object }

function moduleOf(
  name: string,
  execute: (context: ExecutionContext) => Promise<unknown>,
  over: Over = {},
): AgentModule<Empty> {
  return {
    id: identifier(`bad:${name}`),
    version: 1,
    action: empty,
    description: 'For tests.',
    help: { key: 'bad.help' },
    tools: [],
    policy: { ...FAST_POLICY, ttlMillis: 700, modelTimeoutMillis: 700 },
    ...over,
    routing: {
      selection: 'NORMAL',
      command: { name: wordOf(name) },
      fromCommand: () => ({}),
      ...over.routing,
    },
    // results of the wrong kind are cases too
    execute: execute as AgentModule<Empty>['execute'],
  }
}

/** Everything that fails, and `/system works`, which doesn't. */
export function faulty(registration: Registration): void {
  registration.extension('faulty')
  registration.texts('en_us', { 'bad.help': 'For tests' })
  registration.cardType(saidCard)
  registration.chatProvider({ id: identifier('bad:chat'), answer: boom })
  registration.chatProvider({ id: identifier('bad:slow_chat'), answer: () => (compute(200), 'hello') })
  registration.onRevoked(owner, boom)
  registration.conditionType({ id: identifier('bad:condition'), members: () => ({}), test: boom })
  for (const [name, [type, handler]] of Object.entries(TOOLS)) {
    const full = { ...base, ...type, id: `bad:tool_${name}` } as ToolType<Empty, Numbers>
    registration.tool({ type: full, owner, handler: handler as () => Numbers })
    registration.module(
      moduleOf(
        name,
        async (context) => {
          const outcome = await context.tool(full, {})
          return outcome.ok ? said(`n is ${outcome.value.n}`) : failedResult(outcome.failure)
        },
        { tools: [full.id] },
      ),
    )
  }
  for (const [name, closure] of Object.entries(CLOSURES)) {
    const type = { ...base, ...closure, kind: 'async', id: `bad:loop_${name}` } as ToolType<Empty, Numbers>
    registration.tool({ type, owner, handler: () => ({ n: 7 }) })
  }
  registration.tool({
    type: { ...base, kind: 'compute', id: 'bad:absent' },
    owner,
    compute: { module: FUNCTIONS, export: 'absent' },
  })
  workflows(registration)
}

function workflows(registration: Registration): void {
  const add = (
    name: string,
    execute: (context: ExecutionContext) => Promise<unknown>,
    over: Over = {},
  ): void => registration.module(moduleOf(name, execute, over))
  add('works', async () => said('it works'))
  add('run_throws', boom)
  add('run_rejects', async () => boom())
  add('run_own_code', async () => ownCode())
  add('run_hostile', hostile)
  add('run_once', async () => readOnce())
  add('run_text', async () => 'hello')
  add('run_nothing', async () => undefined)
  add('run_never', () => new Promise(() => {}))
  add('run_computes', async () => {
    compute(200)
    return said('computed')
  })
  add('action', async () => said('done'), { action: empty.refine(boom).describe('nothing') })
  add('from_command', async () => said('done'), { routing: { fromCommand: boom } })
  add('extract', async () => said('done'), {
    routing: {
      examples: { en_us: ['count the purple lighthouses', 'how many purple lighthouses are there'] },
      extract: boom,
    },
  })
  add('no_service', async (context) => {
    context.service({ id: identifier('bad:missing') })
    return said('done')
  })
  add('chat', async (context) => {
    const answer = await context.service(CHAT).answer(context, 'hi')
    return answer?.ok === true ? said(answer.value.text) : said('no answer')
  })
  add(
    'loop',
    async (context) => {
      const answer = z.strictObject({ text: z.string() })
      const outcome = await context.react({ question: 'x', prompt: 'react', answer })
      return outcome.end === 'answer' ? said(outcome.answer.text) : failedResult(outcome.failure)
    },
    {
      tools: [...Object.keys(CLOSURES).map((name) => `bad:loop_${name}`), 'bad:absent'],
      policy: REASONING_POLICY,
    },
  )
}
