import t from 'tap'
import fc from 'fast-check'
import {
  INPUT_LIMIT,
  argument,
  literal,
  parse,
  parseSystemCommand,
  type ArgumentType,
  type CommandSource,
} from '../../lib/command/index.js'
import { ADMIN, ALL_SOURCES, CONSOLE, PLAYER, TREE, UNBOUND, UNBOUND_ADMIN } from '../support/command-tree.js'

const token = 'AbC-_0123456789abcdefg'
const ask = (text: string): object => ({ kind: 'module', module: 'system:ask', argument: text })
const free = (text: string): object => ({ kind: 'free-text', text })

const ACCEPTED: readonly [CommandSource, string, object][] = [
  // a word that takes nothing begins a sentence when more follows
  [PLAYER, 'help me with a bed', { kind: 'free-text', text: 'help me with a bed' }],
  [PLAYER, ' ME too please ', { kind: 'free-text', text: 'ME too please' }],
  [PLAYER, 'orders of bread, please', { kind: 'free-text', text: 'orders of bread, please' }],
  [ADMIN, 'cancel my order', { kind: 'free-text', text: 'cancel my order' }],
  [PLAYER, 'help  ', { kind: 'help' }],
  [PLAYER, '', { kind: 'workbench' }],
  [PLAYER, '   ', { kind: 'workbench' }],
  [CONSOLE, '', { kind: 'workbench' }],
  [UNBOUND, '', { kind: 'workbench' }],
  [UNBOUND, ' HELP ', { kind: 'help' }],
  [CONSOLE, 'help', { kind: 'help' }],
  [PLAYER, 'ask what is this', ask('what is this')],
  [PLAYER, '  AsK    what  is\tthis   ', ask('what  is\tthis')],
  [PLAYER, 'ask\u3000钻石在哪里', ask('钻石在哪里')],
  [PLAYER, 'ask 👩‍🚀 {"a":  1} @e[type=!player] §c&c \\"', ask('👩‍🚀 {"a":  1} @e[type=!player] §c&c \\"')],
  [PLAYER, 'ask help', ask('help')],
  [PLAYER, 'item Iron Ingot', { kind: 'module', module: 'system:item', argument: 'Iron Ingot' }],
  [PLAYER, 'me', { kind: 'module', module: 'system:me', argument: '' }],
  [PLAYER, 'cancel', { kind: 'cancel' }],
  [PLAYER, 'usage', { kind: 'usage', all: false }],
  [PLAYER, 'history', { kind: 'history', page: 1 }],
  [PLAYER, 'history 12', { kind: 'history', page: 12 }],
  [PLAYER, 'pins', { kind: 'pins', add: false }],
  [PLAYER, 'PINS add', { kind: 'pins', add: true }],
  [PLAYER, 'forget', { kind: 'forget', all: false }],
  [PLAYER, 'Forget ALL', { kind: 'forget', all: true }],
  [ADMIN, 'usage', { kind: 'usage', all: false }],
  [ADMIN, 'Usage  ALL', { kind: 'usage', all: true }],
  [UNBOUND_ADMIN, 'usage all', { kind: 'usage', all: true }],
  [CONSOLE, 'usage all', { kind: 'usage', all: true }],
  [PLAYER, 'usage of wood', free('usage of wood')],
  [PLAYER, `act ${token}`, { kind: 'act', token }],
  [PLAYER, 'where are   diamonds?', free('where are   diamonds?')],
  [PLAYER, 'asking for a friend', free('asking for a friend')],
  [PLAYER, 'help!', free('help!')],
  [PLAYER, 'constructor', free('constructor')],
  [PLAYER, '__proto__ toString', free('__proto__ toString')],
  // a Kelvin sign and a dotted I are no ASCII letters: they never fold into a keyword
  [PLAYER, 'as\u212A x', free('as\u212A x')],
  [PLAYER, '\u0130tem x', free('\u0130tem x')],
  // hidden words are ordinary words
  [ADMIN, 'grant system:default', { kind: 'grant', system: 'system:default', player: null }],
  [ADMIN, 'Grant Default  Bob', { kind: 'grant', system: 'system:default', player: 'Bob' }],
  [UNBOUND_ADMIN, 'grant mod:x/y', { kind: 'grant', system: 'mod:x/y', player: null }],
  [
    CONSOLE,
    'grant system:default constructor',
    { kind: 'grant', system: 'system:default', player: 'constructor' },
  ],
  [ADMIN, 'revoke', { kind: 'revoke', player: null }],
  [ADMIN, 'reset', { kind: 'reset', player: null }],
  [CONSOLE, 'Reset  alice', { kind: 'reset', player: 'alice' }],
  [CONSOLE, 'REVOKE __proto__', { kind: 'revoke', player: '__proto__' }],
  [ADMIN, 'reload', { kind: 'reload', force: false }],
  [ADMIN, 'reload  Force', { kind: 'reload', force: true }],
  [CONSOLE, 'RELOAD', { kind: 'reload', force: false }],
  [ADMIN, 'save', { kind: 'save' }],
  [CONSOLE, ' Save ', { kind: 'save' }],
  [
    CONSOLE,
    'item-test give Bob diamond 3',
    { kind: 'item-test', action: 'give', player: 'Bob', item: 'minecraft:diamond', count: 3 },
  ],
  [
    ADMIN,
    'ITEM-TEST Take  bob mod:dial 2368',
    { kind: 'item-test', action: 'take', player: 'bob', item: 'mod:dial', count: 2_368 },
  ],
  [
    ADMIN,
    'item-test count __proto__ Dirt',
    { kind: 'item-count', player: '__proto__', item: 'minecraft:dirt' },
  ],
  [ADMIN, 'status', { kind: 'status', player: null, json: false }],
  [CONSOLE, 'status', { kind: 'status', player: null, json: false }],
  [CONSOLE, 'status --json', { kind: 'status', player: null, json: true }],
  [CONSOLE, 'status alice --JSON', { kind: 'status', player: 'alice', json: true }],
  [ADMIN, 'status alice', { kind: 'status', player: 'alice', json: false }],
  // a flag of the console is a name like any other to players
  [ADMIN, 'status --json', { kind: 'status', player: '--json', json: false }],
]

