/** Two Systems with different modules on one server: what one player has never shows to the other, at any door. */
import t, { type Test } from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import { acceptsLine, completions, graphsOf, offersWord, systemWords } from '../support/command-client.js'
import { eventually } from '../support/eventually.js'
import {
  CLOSED,
  configuration,
  definition,
  grant,
  moduleWorld,
  putPack,
  toldOf,
  trains,
  TWO_SYSTEMS,
  type Trains,
} from '../support/module-world.js'
import { VERSIONS } from '../support/squid.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const UNKNOWN_TOKEN = "This button doesn't work for you any more, please run the command again."
const USED_TOKEN = 'You already pressed this button, please run the command again to get a new one.'
const NOT_UNDERSTOOD = /^I didn't get that/

/** The words of one and of the other: commands that both have are in neither. */
const WORDS = { alice: ['item', 'recipe', 'reason'], bob: ['me', 'trains'] } as const
/** What routing and the loop know of each. */
const MODULES = {
  alice: ['system:item_query', 'system:recipe_query', 'system:reasoning'],
  bob: ['system:player_info', 'test:timetable'],
} as const
type Name = keyof typeof WORDS
const other = (name: Name): Name => (name === 'alice' ? 'bob' : 'alice')
const LINE: Readonly<Record<string, string>> = {
  item: 'item piston',
  recipe: 'recipe piston',
  reason: 'reason how many pistons',
  me: 'me',
  trains: 'trains',
}

interface Stage {
  readonly system: SystemServer
  readonly world: string
  readonly state: Trains
  readonly readers: Readonly<Record<Name, Reader>>
}

async function openStage(t: Test, version: string): Promise<Stage> {
  const world = await moduleWorld(t)
  const state: Trains = { looked: 0, isHoliday: false }
  const system = await openSystem(t, version, {
    register: trains(state),
    settings: { autoGrant: null },
    squid: { worldFolder: world },
  })
  const readers = {
    alice: await joinReader(t, system, 'alice'),
    bob: await joinReader(t, system, 'bob'),
  }
  await grant(system, readers.alice, 'test:items')
  await grant(system, readers.bob, 'test:player')
  return { system, world, state, readers }
}

const knows = ({ client }: Reader, word: string): boolean => offersWord(client, word)
const button = (card: Component, label: string): string => {
  const found = buttonsOf(card).find((seen) => seen.label === `[${label}]`)
  if (found === undefined) throw new Error(`no button ${label} in ${componentText(card)}`)
  return found.command
}

/** Every name of the other's that could show in a text. */
const NAMES: Readonly<Record<Name, RegExp>> = {
  alice: /piston|\/system (item|recipe|reason)|system:(item|recipe|reason)/i,
  bob: /Your state|Trains|\/system (me|trains)\b|system:player|test:(train|timetable|north)/,
}

for (const version of VERSIONS) {
  void t.test(`${version}: commands, completion and help`, async (t) => {
    const { system, readers } = await openStage(t, version)
    for (const name of ['alice', 'bob'] as const) {
      const reader = readers[name]
      const offered = await completions(reader.client, '/system ')
      const help = await reader.ask('/system help')
      const latest = graphsOf(reader.client).at(-1)
      for (const word of WORDS[name]) {
        t.ok(knows(reader, word), `${name}'s client knows ${word}`)
        t.ok(latest !== undefined && acceptsLine(latest, `system ${LINE[word]}`), `and takes ${LINE[word]}`)
        t.ok(offered.includes(word), `${word} is offered to ${name}`)
        t.match(componentText(help), new RegExp(`/system ${word}\\b`), `${word} is in ${name}'s help`)
      }
      for (const word of WORDS[other(name)]) {
        t.notOk(knows(reader, word), `${name}'s client doesn't know ${word}`)
        t.notOk(offered.includes(word), `${word} is not offered to ${name}`)
        t.strictSame(
          await completions(reader.client, `/system ${word.slice(0, -1)}`),
          [],
          `nor ${word} begun`,
        )
        t.strictSame(await completions(reader.client, `/system ${word} `), [], `nor what follows ${word}`)
        t.notMatch(JSON.stringify(help), new RegExp(`/system ${word}\\b`), `${word} isn't in ${name}'s help`)
      }
      for (const graph of graphsOf(reader.client))
        for (const word of WORDS[other(name)])
          t.notOk(systemWords(graph).includes(word), `never in a graph of ${name}'s: ${word}`)
    }
    t.strictSame([system.errors, readers.alice.client.clientErrors], [[], []])
  })
}

