/** What a model proposes to change: what the card shows is what its button does. */
import t from 'tap'
import { z } from 'zod'
import { confirmationCardType, type AgentModule, type Observation } from '../../lib/agent/index.js'
import { canonicalJson } from '../../lib/core/json.js'
import { ScriptedModel } from '../../lib/testing/index.js'
import { codeOf, DONE, testModule, TestKernel } from '../support/kernel.js'

const answer = z.strictObject({ text: z.string(), sources: z.array(z.int()).default([]) })
const POLICY = { modelCalls: 6, toolCalls: 6, steps: 20, reactIterations: 6, ttlMillis: 90_000 }

/** A module that writes, and what it was told to do. */
function writing<A>(action: z.ZodType<A>) {
  const done: unknown[] = []
  const module = {
    ...testModule('test:pay', () => Promise.resolve(DONE), { policy: { writeSteps: 1 } }),
    action,
    execute(_: unknown, given: A) {
      done.push(given)
      return Promise.resolve(DONE)
    },
  } as unknown as AgentModule
  return { module, done }
}

/** Lets a model in a conversation ask for it with that input. */
async function propose(module: AgentModule, input: unknown) {
  const seen: { observations: readonly Observation[] } = { observations: [] }
  const chat = testModule(
    'test:chat',
    async (context) => {
      seen.observations = (
        await context.react({ question: 'q', prompt: 'react', tools: [], workflows: true, answer })
      ).observations
      return DONE
    },
    { policy: { ...POLICY, modelTimeoutMillis: 30_000 } },
  )
  const model = new ScriptedModel(
    { type: 'test:pay', input },
    { type: 'answer', text: 'Press.', sources: [1] },
  )
  const k = new TestKernel({ model, modules: [chat, module] })
  const player = await k.join()
  t.equal(codeOf(await k.command(player, 'test:chat')), 'ok')
  return { k, player, observation: seen.observations[0] }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : canonicalJson(value))

let calls = 0
const item = z.string().transform((id) => ({ id, count: id.length }))
const SCHEMAS: readonly [string, z.ZodType, unknown, unknown][] = [
  ['a default', z.strictObject({ n: z.int().default(1) }), {}, { n: 1 }],
  [
    'a string that becomes an object',
    z.strictObject({ item }),
    { item: 'cake' },
    { item: { id: 'cake', count: 4 } },
  ],
  ['a number that is changed', z.strictObject({ n: z.int().transform((n) => n + 1) }), { n: 1 }, { n: 2 }],
  ['a default that is another each time', z.strictObject({ n: z.int().default(() => ++calls) }), {}, null],
  ['no object at all', z.string().transform((name) => [name]), 'bob', ['bob']],
]
for (const [name, schema, input, decoded] of SCHEMAS)
  void t.test(`${name}: what is shown is done`, async (t) => {
    const { module, done } = writing(schema)
    const { k, player, observation } = await propose(module, input)
    const card = confirmationCardType.schema.parse(observation?.card?.data)
    const { lines, buttons } = confirmationCardType.build(card)
    const action = buttons[0]?.action
    if (action?.kind !== 'server') throw new Error('no button')
    t.equal(codeOf(await k.press(player, action.module, action.input)), 'ok')
    t.equal(done.length, 1)
    if (decoded !== null) t.strictSame(done, [decoded])
    const given = done[0]
    const fields = typeof given === 'object' && !Array.isArray(given) ? Object.values(given ?? {}) : [given]
    const shown = lines.flatMap((line) => (line.kind === 'row' ? [line.value] : [])).slice(1)
    t.strictSame(shown, fields.map(text))
  })

void t.test('what would be another at the press is no card', async (t) => {
  const n = z.int().transform(() => ++calls)
  const { observation } = await propose(writing(z.strictObject({ n })).module, { n: 1 })
  t.match(observation, { card: null, outcome: { ok: false } })
})

void t.test(
  'JSON that is nested too deep to be shown, and schemas that throw, cost the card alone',
  async (t) => {
    const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    // replies are not read so deep, but an author's schema may make anything of them
    const data = z.strictObject({ data: z.int().transform(deep) })
    for (const levels of [40, 1_500, 3_000]) {
      const { observation } = await propose(writing(data).module, { data: levels })
      t.match(observation, { card: null, outcome: { ok: false } }, String(levels))
    }
    const { observation } = await propose(writing(data).module, { data: 10 })
    t.ok(observation?.card)
    const stored = { module: 'test:pay', help: 'x', input: deep(100_000) }
    t.equal(confirmationCardType.schema.safeParse(stored).success, false)
    const once = { isFirst: true }
    const throwing = z.strictObject({ n: z.int() }).transform((value) => {
      if (!once.isFirst) throw new Error('boom')
      once.isFirst = false
      return value
    })
    const thrown = await propose(writing(throwing).module, { n: 1 })
    t.match(thrown.observation, { card: null, outcome: { ok: false } })
  },
)

void t.test('what a client draws as nothing, or as a space, is escaped', async (t) => {
  const shownOf = (shown: unknown): string =>
    JSON.stringify(
      confirmationCardType.build(
        confirmationCardType.schema.parse({ module: 'test:pay', help: 'x', input: {}, shown }),
      ).lines,
    )
  const hidden: readonly (readonly [string, string])[] = [
    ['a control character', '\u0000'],
    ['a direction override', '\u202e'],
    ['a zero-width space', '\u200b'],
    ['a lone surrogate', '\ud800'],
    ['a formatting code', '§'],
    ['a line separator', '\u2028'],
    ['a Hangul filler', '\u3164'],
    ['a half-width Hangul filler', '\uffa0'],
    ['a variation selector', '\ufe0f'],
    ['a Braille blank', '\u2800'],
    ['a space that is none', '\u00a0'],
  ]
  for (const [what, character] of hidden) {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    for (const shown of [{ to: `bob${character}` }, { [`to${character}`]: 'bob' }])
      t.ok(shownOf(shown).includes(`u{${code}}`), `${what} is named`)
    for (const shown of [{ to: character }, { [character]: 5 }, { list: [character] }])
      t.notOk(shownOf(shown).includes(character), what)
  }
  t.match(shownOf({ to: 'böb 😀 长' }), 'böb 😀 长')
})
