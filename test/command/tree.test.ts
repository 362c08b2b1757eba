import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  BUILT_IN_COMMANDS,
  argument,
  argumentWordKey,
  declarationProblem,
  graph,
  literal,
  systemCommands,
  usage,
  type GraphNode,
} from '../../lib/command/index.js'
import { identifier } from '../../lib/core/ids.js'
import { ADMIN, CONSOLE, MODULES, OWN_WORDS, PLAYER, TREE, UNBOUND } from '../support/command-tree.js'

/** What administrators may say more. */
const ADMINS_LINES = new Map([
  ['/system usage', '/system usage [all]'],
  ['/system signin', '/system signin [repair <player>]'],
  ['/system orders', '/system orders [player [settle <id>|refund <id>|reissue <id>]]'],
])

void t.test('help lists what the asker may run, in the form of its surface', async (t) => {
  const lines = (source: typeof PLAYER): string[] => usage(TREE, source).map((line) => line.usage)
  t.strictSame(lines(UNBOUND), ['/system', '/system help'])
  const own = [
    '/system',
    '/system <text>',
    '/system help',
    '/system ask <text>',
    '/system reason <text>',
    '/system item <query>',
    '/system recipe <query>',
    '/system me',
    '/system usage',
    '/system history [page]',
    '/system pins [add]',
    '/system forget [all]',
    '/system signin',
    '/system orders',
    '/system cancel',
    '/system settings [<switch> (on|off)|surface <surface>|language <language>]',
  ]
  t.strictSame(lines(PLAYER), own)
  t.strictSame(lines(ADMIN), [
    ...own.map((line) => ADMINS_LINES.get(line) ?? line),
    '/system grant <system> [player]',
    '/system revoke [player]',
    '/system reset [player]',
    '/system module <player> [module (allow|deny|default)]',
    '/system ai (default [off|route|chat|free]|<player> [off|route|chat|free|default])',
    '/system reload [force]',
    '/system save',
    '/system resource (show <player> [resource]|give <player> <resource> <amount>|take <player> <resource> <amount>)',
    '/system item-test (give <player> <item> <count>|take <player> <item> <count>|count <player> <item>)',
    '/system status [player]',
  ])
  t.strictSame(lines(CONSOLE), [
    'system',
    'system help',
    'system usage all',
    'system signin repair <player>',
    'system orders <player> [settle <id>|refund <id>|reissue <id>]',
    'system grant <system> <player>',
    'system revoke <player>',
    'system reset <player>',
    'system module <player> [module (allow|deny|default)]',
    'system ai (default [off|route|chat|free]|<player> [off|route|chat|free|default])',
    'system reload [force]',
    'system save',
    'system resource (show <player> [resource]|give <player> <resource> <amount>|take <player> <resource> <amount>)',
    'system item-test (give <player> <item> <count>|take <player> <item> <count>|count <player> <item>)',
    'system status [<player> [--json]|--json]',
  ])
})

void t.test('a help line carries its text, what a click types, and translated words', async (t) => {
  const lines = usage(TREE, ADMIN, (name) => `«${name}»`)
  t.strictSame(
    lines.find((line) => line.typed.includes('grant')),
    {
      usage: '/system grant <«system»> [«player»]',
      typed: '/system grant ',
      help: { key: 'system.command.help.grant' },
    },
  )
  t.equal(lines.find((line) => line.help.key === 'test.help.me')?.typed, '/system me')
  t.equal(lines.find((line) => line.help.key === 'system.command.help.free_text')?.typed, '/system ')
})

void t.test('every key of help and usage words is in both languages', async (t) => {
  for (const language of ['en_us', 'zh_cn']) {
    // the process runs in the folder of the package
    const file = `datapacks/default/data/system/lang/${language}.json`
    const texts = new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>))
    const words = new Set<string>()
    const lines = usage(TREE, ADMIN, (name) => {
      words.add(name)
      return name
    })
    const keys = lines.map((line) => line.help.key).filter((key) => !key.startsWith('test.'))
    for (const key of [...keys, ...[...words].map(argumentWordKey), 'system.command.info'])
      t.ok(texts.get(key), `${language} ${key}`)
  }
})

void t.test('the graph holds what the asker sees, as data', async (t) => {
  const top = (source: typeof PLAYER): string[] =>
    graph(TREE, source)?.children.map((node) => node.name) ?? []
  t.strictSame(top(UNBOUND), ['help'])
  t.strictSame(top(PLAYER), ['text', ...OWN_WORDS])
  t.strictSame(top(ADMIN).slice(-10), [
    'grant',
    'revoke',
    'reset',
    'module',
    'ai',
    'reload',
    'save',
    'resource',
    'item-test',
    'status',
  ])
  const item = graph(TREE, PLAYER)?.children.find((node) => node.name === 'item')
  const expected: GraphNode = {
    kind: 'literal',
    name: 'item',
    executable: false,
    children: [
      {
        kind: 'argument',
        name: 'query',
        executable: true,
        parser: { kind: 'text' },
        askServer: true,
        children: [],
      },
    ],
  }
  t.strictSame(item, expected)
  // the same tree for the console: a player must be named
  const revoke = graph(TREE, CONSOLE)?.children.find((node) => node.name === 'revoke')
  t.equal(revoke?.executable, false)
  t.equal(graph(literal('root', { requires: () => false }), PLAYER), null)
})

void t.test('a declaration that would not work is refused with its reason', async (t) => {
  const cases: [string, string | undefined, RegExp | null][] = [
    ['lottery', undefined, null],
    ['lottery', 'text', null],
    ['grant', undefined, /taken/],
    ['help', undefined, /taken/],
    ['save', undefined, /taken/],
    ['item-test', undefined, /taken/],
    ['Lottery', undefined, /form/],
    ['two words', undefined, /form/],
    ['', undefined, /form/],
    ['__proto__', undefined, /form/],
    ['lottery', 'a b', /argument/],
  ]
  for (const [name, argumentName, problem] of cases) {
    const command = argumentName === undefined ? { name } : { name, argument: { name: argumentName } }
    const given = declarationProblem(command, BUILT_IN_COMMANDS)
    if (problem === null) t.equal(given, null, name)
    else t.match(given, problem, name)
  }
  // an inherited property's name is free to take
  t.equal(declarationProblem({ name: 'constructor' }, BUILT_IN_COMMANDS), null)
  const twice = [...MODULES, { ...MODULES[0], module: identifier('other:ask') }] as typeof MODULES
  t.throws(() => systemCommands({ modules: twice }), /other:ask.*taken/)
})

void t.test('usage of alternatives that are all required', async (t) => {
  const leaf = { execute: { id: 'x' } }
  const number = argument('n', { type: { kind: 'integer', min: 0, max: 9 }, ...leaf })
  const tree = literal('root', {}, [
    literal('go', { help: { key: 'k' } }, [literal('up', leaf), literal('down', {}, [number])]),
  ])
  t.strictSame(usage(tree, PLAYER), [
    { usage: '/root go (up|down <n>)', typed: '/root go ', help: { key: 'k' } },
  ])
})
