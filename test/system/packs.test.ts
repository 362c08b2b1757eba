/** What data packs of a host do to a running System, and what a reload takes of them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { FAST_POLICY, shown, type Registration } from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { systemClock, type Clock } from '../../lib/core/clock.js'
import { identifier } from '../../lib/core/ids.js'
import type { RegistryType } from '../../lib/registry/index.js'
import { PACK_JOB_MS } from '../../plugins/squid/packs/index.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { consoleSays, temporaryFolder, type SystemOptions } from '../support/system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'
import { eventually } from '../support/eventually.js'

interface Station {
  readonly name: string
  readonly next?: string | undefined
}
const STATION: RegistryType<Station> = {
  id: identifier('rail:station'),
  folder: 'rail/station',
  schema: z.strictObject({ name: z.string().min(1), next: z.string().optional() }),
  references: ({ next }) =>
    next === undefined ? [] : [{ registry: identifier('rail:station'), ref: next, pointer: ['next'] }],
}
const namesSchema = z.strictObject({ names: z.string() })
const namesCard: CardType<z.infer<typeof namesSchema>> = {
  id: identifier('rail:names'),
  schema: namesSchema,
  build: ({ names }) => ({ title: null, lines: [{ kind: 'text', text: names }], buttons: [] }),
}

/** Lists the stations, before and after something happened. */
const rail =
  (meanwhile: () => Promise<void> = async () => {}) =>
  (registration: Registration): void => {
    registration.registry(STATION)
    registration.cardType(namesCard)
    registration.texts('en_us', { 'rail.help': 'Stations' })
    registration.module({
      id: identifier('rail:list'),
      version: 1,
      action: z.strictObject({}),
      description: 'lists stations',
      help: { key: 'rail.help' },
      tools: [],
      policy: FAST_POLICY,
      routing: { selection: 'NORMAL', command: { name: 'stations' } },
      async execute(context) {
        const list = (): string =>
          context
            .registry(STATION)
            .values()
            .map(({ value }) => value.name)
            .join(',')
        const before = list()
        await meanwhile()
        return shown(cardOf(namesCard, { names: `${before} ${list()}` }))
      },
    })
  }

type Files = Readonly<Record<string, unknown>>

