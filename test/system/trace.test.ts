import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { traceEventSchema, type TraceEvent } from '../../lib/agent/index.js'
import { openLive } from '../support/live-system.js'
import { consoleSays, temporaryFolder } from '../support/system.js'

void t.test('a server tells plugins what requests do, and writes it down', async (t) => {
  const dataFolder = await temporaryFolder(t)
  const file = 'trace/system.jsonl'
  const live = await openLive(t, {
    settings: { dataFolder },
    config: { 'system-trace': { file, maxBytes: 16_384, keep: 1 } },
  })
  const heard: TraceEvent[] = []
  const stop = live.system.onTrace((event) => void heard.push(event))
  live.system.onTrace(function broken() {
    throw new Error('oops')
  })
  const alice = await live.join('alice')
  live.provider.script(
    { type: 'player.info', input: {} },
    { type: 'answer', text: 'You are a secret.', sources: [1] },
  )
  t.match(await alice.ask('/system reason who am I?'), 'You are a secret.')
  t.strictSame(
    heard.map(({ kind }) => kind),
    ['request-accepted', 'request-routed', 'model-called', 'tool-called', 'model-called', 'request-ended'],
  )
  t.match(heard[2], { model: 'sim', finish: 'stop', httpStatus: 200, tokens: { estimated: false } })
  t.equal(live.log.filter((line) => /listener of the trace \(broken\) failed/.test(line)).length, 1)
  stop()
  await alice.ask('/system me')
  t.equal(heard.length, 6, 'who stopped listening hears no more')
  await live.stop()
  await live.system.closed

  const text = await readFile(join(dataFolder, file), 'utf8')
  const written = text
    .trimEnd()
    .split('\n')
    .map((line) => traceEventSchema.parse(JSON.parse(line)))
  t.strictSame(written.slice(0, 6), heard, 'the file has what was heard')
  t.match(written.at(-1), { kind: 'request-ended', module: 'system:player_info', code: 'ok' })
  t.notMatch(text, /secret|who am I|alice/, 'and no word of anybody')
  t.strictSame(await readdir(join(dataFolder, 'trace')), ['system.jsonl'])
  t.strictSame(live.stray, [])
})

void t.test('off by default; a reload begins and ends it', async (t) => {
  const dataFolder = await temporaryFolder(t)
  const live = await openLive(t, { settings: { dataFolder } })
  const alice = await live.join('alice')
  await alice.ask('/system me')
  const { traceFile } = live.runtime
  await traceFile.flush()
  t.notOk((await readdir(dataFolder)).includes('trace.jsonl'))
  for (const [file, lines] of [
    ['../trace.jsonl', null],
    ['trace.jsonl', 4],
  ] as const) {
    await writeFile(join(live.configFolder, 'system-trace.json'), JSON.stringify({ version: 1, file }))
    await consoleSays(live, 'system reload')
    await alice.ask('/system me')
    await traceFile.flush()
    const names = await readdir(dataFolder)
    t.equal(names.includes('trace.jsonl'), lines !== null)
    if (lines !== null)
      t.equal((await readFile(join(dataFolder, file), 'utf8')).trimEnd().split('\n').length, lines)
  }
  t.strictSame(live.stray, [])
})
