/** Where a sentence goes: to a module without a model when it plainly fits, else to the model once, never by a guess. */
import t, { type Test } from 'tap'
import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Registration } from '../../lib/agent/index.js'
import type { CardType } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { faults } from '../../lib/testing/index.js'
import { componentText } from '../../lib/text/index.js'
import { DEFAULT_VERSION, VERSIONS } from '../support/squid.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const noteCard = {
  id: identifier('test:note'),
  schema: z.strictObject({ text: z.string() }),
  build: ({ text }: { text: string }) => ({
    title: null,
    lines: [{ kind: 'text' as const, text }],
    buttons: [],
  }),
}

/** One button, whose parameter is the action of `test:echo` as it stands. */
const paintCard: CardType<Record<string, never>> = {
  id: identifier('test:paint'),
  schema: z.strictObject({}),
  build: () => ({
    title: null,
    lines: [],
    buttons: [
      {
        label: { key: 'system.item.yes' },
        action: { kind: 'server', module: identifier('test:echo'), params: { word: 'green' } },
      },
    ],
  }),
}

/** A module that needs no model and says what it was asked. */
const echo = (
  id: string,
  over: Partial<AgentModule<{ word: string }>> = {},
): AgentModule<{ word: string }> => ({
  id: identifier(id),
  version: 1,
  action: z.strictObject({ word: z.enum(['red', 'green']) }),
  description: `Says the word, as ${id}.`,
  help: { key: 'system.command.help.me' },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL' },
  execute: (context, { word }) =>
    Promise.resolve(shown({ type: noteCard.id, data: { text: `${id} ${context.playerName} ${word}` } })),
  ...over,
})

function register(registration: Registration): void {
  registration.cardType(noteCard)
  registration.module(echo('test:echo'))
  registration.cardType(paintCard)
  registration.module(
    echo('test:paint', {
      routing: {
        selection: 'NORMAL',
        command: { name: 'paint' },
        fromCommand: () => ({ word: 'red' }),
      },
      execute: () => Promise.resolve(shown({ type: paintCard.id, data: {} })),
    }),
  )
  registration.module(echo('test:explicit', { routing: { selection: 'EXPLICIT_ONLY' } }))
  registration.module(echo('test:structured', { routing: { selection: 'STRUCTURED_ONLY' } }))
}

const routes = async (system: SystemServer): Promise<string | undefined> =>
  (await consoleSays(system, 'system status')).find((line) => line.startsWith('routes: '))

for (const version of VERSIONS) {
  void t.test(`${version}: plain wishes need no model`, async (t) => {
    const system = await openSystem(t, version)
    const alice = await joinReader(t, system, 'alice')
    const bob = await joinReader(t, system, 'bob', 'zh_cn')
    await alice.next()
    await bob.next()
    t.match(await alice.askText('/system what am I holding?'), /^Your state\n[^]*In your hand: nothing/)
    t.match(await alice.askText('@system what am I holding?'), /^Your state\n/)
    const recipe = await bob.ask('/system 怎么合成 piston')
    t.match(componentText(recipe), /^(Piston|block\.minecraft\.piston) 的合成方法\n/)
    t.equal(system.provider.requests.length, 0)
    t.equal(await routes(system), 'routes: structured=0 command=0 local=3 cache=0 model=0 event=0')
    await bob.ask(buttonsOf(recipe)[0]?.command ?? '')
    await alice.ask('/system me')
    t.equal(await routes(system), 'routes: structured=1 command=1 local=3 cache=0 model=0 event=0')
    t.strictSame([await alice.rest(), await bob.rest(), system.errors], [[], [], []])
  })
}

void t.test('other sentences go to the model', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, { register })
  const alice = await joinReader(t, system, 'alice')
  const bob = await joinReader(t, system, 'bob', 'zh_cn')
  await alice.next()
  await bob.next()
  await t.test('exactly once', (t) => once(t, system, alice))
  await t.test('a choice that is none is not understood', (t) => notUnderstood(t, system, alice, bob))
  await t.test('what routing used counts against the module', async (t) => {
    const before = system.provider.requests.length
    system.provider.script(
      { module: 'system:question', input: { text: 'why is the sky blue' } },
      { type: 'answer', text: 'It scatters.' },
    )
    t.equal(await alice.askText('/system tell me why the heavens are so azure'), 'It scatters.')
    t.equal(system.provider.requests.length - before, 2)
    const lines = await consoleSays(system, 'system status alice')
    t.match(lines.at(-1), /module=system:question source=model model-calls=2 code=ok$/)
  })
  t.strictSame([await alice.rest(), await bob.rest()], [[], []])
  t.strictSame([system.provider.errors, system.provider.left, system.errors], [[], 0, []])
})

