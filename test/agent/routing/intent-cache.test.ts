import t from 'tap'
import { z } from 'zod'
import type { AgentModule, Outcome } from '../../../lib/agent/index.js'
import { failure } from '../../../lib/core/failure.js'
import { isSameInput } from '../../../lib/agent/routing/intent-cache.js'
import { identifier, type PlayerId } from '../../../lib/core/ids.js'
import { ScriptedModel, type ModelStep } from '../../../lib/testing/index.js'
import { codeOf, DONE, TestKernel, testModule, type KernelSetup } from '../../support/kernel.js'
import { writeTool } from './write-tool.js'

const ITEM = { module: 'test:item', input: { query: 'of the model' } } as const
let seen: unknown[] = []
let result: unknown = DONE

const item: AgentModule = {
  ...testModule('test:item', () => Promise.resolve(DONE), {
    action: z.strictObject({ query: z.string() }),
    routing: {
      selection: 'NORMAL',
      extract: ({ text }) => (text.includes('nothing') ? undefined : { query: `found in: ${text}` }),
    },
  }),
  execute(_, action) {
    seen.push(action)
    return Promise.resolve(result) as ReturnType<AgentModule['execute']>
  },
}
const write = writeTool()
const explicit = testModule('test:explicit', () => Promise.resolve(DONE), {
  routing: { selection: 'EXPLICIT_ONLY' },
})
const writing = testModule('test:writing', () => Promise.resolve(DONE), {
  tools: [write.type.id],
  policy: { writeSteps: 1 },
})
const unextracted = testModule('test:unextracted', () => Promise.resolve(DONE))

async function open(over: KernelSetup = {}) {
  seen = []
  result = DONE
  const model = new ScriptedModel()
  const k = new TestKernel({
    model,
    tools: [write],
    modules: [item, explicit, writing, unextracted],
    intents: { cacheSize: 4, cacheMinutes: 30 },
    ...over,
  })
  const player = await k.join()
  /** Says it; the step is what the model would answer, if it is asked. */
  const say = async (text: string, step: ModelStep = ITEM, who: PlayerId = player): Promise<Outcome> => {
    const before = model.requests.length
    model.script(step)
    const outcome = await k.text(who, text)
    // the cache answered: the step is still there
    if (model.requests.length === before) (model as unknown as { steps: unknown[] }).steps.pop()
    return outcome
  }
  const source = async (text: string, step?: ModelStep, who?: PlayerId) => (await say(text, step, who)).source
  return { k, player, say, source, model }
}

void t.test('the module is remembered, arguments are extracted and the module runs again', async (t) => {
  const { source, k } = await open()
  t.equal(await source('whats a piston good for'), 'model')
  t.equal(await source('  Whats a  piston GOOD for '), 'cache')
  t.strictSame(seen, [{ query: 'of the model' }, { query: 'found in:   Whats a  piston GOOD for ' }])
  t.equal(await source('whats a sticky piston good for'), 'model', 'another sentence')
  t.match(k.engine.log.routes(), { model: 2, cache: 1 })
})

void t.test('without a model the cache still answers', async (t) => {
  const { source, k, player, model } = await open()
  await source('whats a piston good for')
  const before = model.requests.length
  t.match(await k.text(player, 'whats a piston good for'), { source: 'cache', module: 'test:item' })
  t.equal(model.requests.length, before)
})

void t.test('what is not remembered', async (t) => {
  const cases: readonly [string, string, ModelStep][] = [
    ['an explicit module', 'cast the spell', { module: 'test:explicit', input: {} }],
    ['a module that writes', 'pay the man', { module: 'test:writing', input: {} }],
    ['a module without an extractor', 'so be it', { module: 'test:unextracted', input: {} }],
    ['an argument that is not in the sentence', 'nothing in here', ITEM],
    ['several wishes', 'whats a piston and a lever', ITEM],
    ['a word that points back', 'whats that good for', ITEM],
    ['what only the model finds in the sentence', 'whats the word', ITEM],
    ['a sentence of two readings', 'unsure piston here', ITEM],
  ]
  for (const [name, text, step] of cases) {
    const { source } = await open()
    t.equal(await source(text, step), 'model', name)
    t.equal(await source(text, step), 'model', name)
  }
  const { source, say } = await open()
  result = { status: 'failed', message: null, cards: [], failure: failure('system:unknown_item') }
  t.equal(codeOf(await say('whats a piston good for')), 'system:unknown_item')
  result = DONE
  t.equal(await source('whats a piston good for'), 'model', 'a failure')
})

