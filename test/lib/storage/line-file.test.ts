import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createFileJobs } from '../../../lib/storage/index.js'

const jobs = createFileJobs()

async function open(t: { teardown(fn: () => unknown): void }) {
  const folder = await mkdtemp(join(tmpdir(), 'lines-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'trace', 'a.jsonl')
  const append = async (text: string, limits: object = {}) =>
    jobs.get('append-lines')?.({ kind: 'append-lines', path, text, maxBytes: 100, keep: 2, ...limits })
  const read = (suffix = '') => readFile(`${path}${suffix}`, 'utf8')
  return { folder, path, append, read }
}

void t.test('lines are added; the file is the owner’s alone', async (t) => {
  const { path, append, read } = await open(t)
  t.match(await append('one\n'), { ok: true })
  t.match(await append('two ü\nthree\n'), { ok: true })
  t.equal(await read(), 'one\ntwo ü\nthree\n')
  t.equal((await stat(path)).mode & 0o077, 0)
})

void t.test('a file that would be too large is put aside; so many are kept', async (t) => {
  const { folder, append, read } = await open(t)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await append(`${name.repeat(79)}\n`)
  t.match(await Promise.all([read(), read('.1'), read('.2')]), [/^e{79}\n$/, /^d{79}\n$/, /^c{79}\n$/])
  t.strictSame((await readdir(join(folder, 'trace'))).sort(), ['a.jsonl', 'a.jsonl.1', 'a.jsonl.2'])
  await append('f\n')
  t.match(await read(), /^e{79}\nf\n$/, 'what has room is added')
  await append(`${'g'.repeat(500)}\n`)
  t.match(await read(), /^g{500}\n$/, 'a batch that is too large alone has a file of its own')
})

void t.test('none is kept where the host wants none', async (t) => {
  const { folder, append, read } = await open(t)
  await append(`${'a'.repeat(79)}\n`, { keep: 0 })
  await append(`${'b'.repeat(79)}\n`, { keep: 0 })
  t.match(await read(), /^b{79}\n$/)
  t.strictSame(await readdir(join(folder, 'trace')), ['a.jsonl'])
})

void t.test('a line that was cut off by a crash does not swallow the next one', async (t) => {
  const { path, append, read } = await open(t)
  await append('one\n')
  await writeFile(path, 'one\n{"tw')
  await append('three\n')
  t.equal(await read(), 'one\n{"tw\nthree\n')
})

void t.test('a place that takes nothing is a failure, not a throw', async (t) => {
  const { folder, append } = await open(t)
  await writeFile(join(folder, 'trace'), 'a file where the folder should be')
  t.match(await append('one\n'), { ok: false, failure: { code: 'system:storage_failed' } })
})
