/** A reload under running requests and open cards, and a System that goes away with one and comes back. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { EVENT_POLICY, failedResult, REASONING_POLICY, type AgentModule } from '../../lib/agent/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { ProviderStep, RecordedRequest } from '../../lib/testing/index.js'
import { componentText, type Component } from '../../lib/text/index.js'
import { graphsOf, systemWords } from '../support/command-client.js'
import { eventually } from '../support/eventually.js'
import { openLive } from '../support/live-system.js'
import {
  CLOSED,
  configuration,
  definition,
  grant,
  GRANTED,
  MISSING,
  moduleWorld,
  putPack,
  toldOf,
  trains,
  TWO_SYSTEMS,
  type WorldFiles,
} from '../support/module-world.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  REVOKED,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const PLAYERS = 16
const PROMPT = 'data/system/system/prompts/react.txt'
const ROUTE_PROMPT = 'data/system/system/prompts/route.txt'
const WORLD: WorldFiles = {
  ...TWO_SYSTEMS,
  [definition('all')]: {
    name: 'All',
    modules: ['system:items', 'system:player', 'system:reasoning', 'test:north'],
  },
  [definition('bare')]: { name: 'Bare', modules: [] },
  [PROMPT]: 'The first prompt of the loop.',
  [ROUTE_PROMPT]: 'The first prompt of routing.',
}

interface Stage {
  readonly system: SystemServer
  readonly world: string
}

async function openStage(t: Test, autoGrant: string | null = null): Promise<Stage> {
  const world = await moduleWorld(t, WORLD)
  const system = await openSystem(t, '1.21.4', {
    register: trains({ looked: 0, isHoliday: false }),
    settings: { autoGrant },
    squid: { worldFolder: world },
    config: { 'system-agent': { lanes: { interactive: { active: PLAYERS } }, modelConcurrency: PLAYERS } },
  })
  return { system, world }
}

async function seat(t: Test, { system }: Stage, name: string, id: string): Promise<Reader> {
  const reader = await joinReader(t, system, name)
  await grant(system, reader, id)
  return reader
}

/** Joins where everybody is given a System. */
async function given(t: Test, { system }: Stage, name: string): Promise<Reader> {
  const reader = await joinReader(t, system, name)
  if ((await reader.nextText()) !== GRANTED) throw new Error('no System')
  return reader
}

const reload = ({ system }: Stage, force = ''): Promise<string[]> =>
  consoleSays(system, `system reload ${force}`.trim())
const remove = ({ world }: Stage, path: string): void => rmSync(join(world, 'datapacks', 'mine', path))
const setConfig = ({ system }: Stage, name: string, content: object): void =>
  writeFileSync(join(system.configFolder, `${name}.json`), JSON.stringify(content))
const words = ({ client }: Reader): string[] => {
  const graph = graphsOf(client).at(-1)
  return graph === undefined ? [] : systemWords(graph)
}
const button = (card: Component, label: string): string =>
  buttonsOf(card).find((seen) => seen.label === `[${label}]`)?.command ?? `no button ${label}`
const promptOf = ({ body }: RecordedRequest): string => body.messages[0]?.content ?? ''

/** Steps that wait for `go`. */
function gate(): { go: () => void; held: (step: ProviderStep) => ProviderStep } {
  let go = (): void => {}
  const may = new Promise<void>((resolve) => (go = resolve))
  return {
    go: () => go(),
    held: (step) => async () => {
      await may
      return step
    },
  }
}

const SENTENCE = '/system could you perhaps reckon how many pistons that takes'
const LOOK_UP = { type: 'item.query', input: { query: 'piston' } }
const RIDE = { type: 'test:train', input: {} }
const FOUND = { type: 'answer', text: 'It is there.', sources: [1, 2] }

/** Sixteen requests, half of them in a loop, half of them being routed to it, and one that waits for its turn. */
async function sixteen(t: Test, stage: Stage) {
  const { system } = stage
  const readers = await Promise.all(
    Array.from({ length: PLAYERS + 1 }, (_, n) => given(t, stage, `player${n}`)),
  )
  const before = system.provider.requests.length
  const { go, held } = gate()
  const loops = readers.slice(0, PLAYERS / 2)
  const routed = readers.slice(PLAYERS / 2, PLAYERS)
  const last = readers.slice(PLAYERS)
  // what comes behind the gate is asked for in any order: the request itself says what is to be answered
  const answer = (request: RecordedRequest): ProviderStep => {
    const { observations, modules } = toldOf(request)
    if ((modules as unknown) !== undefined)
      return { module: 'system:reasoning', input: { text: 'how many pistons' } }
    return [LOOK_UP, RIDE, FOUND][observations?.length ?? 0] ?? FOUND
  }
  const first: ProviderStep = held(answer)
  system.provider.script(
    ...Array.from({ length: PLAYERS }, () => first),
    ...Array.from({ length: loops.length * 2 + routed.length * 3 + last.length * 4 }, () => answer),
  )
  for (const { client } of loops) client.say('/system reason how many pistons')
  for (const { client } of routed) client.say(SENTENCE)
  await system.provider.request(before + PLAYERS)
  for (const { client } of last) client.say(SENTENCE)
  await eventually(async () => {
    const status = await consoleSays(system, 'system status')
    return status.some((line) => line.startsWith(`requests: active=${PLAYERS} waiting=1 `))
  })
  return { readers, go, before }
}