void t.test('accepted lines', async (t) => {
  for (const [source, line, expected] of ACCEPTED)
    t.strictSame(parseSystemCommand(TREE, line, source), { ok: true, value: expected }, JSON.stringify(line))
})

const REFUSED: readonly [CommandSource, string, string, Record<string, string | number>][] = [
  [UNBOUND, 'ask x', 'system:not_bound', {}],
  [UNBOUND, 'hello', 'system:not_bound', {}],
  [UNBOUND, 'act x', 'system:not_bound', {}],
  [UNBOUND, 'grant system:default', 'system:no_permission', {}],
  // never a question for a model
  [PLAYER, 'grant me a wish', 'system:no_permission', {}],
  [PLAYER, 'status', 'system:no_permission', {}],
  [PLAYER, 'usage all', 'system:no_permission', {}],
  [PLAYER, 'orders alice', 'system:no_permission', {}],
  [PLAYER, 'orders alice settle abc', 'system:no_permission', {}],
  // never a question for a model
  [PLAYER, 'save', 'system:no_permission', {}],
  [PLAYER, 'item-test give me a diamond', 'system:no_permission', {}],
  [UNBOUND, 'item-test', 'system:no_permission', {}],
  [
    CONSOLE,
    'item-test give Bob',
    'system:missing_argument',
    {
      usage:
        'system item-test (give <player> <item> <count>|take <player> <item> <count>|count <player> <item>)',
    },
  ],
  [ADMIN, 'item-test drop Bob', 'system:unknown_command', { input: 'item-test drop<--[HERE]', position: 14 }],
  [
    CONSOLE,
    'item-test give Bob bedrok 1',
    'system:bad_argument',
    { argument: 'item', input: '…test give Bob bedrok<--[HERE]', position: 25 },
  ],
  [
    CONSOLE,
    'item-test count Bob minecraft:dial',
    'system:bad_argument',
    { argument: 'item', input: '…t Bob minecraft:dial<--[HERE]', position: 34 },
  ],
  ...['0', '-1', '2369', '1.5', '1e3', 'all'].map((count): (typeof REFUSED)[number] => [
    ADMIN,
    `item-test take Bob dirt ${count}`,
    'system:bad_argument',
    {
      argument: 'count',
      input: `…${`item-test take Bob dirt ${count}`.slice(-20)}<--[HERE]`,
      position: 24 + count.length,
    },
  ]),
  [
    CONSOLE,
    'item-test give Bob dirt 1 2',
    'system:unknown_command',
    { input: '…st give Bob dirt 1 2<--[HERE]', position: 27 },
  ],
  [UNBOUND, 'usage', 'system:not_bound', {}],
  [UNBOUND, 'history', 'system:not_bound', {}],
  [UNBOUND_ADMIN, 'forget all', 'system:not_bound', {}],
  [CONSOLE, 'forget', 'system:players_only', {}],
  [UNBOUND_ADMIN, 'usage', 'system:missing_argument', { usage: '/system usage all' }],
  [CONSOLE, 'usage', 'system:missing_argument', { usage: 'system usage all' }],
  [UNBOUND_ADMIN, 'hello', 'system:not_bound', {}],
  [CONSOLE, 'ask x', 'system:players_only', {}],
  [CONSOLE, 'me', 'system:players_only', {}],
  [CONSOLE, 'CANCEL', 'system:players_only', {}],
  [CONSOLE, `act ${token}`, 'system:players_only', {}],
  [CONSOLE, 'hello there', 'system:unknown_command', { input: 'hello<--[HERE]', position: 5 }],
  [CONSOLE, ' toString', 'system:unknown_command', { input: ' toString<--[HERE]', position: 9 }],
  [PLAYER, 'ask', 'system:missing_argument', { usage: '/system ask <text>' }],
  [PLAYER, 'ASK   ', 'system:missing_argument', { usage: '/system ask <text>' }],
  [PLAYER, 'act', 'system:missing_argument', { usage: '/system act <token>' }],
  [ADMIN, 'grant', 'system:missing_argument', { usage: '/system grant <system> [player]' }],
  [CONSOLE, 'grant', 'system:missing_argument', { usage: 'system grant <system> <player>' }],
  [CONSOLE, 'grant system:default', 'system:missing_argument', { usage: 'system grant <system> <player>' }],
  [CONSOLE, 'revoke', 'system:missing_argument', { usage: 'system revoke <player>' }],
  [CONSOLE, 'reset', 'system:missing_argument', { usage: 'system reset <player>' }],
  [UNBOUND, 'help me please', 'system:unknown_command', { input: 'help me<--[HERE]', position: 7 }],
  [CONSOLE, 'help 2', 'system:unknown_command', { input: 'help 2<--[HERE]', position: 6 }],
  [
    CONSOLE,
    'status --json Bob',
    'system:unknown_command',
    { input: 'status --json Bob<--[HERE]', position: 17 },
  ],
  [PLAYER, 'act x y', 'system:unknown_command', { input: 'act x y<--[HERE]', position: 7 }],
  [PLAYER, 'act a.b', 'system:bad_argument', { argument: 'token', input: 'act a.b<--[HERE]', position: 7 }],
  [
    ADMIN,
    'grant sy!stem Bob',
    'system:bad_argument',
    { argument: 'system', input: 'grant sy!stem<--[HERE]', position: 13 },
  ],
  [
    ADMIN,
    'grant system:default Bob and Alice',
    'system:unknown_command',
    { input: '…stem:default Bob and<--[HERE]', position: 28 },
  ],
  [CONSOLE, 'status a b', 'system:unknown_command', { input: 'status a b<--[HERE]', position: 10 }],
  // the window counts code points and cuts none
  [
    ADMIN,
    `revoke ${'😀'.repeat(41)}`,
    'system:bad_argument',
    { argument: 'player', input: `…${'😀'.repeat(20)}<--[HERE]`, position: 48 },
  ],
  [
    CONSOLE,
    `help ${'😀'.repeat(30)}\u0007`,
    'system:unknown_command',
    { input: `…${'😀'.repeat(19)} <--[HERE]`, position: 36 },
  ],
]

