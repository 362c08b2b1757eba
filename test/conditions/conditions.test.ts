import t from 'tap'
import { z } from 'zod'
import { ConditionTypes, type Condition, type Situation } from '../../lib/conditions/index.js'
import { identifier } from '../../lib/core/ids.js'
import { ManualClock } from '../../lib/testing/index.js'
import { ALICE } from '../support/cards.js'
import { RecordingLogger } from '../support/kernel.js'

const FACTS: NonNullable<Situation['facts']> = {
  name: 'alice',
  position: { x: 0, y: 64, z: 0 },
  dimension: identifier('minecraft:overworld'),
  health: 20,
  food: 20,
  level: 10,
  gameMode: 'survival',
  held: null,
  inventory: [
    { id: identifier('minecraft:oak_planks'), name: 'Oak Planks', count: 40 },
    { id: identifier('minecraft:birch_planks'), name: 'Birch Planks', count: 30 },
  ],
}
const SITUATION: Situation = {
  player: ALICE,
  system: identifier('system:default'),
  permissionLevel: 0,
  facts: FACTS,
  dayTime: 1_000,
  itemTag: (id) =>
    id === 'minecraft:planks'
      ? new Set([identifier('minecraft:oak_planks'), identifier('minecraft:birch_planks')])
      : undefined,
}

const types = new ConditionTypes(new RecordingLogger())

/** Whether the condition decodes and holds; null: it doesn't decode. */
function holds(condition: unknown, situation: Partial<Situation> = {}): boolean | null {
  const decoded = types.schema().safeParse(condition)
  return decoded.success ? types.test(decoded.data, { ...SITUATION, ...situation }) : null
}

void t.test('every kind decodes in its form and says what its words mean', async (t) => {
  const nowhere = { facts: undefined }
  const cases: readonly [
    name: string,
    condition: object,
    expected: boolean,
    situation?: Partial<Situation>,
  ][] = [
    ['all_of of nothing holds', { type: 'all_of', conditions: [] }, true],
    ['any_of of nothing does not', { type: 'any_of', conditions: [] }, false],
    ['not', { type: 'not', condition: { type: 'any_of', conditions: [] } }, true],
    ['the id in full', { type: 'system:not', condition: { type: 'system:has_system' } }, false],
    ['any System', { type: 'has_system' }, true],
    ['this System', { type: 'has_system', system: 'system:default' }, true],
    ['another System', { type: 'has_system', system: 'system:guide' }, false],
    ['no System', { type: 'has_system' }, false, { system: null }],
    ['everybody has level 0', { type: 'permission', level: 0 }, true],
    ['a player is no administrator', { type: 'permission', level: 1 }, false],
    ['an administrator is', { type: 'permission', level: 4 }, true, { permissionLevel: 4 }],
    ['the game mode', { type: 'gamemode', gamemode: 'survival' }, true],
    ['one of several', { type: 'gamemode', gamemode: ['creative', 'survival'] }, true],
    ['another game mode', { type: 'gamemode', gamemode: 'creative' }, false],
    ['who is not in the world has no game mode', { type: 'gamemode', gamemode: 'survival' }, false, nowhere],
    ['the dimension', { type: 'dimension', dimension: 'minecraft:overworld' }, true],
    ['ids as vanilla writes them', { type: 'dimension', dimension: ['the_nether', 'overworld'] }, true],
    ['another dimension', { type: 'dimension', dimension: 'the_nether' }, false],
    ['from a level', { type: 'level', min: 10 }, true],
    ['below it', { type: 'level', min: 11 }, false],
    ['up to a level', { type: 'level', max: 10 }, true],
    ['above it', { type: 'level', max: 9 }, false],
    ['a level of nobody', { type: 'level' }, false, nowhere],
    ['an item', { type: 'has_item', item: 'oak_planks', count: 40 }, true],
    ['too few of it', { type: 'has_item', item: 'minecraft:oak_planks', count: 41 }, false],
    ['a tag counts its items together', { type: 'has_item', item: '#planks', count: 70 }, true],
    ['and no more', { type: 'has_item', item: '#minecraft:planks', count: 71 }, false],
    ['a tag that nobody has', { type: 'has_item', item: '#minecraft:logs' }, false],
    ['an advancement, before there are any', { type: 'has_advancement', advancement: 'story/root' }, false],
    ['a quest, before there are any', { type: 'quest_completed', quest: '0000000000000001' }, false],
    ['the morning', { type: 'time', min: 0, max: 1_000 }, true],
    ['not the afternoon', { type: 'time', min: 6_000, max: 12_000 }, false],
    ['over midnight', { type: 'time', min: 22_000, max: 2_000 }, true],
    ['not over midnight at noon', { type: 'time', min: 22_000, max: 2_000 }, false, { dayTime: 6_000 }],
  ]
  for (const [name, condition, expected, situation] of cases)
    t.equal(holds(condition, situation), expected, name)
})

