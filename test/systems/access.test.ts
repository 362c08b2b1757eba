import t from 'tap'
import { z } from 'zod'
import { ConditionTypes, type Situation } from '../../lib/conditions/index.js'
import { identifier, type Identifier } from '../../lib/core/ids.js'
import type { PlayerFacts } from '../../lib/host/index.js'
import type { Content } from '../../lib/registry/index.js'
import {
  ModuleAccess,
  ModuleTypes,
  OVERRIDES,
  systemRegistries,
  withOverride,
  type Overrides,
} from '../../lib/systems/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { ALICE } from '../support/cards.js'
import { contentOf, type PlainContent } from '../support/content.js'
import { RecordingLogger } from '../support/kernel.js'

const MORNING = { type: 'time', max: 6_000 }
const PACK: PlainContent = {
  entries: {
    'system/system': {
      'test:one': { name: 'One', modules: ['#test:all'] },
      'test:two': { name: 'Two', modules: ['test:shop', { module: 'test:fields', condition: MORNING }] },
      'test:twice': { name: 'Twice', modules: [{ module: 'test:shop', condition: MORNING }, 'test:shop'] },
      'test:paid': {
        name: 'Paid',
        modules: [{ module: 'test:shop', condition: { type: 'has_item', item: '#test:tickets' } }],
      },
      'test:none': { name: 'None', modules: [] },
    },
    'system/system_module': {
      'test:shop': { type: 'test:shop', page: 3 },
      'test:shop_of_night': {
        server: { type: 'test:shop' },
        client: 'test:shop',
        condition: { type: 'not', condition: MORNING },
      },
      'test:fields': { type: 'test:fields' },
    },
  },
  tags: {
    'system/system_module': { 'test:all': ['test:shop', 'test:shop_of_night', 'test:fields'] },
    item: { 'test:tickets': ['minecraft:paper'] },
  },
}

/** Somebody with a sheet of paper. */
const FACTS: PlayerFacts = {
  name: 'alice',
  position: { x: 0, y: 0, z: 0 },
  dimension: identifier('minecraft:overworld'),
  health: 20,
  food: 20,
  level: 0,
  gameMode: 'survival',
  held: null,
  inventory: [{ id: identifier('minecraft:paper'), name: 'Paper', count: 1 }],
}

interface Rig {
  readonly access: ModuleAccess
  readonly clock: ManualClock
  /** How often conditions asked for what they are judged by. */
  asked(): number
  set(change: { system?: string | null; overrides?: Overrides; dayTime?: number; content?: Content }): void
  readonly decode: (plain: PlainContent) => Promise<Content>
}

async function rig(onNever: (situation: Situation) => void = () => {}): Promise<Rig> {
  const clock = new ManualClock()
  const conditions = new ConditionTypes(new RecordingLogger())
  conditions.add({
    id: identifier('test:never'),
    members: () => ({}),
    test(_condition, situation) {
      onNever(situation)
      return false
    },
  })
  const types = new ModuleTypes()
  types.add({
    id: identifier('test:shop'),
    parameters: { page: z.int().min(1).default(10) },
    modules: [identifier('test:browse'), identifier('test:quote')],
  })
  types.add({ id: identifier('test:fields'), modules: [identifier('test:plough')] })
  const registries = systemRegistries(types, conditions)
  const decode = (plain: PlainContent) =>
    contentOf([registries.definitions, registries.configurations], plain)
  let content = await decode(PACK)
  let system: string | null = 'test:one'
  let overrides = OVERRIDES.empty
  let dayTime = 0
  let asked = 0
  const situation = (
    player: Situation['player'],
    of: { readonly system: Identifier; readonly content: Content },
  ): Situation => {
    asked += 1
    const itemTag: Situation['itemTag'] = (id) => new Set(of.content.tags('item').get(id))
    return { player, system: of.system, permissionLevel: 0, facts: FACTS, dayTime, itemTag }
  }
  const access = new ModuleAccess({
    types,
    conditions,
    registries,
    clock,
    content: () => content,
    boundTo: () => (system === null ? null : identifier(system)),
    overridesOf: () => overrides,
    situation,
  })
  const set: Rig['set'] = (change) => {
    if (change.system !== undefined) system = change.system
    overrides = change.overrides ?? overrides
    dayTime = change.dayTime ?? dayTime
    content = change.content ?? content
  }
  return { access, clock, asked: () => asked, set, decode }
}

