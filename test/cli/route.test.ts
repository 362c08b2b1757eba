/** `flying-squid-system route`: JSON lines in and out, and what is wrong with files and words. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { cli } from './world.js'

const THINGS = ['piston', 'hopper', 'bookshelf', 'cake', 'anvil', 'beacon', 'torch', 'rail', 'bed', 'chest']
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const TRAIN = THINGS.flatMap((thing) => [
  { text: `how do i craft a ${thing}`, label: 'recipe' },
  { text: `recipe of a ${thing}`, label: 'recipe' },
  { text: `what is a ${thing}`, label: 'facts' },
  { text: `tell me about the ${thing}`, label: 'facts' },
  { text: `sell my ${thing}`, label: 'oos' },
  { text: `i lost the ${thing}`, label: null },
])

void t.test('trains, asks, reports', async (t) => {
  const folder = t.testdir({
    'train.jsonl': lines(TRAIN),
    'ask.jsonl': `${lines([{ text: 'how do i craft a lever' }, { text: 'sell my lever', label: 'oos' }])}\n`,
  })
  const [train, ask, out] = ['train.jsonl', 'ask.jsonl', 'out.jsonl'].map((name) => join(folder, name))
  const words = ['route', '--train', train ?? '', '--queries', ask ?? '', '--precision', '0.9']
  const done = await cli(folder, ...words, '--out', out ?? '')
  t.match(done, { status: 0, stdout: '', stderr: '' })
  const answers = (await readFile(out ?? '', 'utf8'))
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { text: string; label: string | null; confidence: number; accepted: boolean },
    )
  t.match(answers, [
    { text: 'how do i craft a lever', label: 'recipe', accepted: true },
    { text: 'sell my lever', label: null, accepted: false },
  ])
  const printed = await cli(folder, ...words)
  t.equal(printed.stdout, await readFile(out ?? '', 'utf8'), 'the same each time')

  const report = await cli(folder, 'route', '--train', train ?? '', '--report')
  t.equal(report.status, 0)
  t.match(report.stdout, /^accepted (from a confidence of 0\.\d{3} on|never: too little evidence), for 0\.98/)
  t.match(report.stdout, /\nfacts +20 /)
  const json = await cli(folder, 'route', '--train', train ?? '', '--report', '--json')
  t.match(JSON.parse(json.stdout), {
    targetPrecision: 0.98,
    labels: [{ label: 'facts' }, { label: 'recipe' }],
  })
})

void t.test('wrong words and wrong files', async (t) => {
  const folder = t.testdir({
    'train.jsonl': lines(TRAIN),
    'none.jsonl': lines([{ text: 'a', label: 'oos' }]),
  })
  const train = join(folder, 'train.jsonl')
  await writeFile(join(folder, 'broken.jsonl'), '{"text":"a","label":"b"}\n{"text":1}\n')
  const cases: readonly [number, RegExp, ...string[]][] = [
    [2, /needs --train/, '--report'],
    [2, /--queries or --report/, '--train', train],
    [2, /not a precision/, '--train', train, '--report', '--precision', '2'],
    [2, /unknown|Unknown/i, '--train', train, '--wat'],
    [1, /gone\.jsonl can't be read/, '--train', join(folder, 'gone.jsonl'), '--report'],
    [1, /broken\.jsonl:2 is no/, '--train', join(folder, 'broken.jsonl'), '--report'],
    [1, /no sentence has a label/, '--train', join(folder, 'none.jsonl'), '--report'],
  ]
  for (const [status, words, ...given] of cases) {
    const done = await cli(folder, 'route', ...given)
    t.equal(done.status, status, given.join(' '))
    t.match(done.stderr, words)
  }
  t.match(await cli(folder, 'route', '--help'), { status: 0, stdout: /--train/ })
})