void t.test('sixteen requests run on over a reload that takes their modules and their System', async (t) => {
  const stage = await openStage(t, 'test:all')
  const { system } = stage
  const { provider } = system
  const eve = await given(t, stage, 'eve')
  const card = await eve.ask('/system trains')
  const { readers, go, before } = await sixteen(t, stage)

  await t.test('a new fault keeps everything', async (t) => {
    putPack(stage.world, { [definition('all')]: '{ "name": "All", "modules": "none" }' })
    putPack(stage.world, { [PROMPT]: 'A prompt that is not taken.' })
    t.match(await reload(stage), [
      /^Nothing was taken/,
      /data\/test\/system\/system\/all\.json:1:\d+/,
      /force$/,
    ])
    t.ok(words(eve).includes('trains'))
    t.match(await eve.askText(button(card, 'Again')), /^Trains: test:north/)
  })

  remove(stage, definition('all'))
  putPack(stage.world, {
    [PROMPT]: 'The second prompt of the loop.',
    [ROUTE_PROMPT]: 'The second prompt of routing.',
    [definition('player')]: { name: 'Player', modules: ['system:player'] },
  })
  remove(stage, configuration('north'))
  setConfig(stage, 'system-model', { extra: { seed: 7 } })
  setConfig(stage, 'system-agent', {
    lanes: { interactive: { active: PLAYERS } },
    modelConcurrency: PLAYERS,
    policies: { 'system:reasoning': { ...REASONING_POLICY, outputTokens: 99 } },
  })
  const said = await reload(stage)
  t.match(said[0], /system-agent\.policies/, said.join('\n'))
  for (const reader of readers) {
    await eventually(() => !words(reader).includes('reason'))
    t.equal(reader.client.received.filter(({ name }) => name === 'kick_disconnect').length, 0)
  }

  go()
  for (const reader of readers)
    t.equal((await reader.nextText()).split('\n')[0], 'It is there.', `${reader.client.username} is answered`)
  const late = provider.requests.slice(before)
  t.equal(late.length, PLAYERS / 2 + 1 + (PLAYERS + 1) * 3, 'half of them were routed, each had three rounds')
  for (const request of late) {
    t.match(promptOf(request), /The first prompt/)
    t.equal(request.body['seed'], undefined)
    t.not(request.body['max_tokens'], 99)
  }
  const rounds = late.map(toldOf).filter(({ observations }) => observations?.length === 2)
  t.equal(rounds.length, PLAYERS + 1)
  for (const { observations } of rounds)
    t.match(observations, [
      { tool: 'item.query', output: {} },
      { tool: 'test:train', output: { due: 7 } },
    ])

  await t.test('what comes next follows the new content', async (t) => {
    for (const reader of readers.slice(0, 2)) {
      t.equal(await reader.askText('/system reason how many'), MISSING)
      t.equal(await reader.askText('/system how do i craft a piston'), MISSING)
    }
    t.equal(await eve.askText(button(card, 'State')), MISSING, 'a button of an open card')
    putPack(stage.world, { [definition('all')]: { name: 'All', modules: ['system:reasoning'] } })
    await reload(stage)
    t.equal(await eve.askText(button(card, 'State')), CLOSED, 'a button of an entry that is gone')
    const [reader] = readers
    if (reader === undefined) throw new Error('nobody there')
    const count = provider.requests.length
    provider.script({ type: 'answer', text: 'New.', sources: [] })
    t.equal(await reader.askText('/system reason how many'), 'New.')
    const request = provider.requests[count]
    if (request === undefined) throw new Error('no request')
    t.match(promptOf(request), /The second prompt of the loop/)
    t.match(request.body, { seed: 7, max_tokens: 99 })
    t.strictSame(toldOf(request).tools, [], 'the tools of modules that are gone are gone')
  })
  t.strictSame([provider.errors, provider.left, system.errors], [[], 0, []])
})