void t.test('the extractor must have made the same of the sentence', async (t) => {
  const sentence = (item: 'minecraft:piston' | null) => ({
    text: '',
    item: item === null ? null : identifier(item),
  })
  const cases: readonly [unknown, unknown, 'minecraft:piston' | null, boolean][] = [
    [{}, {}, null, true],
    [{ query: 'minecraft:piston' }, { query: 'piston' }, 'minecraft:piston', true],
    [{ query: 'minecraft:piston', page: undefined }, { query: 'piston' }, 'minecraft:piston', true],
    [{ place: 'here' }, { place: 'paris' }, null, false],
    [{}, { place: 'paris' }, null, false],
    [{}, { place: 'paris' }, 'minecraft:piston', false],
    [{ count: 1 }, { count: 2 }, 'minecraft:piston', false],
    [{ a: [1, 2] }, { a: [1, 2] }, null, true],
    ['x', 'x', null, true],
    ['x', {}, null, false],
  ]
  for (const [extracted, chosen, item, isSame] of cases)
    t.equal(isSameInput(extracted, chosen, sentence(item)), isSame, JSON.stringify([extracted, chosen]))
})

void t.test('an extractor that throws costs nothing but the cache', async (t) => {
  let isBroken = false
  const broken: AgentModule = testModule('test:item', () => Promise.resolve(DONE), {
    routing: {
      selection: 'NORMAL',
      extract() {
        if (isBroken) throw new Error('broken')
        return {}
      },
    },
  })
  const { say, k } = await open({ modules: [broken] })
  const step = { module: 'test:item', input: {} }
  t.match(await say('tell of things', step), { source: 'model' })
  isBroken = true
  t.match(await say('tell of things', step), { source: 'model', result: { status: 'succeeded' } })
  t.match(await say('tell of others', step), { source: 'model', result: { status: 'succeeded' } })
  t.match(k.logger.messages(), ['the argument extractor of test:item threw'])
})

void t.test('size and time bound it; no size is no cache', async (t) => {
  const { source, k } = await open()
  for (const at of [1, 2, 3, 4, 5]) await source(`whats piston number ${at}`)
  t.equal(await source('whats piston number 5'), 'cache')
  t.equal(await source('whats piston number 1'), 'model', 'the oldest is gone')
  k.clock.advance(30 * 60_000 + 1)
  t.equal(await source('whats piston number 5'), 'model', 'out of time')
  const none = await open({ intents: { cacheSize: 0, cacheMinutes: 30 } })
  await none.source('whats a piston good for')
  t.equal(await none.source('whats a piston good for'), 'model')
})

void t.test('one player, one language', async (t) => {
  const { source, k, player } = await open()
  await source('whats a piston good for')
  t.equal(await source('whats a piston good for', ITEM, await k.join('bob')), 'model')
  k.sessions.setLanguage(player, 'zh_cn')
  t.equal(await source('whats a piston good for'), 'model')
})

void t.test('forget, revoke, disconnect and reload empty it', async (t) => {
  const ends: readonly [string, (k: TestKernel, player: PlayerId) => void][] = [
    ['forget or a changed preference', (k, player) => k.engine.forgetIntents(player)],
    ['reload', (k) => k.engine.forgetIntents()],
    ['revoke', (k, player) => k.sessions.moveGeneration(player)],
    [
      'disconnect',
      (k, player) => {
        k.sessions.close(player)
        k.sessions.open(player, 'alice', 'en_us')
      },
    ],
  ]
  for (const [name, end] of ends) {
    const { source, k, player } = await open()
    await source('whats a piston good for')
    end(k, player)
    t.equal(await source('whats a piston good for'), 'model', name)
    t.equal(await source('whats a piston good for'), 'cache', name)
  }
  const { source, k } = await open()
  await source('whats a piston good for')
  k.engine.forgetIntents(await k.join('bob'))
  t.equal(await source('whats a piston good for'), 'cache', "another's")
})

void t.test('a request that began before cannot fill it again', async (t) => {
  const { k, player, source } = await open()
  const forgetting: ModelStep = () => {
    k.engine.forgetIntents(player)
    return ITEM
  }
  t.equal(await source('whats a piston good for', forgetting), 'model')
  t.equal(await source('whats a piston good for'), 'model')
  t.equal(await source('whats a piston good for'), 'cache')
})

void t.test('rights are looked at again', async (t) => {
  let isClosed = false
  const { source, say } = await open({
    access: (_, module) => (isClosed && module === 'test:item' ? failure('system:no_permission') : null),
  })
  await source('whats a piston good for')
  isClosed = true
  t.equal(
    codeOf(await say('whats a piston good for')),
    'system:not_understood',
    'the model is asked, in vain',
  )
})
