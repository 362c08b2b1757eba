/** Conditions begin and cease to hold while the player stands there: its client's commands and its workflows follow. */
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import { systemClock, type Clock } from '../../lib/core/clock.js'
import type { SquidItem, SquidPlayer } from '../../plugins/squid/types.js'
import { graphsOf, offersWord } from '../support/command-client.js'
import { eventually } from '../support/eventually.js'
import {
  CLOSED,
  configuration,
  definition,
  grant,
  moduleWorld,
  trains,
  type Trains,
} from '../support/module-world.js'
import { nextEvent } from '../support/squid.js'
import { joinReader, openSystem, type Reader, type SystemServer } from '../support/system.js'

const require = createRequire(import.meta.url)

/** A clock that stands until it is set forward; its timers are real. */
class StandingClock implements Clock {
  readonly after = systemClock.after
  readonly every = systemClock.every
  // whole milliseconds: what is added to them stays exact
  readonly #start = [systemClock.now(), Math.floor(systemClock.monotonic())] as const
  #at = 0

  now(): number {
    return this.#start[0] + this.#at
  }

  monotonic(): number {
    return this.#start[1] + this.#at
  }

  advance(ms: number): void {
    this.#at += ms
  }
}

const WORLD = {
  [definition('all')]: {
    name: 'All',
    modules: [
      { module: 'system:player', condition: { type: 'time', min: 1_000, max: 5_000 } },
      { module: 'system:items', condition: { type: 'gamemode', gamemode: 'creative' } },
      { module: 'system:reasoning', condition: { type: 'level', min: 5 } },
      'test:north',
    ],
  },
  [definition('ranks')]: {
    name: 'Ranks',
    modules: [
      'system:items',
      { module: 'system:player', condition: { type: 'permission', level: 4 } },
      { module: 'test:north', condition: { type: 'not', condition: { type: 'test:holiday', on: true } } },
    ],
  },
  [configuration('north')]: {
    server: { type: 'test:trains', line: 'north' },
    condition: { type: 'has_item', item: '#test:tickets', count: 2 },
  },
  'data/test/tags/item/tickets.json': { values: ['minecraft:paper'] },
}

interface Stage {
  readonly system: SystemServer
  readonly clock: StandingClock
  readonly state: Trains
  readonly alice: Reader
  readonly player: GamePlayer
}
type GamePlayer = SquidPlayer & {
  setGameMode(mode: number): void
  setXp(points: number): void
}
type TimedServer = SystemServer['serv'] & { doDaylightCycle: boolean; setTime(time: number): void }

async function openStage(t: Test, version: string, id: string): Promise<Stage> {
  const clock = new StandingClock()
  const state: Trains = { looked: 0, isHoliday: false }
  const system = await openSystem(t, version, {
    clock,
    register: trains(state),
    settings: { autoGrant: null },
    config: { 'system-access': { adminsInOfflineMode: true } },
    squid: { worldFolder: await moduleWorld(t, WORLD) },
  })
  const serv = system.serv as TimedServer
  serv.doDaylightCycle = false
  serv.setTime(20_000)
  const alice = await joinReader(t, system, 'alice')
  await grant(system, alice, id)
  const player = serv.players.find(({ username }) => username === 'alice') as GamePlayer | undefined
  if (player === undefined) throw new Error('nobody there')
  player.setGameMode(0)
  await settled(system)
  return { system, clock, state, alice, player }
}

/** Every player was looked at, whatever place the round had. */
async function settled({ serv }: SystemServer): Promise<void> {
  for (let ticks = 0; ticks < 5; ticks += 1) await nextEvent(serv, 'tick')
}

const offered = ({ client }: Reader, word: string): boolean => offersWord(client, word)
const graphs = ({ client }: Reader): number => graphsOf(client).length

/** Puts paper into the hotbar. */
function carry({ inventory }: SquidPlayer, version: string, count: number): void {
  const Item = (require('prismarine-item') as (version: string) => ItemMaker)(version)
  const { itemsByName } = require('minecraft-data')(version) as { itemsByName: { paper: { id: number } } }
  inventory?.updateSlot(36, count === 0 ? null : new Item(itemsByName.paper.id, count))
}
type ItemMaker = new (type: number, count: number) => SquidItem

/** What is open and closed by a condition: its command, and how the condition begins and ends. */
interface Case {
  readonly word: string
  readonly line: string
  readonly answer: RegExp
  begin(stage: Stage): void
  end(stage: Stage): void
}