for (const version of ['1.16.5', '1.21.4']) {
  void t.test(version, async (t) => {
    const stage = await openStage(t, version)
    await t.test('words that are typed anyway', (t) => typing(t, stage))
    await t.test('sentences', (t) => sentences(t, stage))
    await t.test('a model that chooses what is closed', (t) => choosing(t, stage))
    await t.test('tools of a loop', (t) => looping(t, stage))
    await t.test('buttons', (t) => pressing(t, stage))
    const { system, readers } = stage
    t.strictSame([await readers.alice.rest(), await readers.bob.rest()], [[], []], 'no message too many')
    t.strictSame([system.provider.errors, system.provider.left, system.errors], [[], 0, []])
  })
}

async function typing(t: Test, { system, readers }: Stage): Promise<void> {
  for (const name of ['alice', 'bob'] as const)
    for (const word of WORDS[other(name)]) {
      for (const line of [`/system ${LINE[word]}`, `/system ${word.toUpperCase()}`, `@system ${LINE[word]}`])
        t.equal(await readers[name].askText(line), CLOSED, `${name}: ${line}`)
      // what would not even decode tells no more
      t.equal(await readers[name].askText(`/system ${word} § ${'x'.repeat(300)}`), CLOSED)
    }
  t.equal(system.provider.requests.length, 0, 'no model is asked')
}

/** Each is routed locally for its owner, and goes on to a model for the other. */
async function sentences(t: Test, { system, readers }: Stage): Promise<void> {
  const said = { alice: 'how do i craft a piston', bob: 'where am i' } as const
  const { provider } = system
  for (const name of ['alice', 'bob'] as const) {
    t.match(await readers[name].askText(`/system ${said[name]}`), NAMES[name], `${name} is answered`)
    const before = provider.requests.length
    t.equal(before, name === 'alice' ? 0 : 1, 'without a model')
    provider.script({ module: 'none' })
    const answer = await readers[other(name)].ask(`/system ${said[name]}`)
    t.match(componentText(answer), NOT_UNDERSTOOD)
    const buttons = JSON.stringify(buttonsOf(answer))
    t.notMatch(buttons, NAMES[name], 'the nearest commands are its own')
    t.match(buttons, /\/system/)
    const request = provider.requests[before]
    if (request === undefined) throw new Error('the model was not asked')
    const ids = toldOf(request).modules.map(({ id }) => id)
    for (const id of MODULES[name]) t.notOk(ids.includes(id), `${id} is not in the catalogue`)
    for (const id of MODULES[other(name)]) t.ok(ids.includes(id), `${id} is`)
    t.ok(ids.includes('system:question'), 'the core is')
    for (const id of MODULES[name]) t.notMatch(JSON.stringify(request.body), id)
  }
}

async function choosing(t: Test, { system, readers, state }: Stage): Promise<void> {
  const inputs: Readonly<Record<string, object>> = {
    'system:item_query': { query: 'piston' },
    'system:recipe_query': { query: 'piston' },
    'system:reasoning': { text: 'how many' },
  }
  for (const name of ['alice', 'bob'] as const)
    for (const module of MODULES[other(name)]) {
      const before = system.provider.requests.length
      system.provider.script({ module, input: inputs[module] ?? {} })
      const text = await readers[name].askText('/system could you please do that for me then')
      t.match(text, NOT_UNDERSTOOD, `${name}: ${module}`)
      t.equal(system.provider.requests.length, before + 1)
    }
  t.equal(state.looked, 0)
}

