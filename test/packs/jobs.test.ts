import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../lib/core/clock.js'
import { silentLogger } from '../../lib/core/logger.js'
import { createPackJobs, type LocateJob, type PackData, type ReadPacksJob } from '../../lib/packs/index.js'
import { openThreadGroups, runJob } from '../../lib/pool/index.js'
import { packPlace, rawTexts, readFrom, WISHES, writePack } from '../support/packs.js'

const groups = openThreadGroups({
  threads: { agent: 1, storage: 1, compute: 1 },
  agentData: null,
  clock: systemClock,
  logger: silentLogger,
})
t.teardown(() => groups.close())

const readJob = (extra: readonly string[]): ReadPacksJob => ({
  kind: 'read-packs',
  builtIn: null,
  world: null,
  extra: [...extra],
  folders: [...WISHES.folders],
  raw: [...WISHES.raw],
  packFormat: WISHES.packFormat,
})

void t.test('the compute group reads packs, and answers queries in between', async (t) => {
  const place = await packPlace(t)
  const files = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`data/a/advancement/${at}.json`, { text: 'x'.repeat(500) }]),
  )
  const path = await writePack(join(place, 'pack'), {
    ...files,
    'data/a/system/system/x.json': '{"__proto__": {"x": 1}}',
  })
  const order: string[] = []
  const reading = runJob(groups.compute, readJob([path])).then((result) => {
    order.push('read')
    return result
  })
  const profiles = [{ id: 'a', examples: ['how do i'] }]
  const query = { kind: 'route.index', version: 1, profiles, synonyms: [], texts: ['how do i'] }
  for (let at = 0; at < 3; at += 1) {
    await runJob(groups.compute, query)
    order.push('query')
  }
  const result = await reading
  t.strictSame(order, ['query', 'query', 'query', 'read'])
  t.ok(result.ok)
  const data = (result.ok ? result.value : undefined) as PackData
  t.strictSame(data, structuredClone(await readFrom({ extra: [path] })))
  t.equal(Object.keys(rawTexts(data, 'advancement')).length, 3_000)
})

void t.test('locate finds lines again, and says null where it can not any more', async (t) => {
  const place = await packPlace(t)
  const file = 'data/a/system/system/x.json'
  const path = await writePack(join(place, 'pack'), { [file]: '{\n "name": {\n  "text": 1}}' })
  const job = (pointers: LocateJob['pointers']): LocateJob => ({
    kind: 'locate',
    builtIn: null,
    world: null,
    extra: [path],
    pointers,
  })
  const at = (pointer: string, change: object = {}) => ({ pack: 'pack', file, pointer, ...change })
  const pointers = [
    at('/name/text'),
    at('/name/none'),
    at('', { pack: 'other' }),
    at('', { file: '../pack/pack.mcmeta' }),
    at('', { file: 'data/a/none.json' }),
    at(''),
  ]
  t.strictSame(await runJob(groups.compute, job(pointers)), {
    ok: true,
    value: [{ line: 3, column: 11 }, { line: 2, column: 10 }, null, null, null, { line: 1, column: 1 }],
  })
  await rm(path, { recursive: true })
  t.strictSame(await runJob(groups.compute, job([at('')])), { ok: true, value: [null] })
})

void t.test('a job of another shape is refused', async (t) => {
  const jobs = createPackJobs()
  t.strictSame([...jobs.keys()], ['read-packs', 'locate'])
  const bad = [
    { kind: 'read-packs' },
    { ...readJob([]), folders: ['../x'] },
    { ...readJob([]), packFormat: -1 },
    { ...readJob([]), more: 1 },
    { kind: 'locate', builtIn: null, world: null, extra: [] },
  ]
  for (const job of bad)
    t.match(await jobs.get(job.kind)?.(job), { ok: false, failure: { code: 'system:protocol' } })
})
