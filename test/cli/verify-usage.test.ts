/** How `flying-squid-system verify` is called, and how its report is kept. */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { FINDINGS, NOTES, Report } from '../../plugins/cli/verify/report.js'
import { temporaryFolder } from '../support/system.js'
import { cli } from './world.js'

void t.test('how it is used', async (t) => {
  const empty = await temporaryFolder(t)
  const nothing = await cli(empty, 'verify', '--data', empty, '--json')
  t.equal(nothing.status, 0)
  t.match(JSON.parse(nothing.stdout), { findings: [], notes: [{ code: 'nothing_here' }] })
  const help = await cli(empty, 'verify', '--help')
  t.equal(help.status, 0)
  t.match(help.stdout, /^flying-squid-system verify \[options\]/)
  t.match((await cli(empty, '--help')).stdout, /verify .*\n.*move-player/)
  for (const [args, said] of [
    [['verify'], /there is no folder .*1\.21\.4/],
    [['verify', '--data', 'nowhere'], /there is no folder/],
    [['verify', '--world'], /--world/],
    [['verify', '--wrong'], /--wrong/],
    [['verify', 'something', '--data', '.'], /something/],
    [['verify', '--json', '--data', 'nowhere'], /there is no folder/],
  ] as const) {
    const wrong = await cli(empty, ...args)
    t.equal(wrong.status, 2, args.join(' '))
    t.match(wrong.stderr, said)
    t.equal(wrong.stdout, '')
  }
})

void t.test('docs/TOOLS.md explains every code', async (t) => {
  const page = await readFile(new URL('../../../docs/TOOLS.md', import.meta.url), 'utf8')
  const codes = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, code]) => code)
  t.strictSame(codes.slice(0, FINDINGS.length + NOTES.length), [...FINDINGS, ...NOTES])
})

void t.test('a report of many things counts all of them', async (t) => {
  const report = new Report()
  for (let at = 0; at < 10_050; at += 1) report.note('left_over', { file: String(at), message: 'x' })
  t.equal(report.notes.length, 10_000)
  t.equal(report.counts['notes'], 10_050)
})
