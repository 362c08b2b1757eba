/** docs/EXTENDING.md says what plugins can do: each of its tables is the code's, each of its pieces stands in an example. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import * as agent from '../lib/agent/index.js'
import { workbenchPageSchema } from '../lib/agent/declared.js'
import { Execution } from '../lib/agent/execution.js'
import type { Registration } from '../lib/agent/index.js'
import { BUILT_IN_COMMANDS } from '../lib/command/index.js'
import { noticeFields } from '../lib/notifications/notice.js'
import { openLive } from './support/live-system.js'
import { run } from './support/registering.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (...path: readonly string[]): string => readFileSync(join(ROOT, ...path), 'utf8')
const DOC = read('docs', 'EXTENDING.md')

/** Rows of the first table whose head begins with this cell, cell by cell. */
function table(head: string): string[][] {
  const lines = DOC.split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${head} `))
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'))
  return lines.slice(at + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  )
}
/** What stands in backquotes. */
const words = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '')

/** Text without the indentation that it has in its place. */
const squeezed = (text: string): string => text.replace(/\s+/g, ' ')

void t.test('every piece of code stands in an example, which a test starts', async (t) => {
  const examples = readdirSync(join(ROOT, 'examples'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => squeezed(read('examples', name)))
  const pieces = [...DOC.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, piece]) => piece ?? '')
  t.ok(pieces.length > 5)
  for (const piece of pieces)
    t.ok(
      examples.some((example) => example.includes(squeezed(piece))),
      piece.slice(0, 60),
    )
  for (const [, path] of DOC.matchAll(/\]\(\.\.\/(examples\/[^)]+)\)/g)) t.not(read(path ?? ''), '')
})

void t.test('every method of registration', async (t) => {
  const methods: string[] = []
  run([(registration: Registration) => methods.push(...Object.keys(registration))])
  const told = table('method').flatMap(([name = '']) => words(name))
  t.strictSame(told.sort(), methods.sort())
})

void t.test('every member of the context', async (t) => {
  const members = Object.getOwnPropertyNames(Execution.prototype).filter(
    (name) => !['constructor', 'measured', 'nested', 'checkOpen'].includes(name),
  )
  const told = table('member of the context').flatMap(([names = '']) => words(names))
  t.strictSame(told.sort(), members.sort())
})

void t.test('every member of a page in the workbench', async (t) => {
  const told = table('member of a page').flatMap(([name = '']) => words(name))
  t.strictSame(told, Object.keys(workbenchPageSchema.shape))
})

void t.test('every kind of tool, every service of ours, every event of the trace', async (t) => {
  const kinds: readonly agent.ToolKind[] = ['game', 'async', 'compute']
  t.strictSame(
    table('kind').map(([kind = '']) => words(kind)[0]),
    kinds,
  )
  const { CLOCK, LOGGER, TRACE, CHAT } = agent
  t.strictSame(
    table('key').map(([name = '', id = '']) => [words(name)[0], words(id)[0]]),
    Object.entries({ CLOCK, LOGGER, TRACE, CHAT }).map(([name, { id }]) => [name, id]),
  )
  const events = agent.traceEventSchema.options.map(({ shape }) => {
    const members = Object.keys(shape).filter((member) => member !== 'kind' && member !== 'at')
    return [shape.kind.value, ...members.sort()].join(' ')
  })
  const told = table('event ').map(([kind = '', members = '']) =>
    [...words(kind), ...words(members.replace(/\([^)]*\)/g, '')).sort()].join(' '),
  )
  t.strictSame(told.sort(), events.sort())
})

void t.test('every field of a notice', async (t) => {
  const told = table('notice').map(([name = '']) => words(name)[0])
  t.strictSame(told, Object.keys(noticeFields))
})

void t.test('the ten fields of a policy', async (t) => {
  const told = table('field').flatMap(([name = '']) => words(name))
  t.strictSame(told.sort(), Object.keys(agent.executionPolicySchema.shape).sort())
})

void t.test('the policies of all built-in modules, and every command', async (t) => {
  const { runtime, errors } = await openLive(t)
  const modules = runtime.registry.modules()
  const policies = [
    ['routing', agent.ROUTING_POLICY] as const,
    ...modules.map(({ id, policy }) => [id, policy] as const),
  ]
  const fields = Object.keys(agent.executionPolicySchema.shape) as (keyof agent.ExecutionPolicy)[]
  const expected = policies.map(([id, policy]) => [
    `\`${id}\``,
    ...fields.map((field) => policy[field].toLocaleString('en')),
  ])
  t.strictSame(table('module'), expected)
  const texts = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ].map((path) => read(path))
  const commands = [...BUILT_IN_COMMANDS, ...modules.flatMap(({ routing }) => routing.command?.name ?? [])]
  for (const command of commands)
    t.ok(
      texts.some((text) => new RegExp(`/system ${command}\\b`).test(text)),
      `/system ${command}`,
    )
  t.strictSame(errors, [])
})
