/** Kinds of modules and conditions that an extension brings, as a world's pack uses them; and those that are taken out. */
import t from 'tap'
import { z } from 'zod'
import type { Registration } from '../../lib/agent/index.js'
import { identifier } from '../../lib/core/ids.js'
import {
  CLOSED,
  configuration,
  definition,
  grant,
  moduleWorld,
  putPack,
  trains,
  type WorldFiles,
} from '../support/module-world.js'
import { consoleSays, joinReader, openSystem } from '../support/system.js'

const CONFIGURED: WorldFiles = {
  [definition('all')]: { name: 'All', modules: ['#test:lines', 'system:player'] },
  [definition('lost')]: { name: 'Lost', modules: ['system:player', 'test:nowhere'] },
  [configuration('north')]: { type: 'test:trains', line: 'north', client: 'test:north_client' },
  [configuration('south')]: { server: { type: 'test:trains', line: 'south', platforms: 9 } },
  [configuration('festive')]: {
    type: 'test:trains',
    line: 'festive',
    condition: { type: 'test:holiday', on: true },
  },
  [configuration('wrong')]: '{\n  "type": "test:trains",\n  "line": "west",\n  "platforms": "two"\n}',
  [configuration('missing')]: '{\n  "type": "test:trains"\n}',
  [configuration('more')]: '{\n  "type": "test:trains",\n  "line": "x",\n  "colour": "red"\n}',
  [configuration('strange')]: '{\n  "type": "test:ferries"\n}',
  [configuration('mood')]:
    '{\n  "type": "test:trains",\n  "line": "x",\n  "condition": { "type": "test:holiday", "on": 1 }\n}',
  'data/test/tags/system/system_module/lines.json': {
    values: ['test:north', 'test:south', 'test:festive', { id: 'test:wrong', required: false }],
  },
}

/** What the log says of packs, colours left out. */
const packLines = (log: readonly string[]): string[] =>
  log.flatMap((line) => {
    const [text = ''] = line.slice(Math.max(0, line.indexOf('packs: '))).split('\u001b')
    return text.startsWith('packs: ') ? [text] : []
  })

for (const version of ['1.16.5', '1.21.4']) {
  void t.test(`${version}: a world's pack configures what an extension brings`, async (t) => {
    const state = { looked: 0, isHoliday: false }
    const world = await moduleWorld(t, CONFIGURED)
    const system = await openSystem(t, version, {
      register: trains(state),
      settings: { autoGrant: null },
      squid: { worldFolder: world },
    })
    const alice = await joinReader(t, system, 'alice')
    await grant(system, alice, 'test:all')
    const lines = async (): Promise<string> => (await alice.askText('/system trains')).split('\n')[0] ?? ''
    t.equal(await lines(), 'Trains: test:north north 2; test:south south 9', 'parameters and defaults')

    const log = packLines(system.log)
    const of = (file: string): string[] => log.filter((line) => line.includes(`${file}.json`))
    t.match(of('wrong'), [/mine data\/test\/system\/system_module\/wrong\.json:4:\d+ \/platforms: .*number/])
    t.match(of('missing'), [/system_module\/missing\.json:\d+:\d+ .*line/])
    t.match(of('more'), [/system_module\/more\.json:4:\d+ .*colour/])
    t.match(of('strange'), [/system_module\/strange\.json:2:\d+ \/type: /])
    t.match(of('mood'), [/system_module\/mood\.json:4:\d+ \/condition\/on: /])
    t.match(of('system/lost'), [/system\/lost\.json:1:\d+ \/modules\/1: names test:nowhere /])
    t.equal(log.filter((line) => /\/system_module\//.test(line)).length, 5, 'one line each')
    t.notMatch(log.join('\n'), world)

    t.match(await consoleSays(system, 'system grant test:lost alice'), [
      /^There is no System called test:lost/,
    ])
    // what is mended is taken, and counts for whoever has the System
    putPack(world, { [configuration('wrong')]: { type: 'test:trains', line: 'west', platforms: 3 } })
    await consoleSays(system, 'system reload')
    t.equal(await lines(), 'Trains: test:north north 2; test:south south 9; test:wrong west 3')
    t.strictSame([await alice.rest(), system.errors], [[], []])
  })
}

/** Brings a kind of module, of condition and of entry, and fails behind them. */
const failing = (registration: Registration): void => {
  registration.moduleType({
    id: identifier('broken:items'),
    parameters: { size: z.int().default(1) },
    // it would take these out of the hands of whoever has no configuration of the type
    modules: [identifier('test:timetable'), identifier('system:item_query')],
  })
  registration.moduleType({ id: identifier('broken:notes'), modules: [identifier('system:question')] })
  registration.conditionType({ id: identifier('broken:mood'), members: () => ({}), test: () => true })
  registration.registry({
    id: identifier('broken:note'),
    folder: 'broken/note',
    schema: z.strictObject({ text: z.string() }),
  })
  throw new Error('no more')
}

const USES_BROKEN: WorldFiles = {
  [definition('all')]: { name: 'All', modules: ['system:player', 'system:items'] },
  [definition('broken')]: { name: 'Broken', modules: ['test:sized'] },
  [definition('moody')]: {
    name: 'Moody',
    modules: [{ module: 'system:player', condition: { type: 'broken:mood' } }],
  },
  [configuration('sized')]: { type: 'broken:items', size: 2 },
  'data/broken/broken/note/one.json': { text: 7 },
}

void t.test('what a failing extension brought is taken out again', async (t) => {
  const system = await openSystem(t, '1.21.4', {
    register: failing,
    settings: { autoGrant: null },
    squid: { worldFolder: await moduleWorld(t, USES_BROKEN) },
  })
  t.equal(system.system.state, 'ready')
  const log = packLines(system.log)
  t.ok(
    log.some((line) => /sized\.json:1:\d+ \/type: /.test(line)),
    log.join('\n'),
  )
  t.ok(log.some((line) => /moody\.json:1:\d+ \/modules\/0\/condition\/type: /.test(line)))
  t.ok(log.some((line) => /system\/broken\.json:1:\d+ \/modules\/0: names test:sized /.test(line)))
  t.notOk(
    log.some((line) => line.includes('note/one.json')),
    'its folder is nobody’s',
  )
  const status = (await consoleSays(system, 'system status')).join('\n')
  t.match(status, /refused=broken\b/m, 'the status names who was taken out')
  t.notMatch(status, /broken:note=/)
  const alice = await joinReader(t, system, 'alice')
  await grant(system, alice, 'test:all')
  t.match(await alice.askText('/system item piston'), /^Piston/, 'workflows that it claimed are as before')
  t.equal(await alice.askText('/system reason how many'), CLOSED)
  t.match(
    (await consoleSays(system, 'system grant test:broken alice')).join(),
    /There is no System called test:broken/,
  )

  const strict = await openSystem(t, '1.21.4', { register: failing, settings: { strict: true } })
  t.equal(strict.system.state, 'off', 'a strict host would rather have none')
  t.ok(strict.log.some((line) => /the System is off.*no more/.test(line)))
  t.strictSame([system.errors, strict.errors], [[], []])
})