/** A world's folder with packs in it: files by `pack/path`, texts as they are, all else as JSON. */
function put(world: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(world, 'datapacks', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

const META = { pack: { pack_format: 61, description: 'a pack' } }
const station = (name: string): string => `mine/data/rail/rail/station/${name}.json`

interface Packed extends LiveSystem {
  readonly world: string
  reload(force?: 'force'): Promise<string[]>
}

async function openPacked(t: Test, files: Files, options: SystemOptions = {}): Promise<Packed> {
  const world = await temporaryFolder(t)
  put(world, { 'mine/pack.mcmeta': META, ...files })
  const live = await openLive(t, {
    register: rail(),
    ...options,
    squid: { worldFolder: world, ...options.squid },
  })
  return {
    ...live,
    world,
    reload: (force) => consoleSays(live, `system reload${force === undefined ? '' : ` ${force}`}`),
  }
}

const GRANTED = 'The System is now with you'
/** The count of all entries when there are so many stations. */
function withOurs(live: Packed, stations: number): number {
  const content = live.runtime.content()
  const registries = [...content.registries()].filter(([type]) => type !== STATION)
  return registries.reduce((sum, [, registry]) => sum + registry.size, stations)
}

/** What the log says of packs, colours left out. */
const packLines = (log: readonly string[]): string[] =>
  log.flatMap((line) => {
    const [text = ''] = line.slice(Math.max(0, line.indexOf('packs: '))).split('\u001b')
    return text.startsWith('packs: ') ? [text] : []
  })

void t.test(
  'a pack in the world changes sentences and prompts and brings entries; what is wrong is named',
  async (t) => {
    const live = await openPacked(t, {
      'mine/data/system/lang/en_us.json': {
        'system.binding.granted': `${GRANTED}, says the host.`,
        'bad key': 'x',
      },
      'mine/data/system/system/prompts/question.txt': 'You are the oracle of this server.',
      'mine/data/system/system/prompts/route.txt': ' ',
      [station('a')]: { name: 'Alpha' },
      [station('b')]: `{\n  "name": "Beta",\n  "next": 7\n}`,
      [station('c')]: { name: 'Gamma', next: 'rail:b' },
      [station('d')]: '{ "name": ',
      [station('e')]: { name: 'Epsilon', next: 'rail:a' },
    })
    const alice = await live.join('alice')
    t.equal(await alice.ask('/system stations'), 'Alpha,Epsilon Alpha,Epsilon')
    live.provider.script(good(ANSWER))
    t.match(await alice.ask('/system ask how deep?'), TEXT)
    t.match(JSON.stringify(live.provider.requests.at(-1)?.body), /oracle of this server/)
    const lines = packLines(live.log)
    t.match(
      lines.find((line) => line.includes('station/b.json')),
      /mine data\/rail\/rail\/station\/b\.json:3:11 \/next: must be a string$/,
    )
    t.match(
      lines.find((line) => line.includes('station/c.json')),
      /:1:\d+ \/next: names rail:b of rail:station, which was left out$/,
    )
    t.ok(lines.some((line) => /station\/d\.json:1:\d+: is not JSON/.test(line)))
    t.ok(lines.some((line) => /lang\/en_us\.json:1:\d+ \/bad key: is no key/.test(line)))
    t.ok(lines.some((line) => line.includes('prompts/route.txt: is empty')))
    t.notMatch(lines.join('\n'), live.world)
    const { packs, registries } = await live.status()
    t.equal(packs, `read=2 refused=0 entries=${withOurs(live, 2)} skipped=3`)
    t.match(registries, /rail:station=2 .*tags=\d+$/)
    t.strictSame(live.stray, [])
  },
)

void t.test(
  'a reload takes a mended pack, refuses one with a new fault whole, and takes it by force',
  async (t) => {
    const live = await openPacked(t, { [station('a')]: { name: 1 }, [station('b')]: { name: 'Beta' } })
    const alice = await live.join('alice')
    const stations = async (): Promise<string> => (await alice.ask('/system stations')).split(' ')[0] ?? ''
    t.equal(await stations(), 'Beta')
    put(live.world, { [station('a')]: { name: 'Alpha' } })
    t.match(
      (await live.reload()).at(-1),
      `Packs read again: 2 in use, 0 refused, ${withOurs(live, 2)} entries, 0 left out.`,
    )
    t.equal(await stations(), 'Alpha,Beta')

    put(live.world, {
      [station('a')]: { name: 'Again' },
      [station('b')]: '{\n  "name": ""\n}',
      'mine/data/system/lang/en_us.json': { 'rail.help': 'All stations' },
    })
    writeFileSync(join(live.configFolder, 'system-surface.json'), JSON.stringify({ chatPrefix: '!' }))
    t.same(await live.reload(), [
      'Nothing was taken, configuration and packs stay as they were. New faults in the packs: 1',
      'mine data/rail/rail/station/b.json:2:11 /name: must have a length of at least 1',
      'Mend them and reload again, or take the packs as they are: /system reload force',
    ])
    t.equal(await stations(), 'Alpha,Beta')
    t.equal(live.runtime.live.config['system-surface'].chatPrefix.trim(), '@system')
    t.equal(live.installation.state, 'ready')

    t.same(await live.reload('force'), [
      'Configuration read again, 1 changed: system-surface.chatPrefix',
      `Packs read again: 2 in use, 0 refused, ${withOurs(live, 1)} entries, 1 left out.`,
    ])
    t.equal(await stations(), 'Again')
    t.match((await live.reload()).at(-1), '1 left out', 'what is wrong already is no new fault')

    rmSync(join(live.world, 'datapacks', 'mine', 'pack.mcmeta'))
    t.match(
      await live.reload(),
      [/New faults in the packs: \d/, /^mine: /, /reload force$/],
      'a pack that is lost',
    )
    t.equal(await stations(), 'Again')
    t.match(await live.status(), { packs: `read=2 refused=0 entries=${withOurs(live, 1)} skipped=1` })
    t.strictSame(live.stray, [])
  },
)

void t.test('a request that runs keeps the entries and the prompt that it began with', async (t) => {
  let live: Packed | undefined
  const meanwhile = async (): Promise<void> => {
    put(live?.world ?? '', {
      [station('a')]: { name: 'After' },
      'mine/data/system/system/prompts/question.txt': 'The second prompt.',
      'mine/data/system/system/synonyms/en_us.json': { where: ['whereabouts'] },
    })
    await live?.reload()
  }
  let isFirst = true
  live = await openPacked(
    t,
    {
      [station('a')]: { name: 'Before' },
      'mine/data/system/system/prompts/question.txt': 'The first prompt.',
    },
    {
      register: rail(async () => {
        if (isFirst) await meanwhile()
        isFirst = false
      }),
    },
  )
  const alice = await live.join('alice')
  const bob = await live.join('bob')
  let go = (): void => {}
  const may = new Promise<void>((resolve) => (go = resolve))
  live.provider.script(async () => {
    await may
    return good({ module: 'system:question', input: { text: 'how deep is it' } })
  }, good(ANSWER))
  bob.say('/system could you perhaps say how deep it is')
  await live.provider.request(1)
  t.equal(await alice.ask('/system stations'), 'Before Before')
  t.equal(await alice.ask('/system stations'), 'After After')
  go()
  t.match(await bob.reader.nextText(), TEXT)
  t.match(JSON.stringify(live.provider.requests[1]?.body), /The first prompt/)
  live.provider.script(good(ANSWER))
  t.match(await bob.ask('/system ask how deep?'), TEXT)
  t.match(JSON.stringify(live.provider.requests[2]?.body), /The second prompt/)
  // the index of the new words is built beside the old one
  await eventually(async () => (await live.runtime.local.route('whereabouts am I')) !== null)
  t.match(await alice.ask('/system whereabouts am I'), /Your state/, 'new synonyms route')
  t.equal(live.provider.requests.length, 3)
  t.strictSame(live.stray, [])
})

void t.test('sixteen requests run on over a reload with what they began with', async (t) => {
  const live = await openPacked(
    t,
    { 'mine/data/system/system/prompts/question.txt': 'The first prompt.' },
    { config: { 'system-agent': { lanes: { interactive: { active: 16 } }, modelConcurrency: 16 } } },
  )
  const { provider } = live
  const seats = await Promise.all(Array.from({ length: 16 }, (_, n) => live.join(`player${n}`)))
  let go = (): void => {}
  const may = new Promise<void>((resolve) => (go = resolve))
  const route = async () => {
    await may
    return good({ module: 'system:question', input: { text: 'how deep is it' } })
  }
  provider.script(...seats.map(() => route), ...seats.map(() => good(ANSWER)))
  for (const seat of seats) seat.say('/system could you perhaps say how deep it is')
  await provider.request(16)
  put(live.world, { 'mine/data/system/system/prompts/question.txt': 'The second prompt.' })
  writeFileSync(join(live.configFolder, 'system-model.json'), JSON.stringify({ extra: { seed: 7 } }))
  t.match(await live.reload(), [/1 changed: system-model\.extra/, /^Packs read again/])
  go()
  for (const seat of seats) t.match(await seat.reader.nextText(), TEXT)
  const bodies = provider.requests.slice(16).map(({ body }) => body)
  t.equal(bodies.length, 16)
  t.ok(bodies.every((body) => JSON.stringify(body).includes('The first prompt.')))
  t.ok(bodies.every((body) => body['seed'] === undefined))
  provider.script(good(ANSWER))
  t.match(await seats[0]?.ask('/system ask how deep?'), TEXT)
  t.match(provider.requests.at(-1)?.body, { seed: 7 })
  t.match(JSON.stringify(provider.requests.at(-1)?.body), /The second prompt/)
  t.strictSame([provider.errors, live.stray], [[], []])
})

void t.test(
  'a thread that dies under a reload, a second reload, the end of the server: typed, and the old stays',
  async (t) => {
    const live = await openPacked(t, { [station('a')]: { name: 'Alpha' } })
    const content = live.runtime.content()
    const [first, second] = await Promise.all([live.reload(), live.reload()])
    t.match([...new Set([...first, ...second])].join('\n'), /A reload is under way/)
    t.not(live.runtime.content(), content)

    const before = live.runtime.content()
    put(live.world, { [station('a')]: { name: 'After' } })
    const dying = live.reload()
    live.runtime.groups.compute.terminate(null)
    t.match(await dying, [/^Nothing was taken, what was in use stays: the packs could not be read\. \w+/])
    t.equal(live.runtime.content(), before)

    const late = live.reload()
    const quit = live.serv.quit()
    t.match(await late, [/^Nothing was taken/])
    await quit
    await live.system.closed
    t.equal(live.runtime.content(), before)
    t.strictSame(live.stray, [])
  },
)

void t.test(
  'a thread that hangs over a pack is ended: the start goes on, a reload can be repeated',
  async (t) => {
    const pack = join(await temporaryFolder(t), 'spinning')
    mkdirSync(pack)
    writeFileSync(join(pack, 'pack.mcmeta'), JSON.stringify(META))
    // the minute of a job with packs takes no time while it hangs
    const skip = { isOn: true, ms: 0 }
    const clock: Clock = {
      ...systemClock,
      monotonic: () => systemClock.monotonic() + skip.ms,
      after: (ms, fn) =>
        ms !== PACK_JOB_MS || !skip.isOn
          ? systemClock.after(ms, fn)
          : systemClock.after(200, () => {
              skip.ms += ms
              fn()
            }),
    }
    const workersUrl = new URL('../fixtures/system-workers/', import.meta.url)
    const live = await openPacked(
      t,
      { [station('a')]: { name: 'Alpha' } },
      { clock, workersUrl, settings: { packs: [pack] } },
    )
    t.equal(live.installation.state, 'ready')
    t.equal(live.log.filter((line) => line.includes('the packs were not read: system:worker_lost')).length, 1)
    t.equal(live.log.filter((line) => line.includes('a thread was lost')).length, 1, 'one attempt')
    const failed = [/^Nothing was taken, what was in use stays: the packs could not be read\./]
    t.match(await live.reload(), failed)
    t.match(await live.reload(), failed)
    rmSync(pack, { recursive: true })
    skip.isOn = false
    t.match((await live.reload('force')).at(-1), /^Packs read again: /)
    const alice = await live.join('alice')
    t.match(await alice.ask('/system stations'), /^Alpha /)
    t.strictSame(live.stray, [])
  },
)

void t.test(
  'whatever lies in the folder of packs, the System is ready and says so in a few lines',
  async (t) => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [station(`broken_${n}`), { name: n }] as const),
    )
    for (const [name, files, lines] of [
      ['no pack', {}, 1],
      ['a file that is no pack', { 'notes.txt': 'x' }, 2],
      ['a pack without its meta', { 'bad/data/rail/rail/station/x.json': '{}' }, 2],
      ['a pack with a broken meta', { 'bad/pack.mcmeta': '{' }, 2],
      ['many broken entries', many, 22],
    ] as const) {
      const live = await openPacked(t, files)
      t.equal(live.installation.state, 'ready', name)
      t.ok(packLines(live.log).length <= lines, `${name}: ${packLines(live.log).join(' | ')}`)
      const alice = await live.join('alice')
      t.match(await alice.ask('/system me'), /^Your state\n/, name)
      await live.stop()
    }
    const world = await temporaryFolder(t)
    writeFileSync(join(world, 'datapacks'), 'not a folder')
    const live = await openLive(t, { squid: { worldFolder: world } })
    t.equal(live.installation.state, 'ready')
    t.match(await live.status(), { packs: /^read=1 / })
  },
)

void t.test('packs of the settings come last; one that is missing is named', async (t) => {
  const folder = await temporaryFolder(t)
  put(folder, {
    'mine/pack.mcmeta': META,
    [station('a')]: { name: 'Settings' },
  })
  const extra = join(folder, 'datapacks', 'mine')
  const live = await openPacked(
    t,
    { [station('a')]: { name: 'World' }, [station('b')]: { name: 'Beta' } },
    { settings: { packs: [extra, join(folder, 'gone')] } },
  )
  const alice = await live.join('alice')
  t.match(await alice.ask('/system stations'), /^Beta,Settings /)
  t.ok(packLines(live.log).some((line) => line.includes('gone')))
  t.notMatch(packLines(live.log).join('\n'), folder)
  t.match(await live.status(), { packs: /^read=3 refused=1 / })
})