void t.test('refused lines point at the mistake', async (t) => {
  for (const [source, line, code, params] of REFUSED)
    t.strictSame(
      parseSystemCommand(TREE, line, source),
      { ok: false, failure: { code, params } },
      JSON.stringify(line),
    )
})

void t.test('the length limit counts code points and comes before everything else', async (t) => {
  const tooLong = { ok: false, failure: { code: 'system:input_too_long', params: { limit: INPUT_LIMIT } } }
  t.equal(INPUT_LIMIT, 1_000)
  for (const source of Object.values(ALL_SOURCES)) {
    t.strictSame(parseSystemCommand(TREE, 'x'.repeat(1_065), source), tooLong)
    t.strictSame(parseSystemCommand(TREE, `ask ${'😀'.repeat(1_061)}`, source), tooLong)
    t.strictSame(parseSystemCommand(TREE, ' '.repeat(1_065), source), tooLong)
    t.strictSame(parseSystemCommand(TREE, 'x'.repeat(5_000_000), source), tooLong)
  }
  t.strictSame(parseSystemCommand(TREE, `ask ${'😀'.repeat(1_001)}`, PLAYER), tooLong)
  t.strictSame(parseSystemCommand(TREE, 'x'.repeat(1_001), PLAYER), tooLong)
  const fits = '😀'.repeat(1_000)
  t.strictSame(parseSystemCommand(TREE, `ask ${fits}`, PLAYER), { ok: true, value: ask(fits) })
})