async function looping(t: Test, { system, readers, state }: Stage): Promise<void> {
  const { provider } = system
  const { alice } = readers
  for (const type of ['player.info', 'test:train']) {
    const before = provider.requests.length
    provider.script({ type, input: {} }, { type: 'answer', text: 'No idea.', sources: [1] })
    t.equal(await alice.askText('/system reason when does my train leave'), 'No idea.', 'no source either')
    const [first, second] = provider.requests.slice(before).map(toldOf)
    t.strictSame(first?.tools.map(({ id }) => id).sort(), ['item.query', 'recipe.query'])
    t.strictSame(second?.observations, [
      { id: 1, tool: type, input: null, failure: { code: 'system:unknown_tool', params: { tool: type } } },
    ])
    t.notMatch(JSON.stringify(first), type)
  }
  // one that is closed under a loop that was offered it
  const before = provider.requests.length
  let go = (): void => {}
  const may = new Promise<void>((resolve) => (go = resolve))
  provider.script(async () => {
    await may
    return { type: 'item.query', input: { query: 'piston' } }
  })
  alice.client.say('/system reason how many pistons fit')
  const request = await provider.request(before + 1)
  t.match(toldOf(request).tools, [{ id: 'item.query' }, { id: 'recipe.query' }])
  await consoleSays(system, 'system module alice system:items deny')
  go()
  t.equal(await alice.nextText(), CLOSED, 'refused when it is called')
  t.equal(provider.requests.length, before + 1, 'and the request is over')
  await consoleSays(system, 'system module alice system:items default')
  t.match(await alice.askText('/system item piston'), /piston/, 'open again')
  t.equal(state.looked, 0, 'no closed tool ran')
}

async function pressing(t: Test, { system, readers, world }: Stage): Promise<void> {
  const { alice, bob } = readers
  const card = await bob.ask('/system trains')
  t.equal(componentText(card).split('\n')[0], 'Trains: test:north north 2')
  t.strictSame(
    buttonsOf(card).map(({ label }) => label),
    ['[Again]', '[State]'],
    'buttons and suggestions that are closed are left out',
  )
  const [again, state] = [button(card, 'Again'), button(card, 'State')]
  t.equal(await alice.askText(again), UNKNOWN_TOKEN, "not the other's")
  t.equal(await alice.askText(state), UNKNOWN_TOKEN)

  // the System as it stands changes under an open card
  const closed = { [definition('player')]: { name: 'Player', modules: ['system:player'] } }
  putPack(world, closed)
  await consoleSays(system, 'system reload')
  t.equal(await bob.askText(again), CLOSED, 'closed meanwhile')
  t.equal(await bob.askText(again), CLOSED, 'and not used up by that')
  t.notOk(knows(bob, 'trains'))
  const still = await bob.ask(state)
  t.match(componentText(still), /Your state/, 'the others of the card work')
  putPack(world, { [definition('player')]: TWO_SYSTEMS[definition('player')] })
  await consoleSays(system, 'system reload')
  await eventually(() => knows(bob, 'trains'))

  // by an override, and back
  await consoleSays(system, 'system module bob test:north deny')
  t.equal(await bob.askText(again), CLOSED)
  await consoleSays(system, 'system module bob test:north default')
  t.match(await bob.askText(again), /^Trains: /, 'the same button works when it is open again')
  t.equal(await bob.askText(again), USED_TOKEN, 'once')

  // a configuration that is gone is gone from the card of the same workflow
  putPack(world, { [configuration('south')]: { type: 'test:trains', line: 'south', platforms: 9 } })
  putPack(world, {
    [definition('player')]: { name: 'Player', modules: ['system:player', 'test:north', 'test:south'] },
  })
  await consoleSays(system, 'system reload')
  t.match(await bob.askText('/system trains'), /^Trains: test:north north 2; test:south south 9\n/)
}