async function once(t: Test, system: SystemServer, alice: Reader): Promise<void> {
  system.provider.script({ module: 'test:echo', input: { word: 'red' } })
  t.equal(await alice.askText('/system paint the town in the colour of roses'), 'test:echo alice red')
  t.equal(system.provider.requests.length, 1)
  const { messages } = system.provider.requests[0]?.body ?? { messages: [] }
  t.strictSame(
    messages.map(({ role }) => role),
    ['system', 'user'],
  )
  const user = JSON.parse(messages[1]?.content ?? '') as Record<string, unknown>
  t.strictSame(Object.keys(user), ['modules', 'question', 'context'])
  t.equal(user['question'], 'paint the town in the colour of roses')
  t.match(user['context'], { language: 'en_us', player: 'alice', game: `Minecraft ${DEFAULT_VERSION}` })
  const modules = user['modules'] as { id: string; explicitOnly?: boolean; input: unknown }[]
  const ids = modules.map(({ id }) => id)
  for (const id of ['system:question', 'system:reasoning', 'system:item_query', 'test:echo'])
    t.ok(ids.includes(id), id)
  t.notOk(ids.includes('test:structured'), 'buttons only')
  t.equal(modules.find(({ id }) => id === 'test:explicit')?.explicitOnly, true)
  t.match(modules.find(({ id }) => id === 'test:echo')?.input, {
    properties: { word: { enum: ['red', 'green'] } },
  })
  t.equal(await routes(system), 'routes: structured=0 command=0 local=0 cache=0 model=1 event=0')
}

void t.test('a module without fromButton takes the parameters of a button as its action', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, { register })
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  alice.client.say('/system paint')
  const [button] = buttonsOf(await alice.next())
  t.equal(await alice.askText(button?.command ?? ''), 'test:echo alice green')
})

const NOT_UNDERSTOOD = "I didn't get that, please say it another way or try /system help."

async function notUnderstood(t: Test, system: SystemServer, alice: Reader, bob: Reader): Promise<void> {
  const replies = [
    ['an unknown module', { module: 'system:nothing', input: {} }],
    ['an inherited name', { module: 'constructor', input: {} }],
    ['another one', { module: '__proto__', input: {} }],
    ['a module that is not open', { module: 'test:structured', input: { word: 'red' } }],
    ['bad arguments', { module: 'test:echo', input: { word: 'blue' } }],
    ['arguments too many', { module: 'test:echo', input: { word: 'red', op: true } }],
    ['no arguments', { module: 'test:echo' }],
    ['no choice', { answer: 'hello' }],
    ['an answer', { type: 'answer', text: 'hello' }],
    ['no JSON', 'I would choose test:echo'],
    ['two objects', faults.twoObjects({ module: 'test:echo', input: { word: 'red' } }, { module: 'x' })],
    ['a list', '[{"module":"test:echo","input":{"word":"red"}}]'],
  ] as const
  for (const [name, reply] of replies) {
    const before = system.provider.requests.length
    system.provider.script(reply)
    const card = await alice.ask('/system could the sword of my neighbour be crafted otherwise')
    const [first, second, buttons] = componentText(card).split('\n')
    t.strictSame([first, second], [NOT_UNDERSTOOD, 'Did you mean one of these?'], name)
    t.ok(buttons)
    t.equal(system.provider.requests.length - before, 1, `${name}: one request`)
    const seen = buttonsOf(card)
    t.equal(seen.length, 3)
    t.ok(seen.every(({ action, command }) => action === 'suggest_command' && command.startsWith('/system ')))
    t.strictSame(
      new Map(seen.slice(0, 2).map(({ label, command }) => [label, command])),
      new Map([
        ['[/system item <query>]', '/system item '],
        ['[/system recipe <query>]', '/system recipe '],
      ]),
      'the nearest commands first',
    )
  }
  system.provider.script({ module: 'no', input: {} })
  const card = await bob.ask('/system 呜呼哀哉')
  t.match(componentText(card), /^我没有听懂，请换个说法，或者试试 \/system help。\n你想找的是这些吗？\n/)
  t.equal(buttonsOf(card).length, 3)
}