const only = (type: ArgumentType): Parameters<typeof parse>[0] =>
  literal('root', {}, [argument('x', { type, execute: { id: 'it' } })])

const READINGS: readonly [ArgumentType, string, string | number | undefined][] = [
  [{ kind: 'word' }, 'a:b', 'a:b'],
  [{ kind: 'integer', min: 1, max: 64 }, '64', 64],
  [{ kind: 'integer', min: 1, max: 64 }, '+064', 64],
  [{ kind: 'integer', min: 1, max: 64 }, '65', undefined],
  [{ kind: 'integer', min: 1, max: 64 }, '0', undefined],
  [{ kind: 'integer', min: -5, max: 5 }, '-0', 0],
  [{ kind: 'integer', min: -5, max: 5 }, '-5', -5],
  [{ kind: 'integer', min: 0, max: 5 }, '1.5', undefined],
  [{ kind: 'integer', min: 0, max: 5 }, '1e0', undefined],
  [{ kind: 'integer', min: 0, max: 5 }, '0x1', undefined],
  [{ kind: 'integer', min: 0, max: 5 }, '٣', undefined],
  [{ kind: 'integer', min: 0, max: 5 }, '00000000001', undefined],
  [{ kind: 'item' }, 'Diamond', 'minecraft:diamond'],
  [{ kind: 'item' }, 'mod:thing', 'mod:thing'],
  [{ kind: 'item' }, 'a:b:c', undefined],
  [{ kind: 'item' }, ':', undefined],
  [{ kind: 'item' }, '钻石', undefined],
  [{ kind: 'identifier', namespace: 'system' }, 'x', 'system:x'],
  [{ kind: 'identifier', namespace: 'system' }, `x:${'y'.repeat(255)}`, undefined],
  [{ kind: 'player' }, '.Bedrock', '.Bedrock'],
  [{ kind: 'player' }, 'x'.repeat(41), undefined],
  [{ kind: 'token' }, 'x'.repeat(64), 'x'.repeat(64)],
  [{ kind: 'token' }, 'x'.repeat(65), undefined],
]