const openTo = (access: ModuleAccess) => access.open(ALICE).map(({ id }) => id)
const override = (id: string, to: 'allow' | 'deny') => withOverride(OVERRIDES.empty, identifier(id), to)

void t.test('a player has what the System names', async (t) => {
  const { access, set } = await rig()
  t.same(openTo(access), ['test:shop', 'test:fields'], 'one whose condition does not hold is closed')
  t.equal(access.check(ALICE, 'test:browse'), null)
  t.equal(access.check(ALICE, 'test:quote'), null, 'a type opens all its workflows')
  t.equal(access.check(ALICE, 'test:plough'), null)
  t.equal(access.checkOwner(ALICE, 'test:shop'), null, 'and its tools')
  set({ system: 'test:none' })
  t.same(openTo(access), [])
  t.equal(access.check(ALICE, 'test:browse')?.code, 'system:module_closed')
  t.equal(access.checkOwner(ALICE, 'test:shop')?.code, 'system:module_closed')
  t.equal(access.check(ALICE, 'test:unnamed'), null, 'a workflow of no type needs no configuration')
  t.equal(access.checkOwner(ALICE, 'test:nobody'), null, 'nor does a tool of no type')
  t.equal(access.check(ALICE, null), null, 'who is bound may ask')
})

void t.test('the core is open to whoever is bound, and nothing to others', async (t) => {
  const { access, set } = await rig()
  const core = ['help', 'settings', 'history', 'pins', 'forget', 'cancel', 'usage', 'question']
  set({ system: 'test:none' })
  for (const name of core) t.equal(access.check(ALICE, `system:${name}`), null, name)
  set({ system: null })
  for (const module of [null, 'system:help', 'test:browse', 'test:unnamed'])
    t.equal(access.check(ALICE, module)?.code, 'system:not_bound', String(module))
  t.equal(access.checkOwner(ALICE, 'test:nobody')?.code, 'system:not_bound')
  t.same(openTo(access), [])
  t.same(access.named(ALICE), [])
})

void t.test('a condition of a place counts there only, with that of the configuration', async (t) => {
  const { access, clock, set } = await rig()
  set({ system: 'test:two' })
  t.same(openTo(access), ['test:shop', 'test:fields'])
  set({ dayTime: 12_000 })
  t.same(openTo(access), ['test:shop', 'test:fields'], 'what was found counts for a second')
  clock.advance(1_000)
  t.same(openTo(access), ['test:shop'])
  set({ system: 'test:one' })
  t.same(openTo(access), ['test:shop', 'test:shop_of_night', 'test:fields'], 'another System counts at once')
  set({ system: 'test:twice' })
  t.same(openTo(access), ['test:shop'], 'one that is named twice is open when one place opens it')
})

void t.test('conditions are evaluated once a second, and what they need is read once', async (t) => {
  const { access, clock, asked } = await rig()
  for (let time = 0; time < 100; time += 1) access.check(ALICE, 'test:browse')
  t.equal(asked(), 1)
  clock.advance(999)
  access.check(ALICE, 'test:browse')
  t.equal(asked(), 1)
  clock.advance(1)
  access.check(ALICE, 'test:browse')
  t.equal(asked(), 2)
})

