/** What of the catalogue reaches a model: what is open to this player now, in at most 24 KiB with its prompt. */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { failure } from '../../../lib/core/failure.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import { questionModule } from '../../../lib/questions/question.js'
import { ScriptedModel } from '../../../lib/testing/index.js'
import type { AgentModule } from '../../../lib/agent/index.js'
import { codeOf, DONE, TestKernel, testModule } from '../../support/kernel.js'
import { SHIPPED_MODULES } from './shipped.js'

const LIMIT = 24_576
const prompt = (name: string): Promise<string> =>
  readFile(new URL(`../../../../prompts/${name}.txt`, import.meta.url), 'utf8')

const idsOf = (model: ScriptedModel, at: number): string[] =>
  (JSON.parse(model.requests[at]?.user ?? '{"modules":[]}') as { modules: { id: string }[] }).modules.map(
    ({ id }) => id,
  )

void t.test('each player has the catalogue of this very moment', async (t) => {
  const model = new ScriptedModel(
    { module: 'x' },
    { module: 'x' },
    { module: 'test:b' },
    { module: 'test:b' },
  )
  const open = new Set(['test:a', 'test:b'])
  let bob: PlayerId | null = null
  const k = new TestKernel({
    model,
    modules: ['test:a', 'test:b'].map((id) => testModule(id, () => Promise.resolve(DONE))),
    access: (player, module) =>
      module === null || (open.has(module) && (module !== 'test:b' || player === bob))
        ? null
        : failure('system:no_permission'),
  })
  const alice = await k.join('alice')
  bob = await k.join('bob')
  await k.text(alice, 'hello')
  await k.text(bob, 'hello')
  t.strictSame([idsOf(model, 0), idsOf(model, 1)], [['test:a'], ['test:a', 'test:b']])
  t.equal(codeOf(await k.text(alice, 'hello')), 'system:not_understood', 'what is shut can not be chosen')
  open.delete('test:b')
  t.equal(codeOf(await k.text(bob, 'hello')), 'system:not_understood')
  t.strictSame(idsOf(model, 3), ['test:a'])
})

void t.test('what ships fits with its prompt, most of the room is left to others', async (t) => {
  const model = new ScriptedModel({ module: 'system:help' })
  const modules = [...SHIPPED_MODULES, questionModule as unknown as AgentModule].map((module) => ({
    ...module,
    tools: [],
    execute: () => Promise.resolve(DONE),
  }))
  const route = await prompt('route')
  const k = new TestKernel({ model, modules, prompts: { route } })
  t.equal(codeOf(await k.text(await k.join(), 'xyzzy')), 'ok')
  const { user = '', system = '' } = model.requests[0] ?? {}
  t.equal(system, route)
  t.ok(Buffer.byteLength(system) + Buffer.byteLength(user) < LIMIT / 2)
})

void t.test('one byte more than 24 KiB is refused before anything is paid', async (t) => {
  const entry = testModule('test:a', () => Promise.resolve(DONE))
  const schema = new TestKernel({ modules: [entry] }).registry.findModule('test:a')?.schemaText ?? ''
  const rest = LIMIT - entry.id.length - entry.description.length - schema.length
  for (const [bytes, code] of [
    [rest, 'system:not_understood'],
    [rest + 1, 'system:budget_input_bytes'],
  ] as const) {
    const model = new ScriptedModel({ module: 'x' })
    const k = new TestKernel({ model, modules: [entry], prompts: { route: 'x'.repeat(bytes) } })
    t.equal(codeOf(await k.text(await k.join(), 'hello')), code, String(bytes))
    t.equal(model.requests.length, code === 'system:not_understood' ? 1 : 0)
  }
})