const manyConditions = (count: number) => ({
  type: 'any_of',
  conditions: Array.from({ length: count }, () => ({ type: 'has_system' })),
})

void t.test('what is no condition does not decode', async (t) => {
  const hostile: readonly unknown[] = [
    null,
    [],
    'has_system',
    {},
    { type: 'constructor' },
    { type: '__proto__' },
    { type: 'other:has_system' },
    { type: 'has_system', more: 1 },
    { type: 'permission' },
    { type: 'permission', level: 5 },
    { type: 'permission', level: 1.5 },
    { type: 'level', min: -1 },
    { type: 'has_item', item: 'Oak Planks' },
    { type: 'has_item', item: '#' },
    { type: 'has_item', item: 'oak_planks', count: 0 },
    { type: 'time', min: 24_000 },
    { type: 'gamemode', gamemode: [] },
    { type: 'all_of', conditions: [{ type: 'nothing' }] },
    { type: 'all_of', conditions: Array.from({ length: 65 }, () => ({ type: 'has_system' })) },
    { type: 'all_of', conditions: Array.from({ length: 5 }, () => manyConditions(60)) },
  ]
  for (const condition of hostile) t.equal(holds(condition), null, JSON.stringify(condition))
})

void t.test('an extension adds a kind of its own', async (t) => {
  const logger = new RecordingLogger()
  const types = new ConditionTypes(logger)
  const undo = types.mark()
  interface Moon extends Condition {
    readonly phase: number
  }
  types.add({
    id: identifier('moon:phase'),
    members: () => ({ phase: z.int().min(0).max(7) }),
    test: (condition, { dayTime }) => {
      if ((condition as Moon).phase === 7) throw new Error('no moon')
      return dayTime === (condition as Moon).phase
    },
  })
  const nested = types.schema().parse({ type: 'not', condition: { type: 'moon:phase', phase: 3 } })
  t.equal(types.test(nested, { ...SITUATION, dayTime: 3 }), false)
  t.equal(types.test(nested, { ...SITUATION, dayTime: 4 }), true)
  const broken = types.schema().parse({ type: 'moon:phase', phase: 7 })
  t.equal(types.test(broken, SITUATION), false, 'one that throws is not met')
  t.match(logger.messages().join('\n'), /moon:phase/, 'and named in the log')
  types.test(broken, SITUATION)
  t.equal(logger.lines.length, 1, 'once')
  const kind = { id: identifier('moon:phase'), members: () => ({}), test: () => true }
  t.throws(() => types.add(kind), /registered twice/)
  t.throws(() => types.add({ ...kind, id: 'Moon' as never }), /no id of the form/)
  t.throws(
    () => types.add({ ...kind, id: identifier('moon:date'), members: () => ({ at: z.date() }) }),
    /can't be described/,
  )
  undo()
  t.equal(types.schema().safeParse({ type: 'moon:phase', phase: 3 }).success, false)
  t.equal(types.schema().safeParse({ type: 'has_system' }).success, true, 'the others are still there')
})

void t.test('a kind that takes long is named, once', async (t) => {
  const logger = new RecordingLogger()
  const clock = new ManualClock()
  const types = new ConditionTypes(logger, clock)
  types.add({
    id: identifier('moon:slow'),
    members: () => ({}),
    test: () => {
      clock.advance(400)
      return true
    },
  })
  const condition = types.schema().parse({ type: 'moon:slow' })
  t.equal(types.test(condition, SITUATION), true)
  t.equal(types.test(condition, SITUATION), true)
  t.same(logger.messages(), ["condition moon:slow took 400.0 ms of the server's thread"])
})