void t.test('argument types', async (t) => {
  for (const [type, word, value] of READINGS) {
    const parsed = parse(only(type), word, PLAYER)
    t.strictSame(parsed.ok ? parsed.value.args['x'] : undefined, value, `${type.kind} ${word}`)
    t.equal(parsed.ok ? 'ok' : parsed.failure.code, value === undefined ? 'system:bad_argument' : 'ok')
  }
})

void t.test('arguments are tried in order, after literals; values never reach a prototype', async (t) => {
  const tree = literal('root', {}, [
    literal('here', { execute: { id: 'here' }, sets: { place: 'here' } }),
    argument('n', { type: { kind: 'integer', min: 0, max: 9 }, execute: { id: 'number' } }),
    argument('name', { type: { kind: 'word' }, as: '__proto__', execute: { id: 'name' } }),
  ])
  const read = (line: string): unknown => {
    const parsed = parse(tree, line, PLAYER)
    return parsed.ok ? [parsed.value.id, Object.entries(parsed.value.args)] : parsed.failure.code
  }
  t.strictSame(read('HERE'), ['here', [['place', 'here']]])
  t.strictSame(read('7'), ['number', [['n', 7]]])
  t.strictSame(read('10'), ['name', [['__proto__', '10']]])
  const parsed = parse(tree, 'x', PLAYER)
  t.equal(parsed.ok && Object.getPrototypeOf(parsed.value.args), null)
})

const anyLine = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'ask',
          'GRANT',
          'status',
          '--json',
          'act',
          'revoke',
          'reset',
          'reload',
          'save',
          'item-test give',
          'item-test count',
          'dirt',
          '7',
          ' ',
          '\u3000',
          'constructor',
          'x:y',
        ),
        fc.string({ maxLength: 8 }),
        // single UTF-16 units, lone surrogates among them
        fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      ),
      { maxLength: 8 },
    )
    .map((words) => words.join(' ')),
)
const anySource = fc.constantFrom(...Object.values(ALL_SOURCES))

void t.test('any line gives a value or one of the declared failures', async () => {
  const codes = new Set([
    'system:no_permission',
    'system:not_bound',
    'system:players_only',
    'system:unknown_command',
    'system:bad_argument',
    'system:missing_argument',
  ])
  fc.assert(
    fc.property(anyLine, anySource, (line, source) => {
      const parsed = parseSystemCommand(TREE, line, source)
      if (!parsed.ok) return codes.has(parsed.failure.code)
      const command = parsed.value
      const forAdmins = ['grant', 'revoke', 'reset', 'reload', 'save', 'item-test', 'item-count', 'status']
      if (forAdmins.includes(command.kind) && !source.admin) return false
      return command.kind !== 'free-text' || (source.kind === 'player' && source.bound)
    }),
    { numRuns: 3_000, seed: 1 },
  )
})

void t.test('spaces around words and the case of keywords change nothing', async () => {
  const words = fc.array(fc.constantFrom('ask', 'grant', 'status', 'me', 'x', 'x:y', '7'), { maxLength: 4 })
  fc.assert(
    fc.property(words, anySource, fc.constantFrom('  ', '\t', ' \u3000 '), (words, source, gap) => {
      const [head = '', ...tail] = words
      const plain = parseSystemCommand(TREE, words.slice(0, 2).join(' '), source)
      const spaced = parseSystemCommand(
        TREE,
        `${gap}${[head.toUpperCase(), ...tail.slice(0, 1)].join(gap)}${gap}`,
        source,
      )
      if (plain.ok !== spaced.ok) return false
      if (!plain.ok || !spaced.ok) return plain.ok || spaced.ok || plain.failure.code === spaced.failure.code
      // free text keeps what was typed
      return plain.value.kind === 'free-text' || JSON.stringify(plain.value) === JSON.stringify(spaced.value)
    }),
    { numRuns: 1_000, seed: 2 },
  )
})