const setTime = ({ system }: Stage, time: number): void => (system.serv as TimedServer).setTime(time)

const CASES: readonly Case[] = [
  {
    word: 'me',
    line: 'me',
    answer: /^Your state/,
    begin: (stage) => setTime(stage, 1_000),
    end: (stage) => setTime(stage, 5_001),
  },
  {
    word: 'item',
    line: 'item piston',
    answer: /piston/,
    begin: ({ player }) => player.setGameMode(1),
    end: ({ player }) => player.setGameMode(0),
  },
  {
    word: 'reason',
    line: 'reason how many pistons',
    answer: /^Four\.$/,
    begin: ({ player }) => player.setXp(55),
    end: ({ player }) => player.setXp(40),
  },
  {
    word: 'trains',
    line: 'trains',
    answer: /^Trains: test:north north 2/,
    begin: ({ player, system }) => carry(player, system.version, 2),
    end: ({ player, system }) => carry(player, system.version, 1),
  },
]

for (const version of ['1.16.5', '1.21.4']) {
  void t.test(version, async (t) => {
    const stage = await openStage(t, version, 'test:all')
    const { system, alice, clock } = stage
    t.strictSame(
      CASES.filter(({ word }) => offered(alice, word)),
      [],
      'nothing holds yet',
    )
    for (const each of CASES) await t.test(each.word, (t) => beginsAndEnds(t, stage, each))
    await t.test('one that comes and goes', async (t) => {
      const before = graphs(alice)
      for (let times = 0; times < 6; times += 1) {
        setTime(stage, times % 2 === 0 ? 1_000 : 5_001)
        await settled(system)
      }
      setTime(stage, 1_000)
      await settled(system)
      t.equal(graphs(alice), before, 'not within the second')
      clock.advance(999)
      await settled(system)
      t.equal(graphs(alice), before)
      clock.advance(1)
      await eventually(() => offered(alice, 'me'))
      await settled(system)
      t.equal(graphs(alice), before + 1, 'once')
    })
    t.strictSame([await alice.rest(), system.errors, alice.client.clientErrors], [[], [], []])
    t.strictSame([system.provider.errors, system.provider.left], [[], 0])
  })
}

async function beginsAndEnds(t: Test, stage: Stage, { word, line, answer, begin, end }: Case): Promise<void> {
  const { system, alice, clock } = stage
  const before = graphs(alice)
  t.equal(await alice.askText(`/system ${line}`), CLOSED)
  begin(stage)
  clock.advance(1_000)
  await eventually(() => offered(alice, word))
  await settled(system)
  t.equal(graphs(alice), before + 1, 'the client was told once')
  if (word === 'reason') system.provider.script({ type: 'answer', text: 'Four.', sources: [] })
  t.match(await alice.askText(`/system ${line}`), answer, 'and the workflow runs')
  end(stage)
  clock.advance(1_000)
  await eventually(() => !offered(alice, word))
  await settled(system)
  t.equal(graphs(alice), before + 2, 'the client was told once')
  t.equal(await alice.askText(`/system ${line}`), CLOSED, 'and the workflow is closed')
}

void t.test('rank and the condition of an extension', async (t) => {
  const stage = await openStage(t, '1.21.4', 'test:ranks')
  const { system, alice, clock, state, player } = stage
  carry(player, system.version, 2)
  clock.advance(1_000)
  await eventually(() => offered(alice, 'trains'))
  t.notOk(offered(alice, 'me'))

  await system.serv.handleCommand('op alice')
  clock.advance(1_000)
  await eventually(() => offered(alice, 'me'))
  await alice.rest()
  t.match(await alice.askText('/system me'), /^Your state/)
  await system.serv.handleCommand('deop alice')
  clock.advance(1_000)
  await eventually(() => !offered(alice, 'me'))
  await alice.rest()
  t.equal(await alice.askText('/system me'), CLOSED)

  state.isHoliday = true
  clock.advance(1_000)
  await eventually(() => !offered(alice, 'trains'))
  t.equal(await alice.askText('/system trains'), CLOSED, 'that of the place as well as that of the module')
  state.isHoliday = false
  clock.advance(1_000)
  await eventually(() => offered(alice, 'trains'))
  t.ok(offered(alice, 'item'), 'what has no condition stays')
  t.strictSame(await alice.rest(), [])
})