void t.test('an event task that nobody waits for asks the model it began with, too', async (t) => {
  let [go, isBegun] = [(): void => {}, false]
  const opened = new Promise<void>((resolve) => (go = resolve))
  const rule = identifier('test:rule')
  const answer = z.strictObject({ text: z.string() })
  const module: AgentModule = {
    id: identifier('test:event'),
    version: 1,
    action: z.strictObject({}),
    description: 'Waits, then asks.',
    help: { key: 'system.command.help.ask' },
    tools: [],
    policy: { ...EVENT_POLICY, modelCalls: 1 },
    routing: { selection: 'STRUCTURED_ONLY' },
    async execute(context) {
      isBegun = true
      await opened
      const asked = await context.complete({ question: 'Well?', prompt: 'question', answer })
      return asked.ok ? { status: 'succeeded', message: null, cards: [] } : failedResult(asked.failure)
    },
  }
  const live = await openLive(t, {
    register(registration) {
      registration.eventRule(rule, () => true)
      registration.module(module)
    },
  })
  const alice = await live.join('alice')
  await live.installation.submitEvent({ player: alice.id, module: module.id, input: {}, rule })
  await eventually(() => isBegun)
  setConfig({ system: live, world: '' }, 'system-model', { extra: { seed: 7 } })
  t.match((await consoleSays(live, 'system reload'))[0], /system-model/)
  live.provider.script({ type: 'answer', text: 'Fine.' })
  go()
  await eventually(() => {
    const { done, failed } = live.runtime.engine.events.state()
    return done + failed === 1
  })
  t.match(live.runtime.engine.events.state(), { done: 1 }, live.log.join('\n'))
  t.match(live.provider.requests, [{ body: { seed: undefined } }])
  t.strictSame(live.stray, [])
})

void t.test('a revoke ends a request at once, whatever it began with', async (t) => {
  const stage = await openStage(t)
  const { system } = stage
  const alice = await seat(t, stage, 'alice', 'test:all')
  const { go, held } = gate()
  system.provider.script(held(LOOK_UP))
  alice.client.say('/system reason how many pistons')
  const request = await system.provider.request(1)
  remove(stage, definition('all'))
  await reload(stage)
  t.strictSame(await consoleSays(system, 'system revoke alice'), [REVOKED])
  t.equal(await alice.nextText(), 'Your System was taken away.')
  await request.over
  t.ok(request.aborted, 'the call was given up')
  go()
  t.strictSame(await alice.rest(), [], 'nothing more is said')
  t.equal(system.provider.requests.length, 1)
})

void t.test('a System that is gone is waited for', async (t) => {
  const stage = await openStage(t)
  const { system, world } = stage
  const alice = await seat(t, stage, 'alice', 'test:all')
  const bob = await seat(t, stage, 'bob', 'test:items')
  const carol = await seat(t, stage, 'carol', 'test:bare')
  const card = await alice.ask('/system trains')
  const whole = words(alice)
  t.ok(words(carol).includes('ask'), 'the core is there without a module')
  remove(stage, definition('all'))
  remove(stage, definition('bare'))
  await reload(stage)
  await eventually(() => !words(carol).includes('ask'))
  await eventually(() => !words(alice).includes('item'))
  t.strictSame(
    words(alice).filter((word) => word !== 'help'),
    [],
    'its commands are gone',
  )
  t.ok(words(bob).includes('item'), "another's are not")
  for (const line of ['/system me', '/system ask why', '/system where am i', '/system cancel', '@system me'])
    t.equal(await alice.askText(line), MISSING, line)
  t.equal(await alice.askText(button(card, 'Again')), MISSING)
  t.match(await bob.askText('/system item piston'), /piston/i)
  t.strictSame(await consoleSays(system, 'system grant test:items alice'), [
    'alice already has test:all, please revoke it first.',
  ])

  for (const name of ['all', 'bare']) putPack(world, { [definition(name)]: WORLD[definition(name)] })
  await reload(stage)
  await eventually(() => words(alice).includes('item') && words(carol).includes('ask'))
  t.strictSame(words(alice), whole, 'all of them are back, without joining again')
  t.match(await alice.askText(button(card, 'Again')), /^Trains: /, 'and so is the card')
  t.match(await alice.askText('/system me'), /^Your state/)
  t.equal(componentText(card).split('\n')[0], 'Trains: test:north north 2')
  t.strictSame([await alice.rest(), await bob.rest()], [[], []])
  t.strictSame([system.provider.requests.length, system.errors], [0, []])
})