void t.test('an administrator closes and opens, within what the System names', async (t) => {
  const { access, set } = await rig()
  set({ overrides: override('test:shop', 'deny') })
  t.same(openTo(access), ['test:fields'], 'at once')
  t.equal(access.check(ALICE, 'test:browse')?.code, 'system:module_closed')
  set({ overrides: override('test:shop_of_night', 'allow') })
  t.same(openTo(access), ['test:shop', 'test:shop_of_night', 'test:fields'], 'without its condition')
  set({ system: 'test:two' })
  t.same(openTo(access), ['test:shop', 'test:fields'], 'not what the System does not name')
  set({ overrides: override('system:help', 'deny') })
  t.equal(access.check(ALICE, 'system:help'), null, 'the core stays')
  t.same(withOverride(override('test:shop', 'deny'), identifier('test:shop'), 'allow'), {
    allowed: ['test:shop'],
    denied: [],
  })
  t.same(withOverride(override('test:shop', 'deny'), identifier('test:shop'), null), OVERRIDES.empty)
})

void t.test('configurations of a type come in the order of the System, with their parameters', async (t) => {
  const { access, set } = await rig()
  set({ dayTime: 12_000 })
  const shops = () => access.open(ALICE).filter(({ value }) => value.type === 'test:shop')
  const pages = () => shops().map(({ id, value }) => [id, value.parameters])
  t.same(pages(), [
    ['test:shop', { page: 3 }],
    ['test:shop_of_night', { page: 10 }],
  ])
  t.equal(shops()[1]?.value.client, 'test:shop', 'the client is kept')
  set({ system: null })
  t.same(pages(), [])
})

void t.test('other content counts at once; a System that is gone closes all', async (t) => {
  const { access, set, decode } = await rig()
  t.equal(openTo(access).length, 2)
  set({ content: await decode({ ...PACK, tags: {} }) })
  t.same(openTo(access), [], 'its only tag is gone, and with it the definition')
})

void t.test('what a request began with is judged by its own tags', async (t) => {
  const { access, clock, set, decode } = await rig()
  set({ system: 'test:paid' })
  const before = await decode(PACK)
  t.equal(access.check(ALICE, 'test:browse', before), null)
  set({ content: await decode({ ...PACK, tags: { ...PACK.tags, item: {} } }) })
  clock.advance(1_000)
  t.equal(
    access.check(ALICE, 'test:browse')?.code,
    'system:module_closed',
    'the tag is gone for what begins now',
  )
  t.equal(access.check(ALICE, 'test:browse', before), null, 'and there for what began before')
})

void t.test('what is no module type is refused', async (t) => {
  const types = new ModuleTypes()
  const good = { id: identifier('test:shop'), modules: [identifier('test:browse')] }
  types.add(good)
  t.throws(() => types.add(good), /registered twice/)
  t.throws(() => types.add({ ...good, id: 'Shop' as never }), /no id of the form/)
  const other = identifier('test:other')
  t.throws(() => types.add({ id: other, modules: ['Browse' as never] }), /no ids/)
  t.throws(() => types.add({ id: other, modules: [], parameters: { type: z.string() } }), /is taken/)
  t.throws(() => types.add({ id: other, modules: [], parameters: { at: z.date() } }), /can't be described/)
  const undo = types.mark()
  types.add({ ...good, id: other })
  undo()
  t.equal(types.get('test:other'), undefined)
})

void t.test(
  'a condition is judged once for all places that name it, on what nobody can change',
  async (t) => {
    const judged: Situation[] = []
    const { access, set, decode } = await rig((situation) => void judged.push(situation))
    const one = { name: 'One', modules: Array.from({ length: 512 }, () => 'test:gated') }
    const gated = { type: 'test:fields', condition: { type: 'test:never' } }
    set({
      content: await decode({
        entries: {
          'system/system': { 'test:one': one },
          'system/system_module': { 'test:gated': gated },
        },
      }),
    })
    t.same(openTo(access), [])
    t.equal(judged.length, 1)
    t.throws(() => Object.assign(judged[0] ?? {}, { permissionLevel: 4 }), TypeError)
  },
)
