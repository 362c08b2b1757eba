import t from 'tap'
import fc from 'fast-check'
import { MATCH_LIMIT, complete, parseSystemCommand, type CommandSource } from '../../lib/command/index.js'
import {
  ADMIN,
  ALL_SOURCES,
  CONSOLE,
  OWN_WORDS,
  PLAYER,
  TREE,
  UNBOUND,
  UNBOUND_ADMIN,
} from '../support/command-tree.js'

const ADMIN_WORDS = [
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
]

const CASES: readonly [CommandSource, string, number, readonly string[]][] = [
  [PLAYER, '', 0, OWN_WORDS],
  [PLAYER, '  ', 2, OWN_WORDS],
  [ADMIN, ' ', 1, [...OWN_WORDS, ...ADMIN_WORDS]],
  [UNBOUND, ' ', 1, ['help']],
  [UNBOUND_ADMIN, ' ', 1, ['help', 'usage', 'signin', 'orders', ...ADMIN_WORDS]],
  [CONSOLE, '', 0, ['help', 'usage', 'signin', 'orders', ...ADMIN_WORDS]],
  [ADMIN, 'usage ', 6, ['all']],
  [PLAYER, 'usage ', 6, []],
  [PLAYER, ' re', 1, ['reason', 'recipe']],
  [ADMIN, ' RE', 1, ['reason', 'recipe', 'revoke', 'reset', 'reload', 'resource']],
  [ADMIN, 'ai ', 3, ['default', 'alice', 'Bob', 'constructor', '__proto__']],
  [ADMIN, 'ai default ', 11, ['off', 'route', 'chat', 'free']],
  [CONSOLE, 'ai bob ', 7, ['off', 'route', 'chat', 'free', 'default']],
  [PLAYER, 'ai ', 3, []],
  [
    PLAYER,
    'settings ',
    9,
    ['externalAi', 'freeChat', 'history', 'notifications', 'sounds', 'surface', 'language'],
  ],
  [PLAYER, 'settings EX', 9, ['externalAi']],
  [PLAYER, 'settings freechat o', 18, ['on', 'off']],
  [PLAYER, 'settings SURFACE ', 17, ['chat', 'book', 'window', 'plain', 'default']],
  [PLAYER, 'settings language z', 18, ['zh_cn']],
  [PLAYER, 'settings language zh_cn ', 24, []],
  // nothing longer to offer
  [PLAYER, 'me', 0, []],
  [PLAYER, 'ME', 0, ['me']],
  [PLAYER, 'xyz', 0, []],
  [PLAYER, 'xyz ', 0, []],
  [PLAYER, 'item dia', 5, ['diamond']],
  [PLAYER, 'item   DI', 7, ['diamond', 'diorite', 'dirt']],
  [PLAYER, 'ITEM ', 5, ['diamond', 'diorite', 'dirt', 'mod:dial']],
  [PLAYER, 'item minecraft:dia', 5, ['minecraft:diamond']],
  [PLAYER, 'item mod', 5, ['mod:dial']],
  [PLAYER, 'item diamond sw', 5, []],
  [PLAYER, 'ask a', 4, []],
  [UNBOUND, 'item dia', 8, []],
  [CONSOLE, 'item dia', 8, []],
  [ADMIN, 'grant ', 6, ['system:default', 'system:other']],
  [ADMIN, 'grant system:d', 6, ['system:default']],
  [ADMIN, 'grant system:default ', 21, ['alice', 'Bob', 'constructor', '__proto__']],
  [ADMIN, 'revoke b', 7, ['Bob']],
  [ADMIN, 'reset b', 6, ['Bob']],
  [ADMIN, 'revoke __p', 7, ['__proto__']],
  [ADMIN, 'status ', 7, ['alice', 'Bob', 'constructor', '__proto__']],
  [CONSOLE, 'status -', 7, ['--json']],
  [CONSOLE, 'status alice ', 13, ['--json']],
  [ADMIN, 'status alice ', 13, []],
  [ADMIN, 'item-test ', 10, ['give', 'take', 'count']],
  [ADMIN, 'item-test give ', 15, ['alice', 'Bob', 'constructor', '__proto__']],
  [CONSOLE, 'item-test take bob DI', 19, ['diamond', 'diorite', 'dirt']],
  [CONSOLE, 'item-test count bob mod', 20, ['mod:dial']],
  [CONSOLE, 'item-test take bob dirt ', 24, []],
  [CONSOLE, 'item-test take bob nothing ', 27, []],
  // what can't be run is not revealed: names, ids, flags
  [PLAYER, 'gr', 0, []],
  [PLAYER, 'grant ', 6, []],
  [PLAYER, 'revoke ', 7, []],
  [PLAYER, 'reset ', 6, []],
  [UNBOUND, 'revoke ', 7, []],
  [ADMIN, 'x'.repeat(1_001), 1_001, []],
]

void t.test('offers and where they stand', async (t) => {
  for (const [source, line, start, matches] of CASES) {
    const given = complete(TREE, line, source)
    t.strictSame(
      given.matches.map(({ match }) => match),
      matches,
      JSON.stringify(line),
    )
    t.equal(given.start, start, `start of ${JSON.stringify(line)}`)
    t.equal(given.start + given.length, line.length)
  }
})

void t.test('a literal is offered with its help', async (t) => {
  t.strictSame(complete(TREE, 'canc', PLAYER).matches, [
    { match: 'cancel', help: { key: 'system.command.help.cancel' } },
  ])
})

void t.test('at most 64 offers; names that can not be typed are left out', async (t) => {
  const many = Array.from({ length: 500 }, (_, i) => `p${i}`)
  const crowd = {
    ...ADMIN,
    suggestions: { ...ADMIN.suggestions, players: () => ['p x', 'p\n', 'pa', 'pa', ...many] },
  }
  const { matches } = complete(TREE, 'revoke p', crowd)
  t.equal(MATCH_LIMIT, 64)
  t.equal(matches.length, 64)
  t.strictSame(
    matches.slice(0, 2).map(({ match }) => match),
    ['pa', 'p0'],
  )
})

const lines = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(
      fc.constantFrom('', ' ', 'item ', 'grant ', 'grant x ', 'revoke ', 'status ', 'status a ', 'act '),
      fc.string({ maxLength: 4 }),
    )
    .map(([head, tail]) => head + tail),
)

void t.test(
  'every offer extends what is typed, and an asker without rights gets no hidden word',
  async () => {
    const hidden = new Set([...ADMIN_WORDS, '--json', 'alice', 'Bob', 'system:default'])
    fc.assert(
      fc.property(lines, fc.constantFrom(...Object.values(ALL_SOURCES)), (line, source) => {
        const { start, length, matches } = complete(TREE, line, source)
        const typed = line.slice(start, start + length).toLowerCase()
        if (start + length !== line.length || matches.length > MATCH_LIMIT) return false
        if (!matches.every(({ match }) => match.toLowerCase().startsWith(typed))) return false
        return source.admin || matches.every(({ match }) => !hidden.has(match))
      }),
      { numRuns: 3_000, seed: 3 },
    )
  },
)

void t.test('whatever is offered is accepted by the parser or only lacks what follows', async () => {
  fc.assert(
    fc.property(lines, fc.constantFrom(...Object.values(ALL_SOURCES)), (line, source) => {
      const { start, matches } = complete(TREE, line, source)
      return matches.every(({ match }) => {
        const parsed = parseSystemCommand(TREE, line.slice(0, start) + match, source)
        return parsed.ok || parsed.failure.code === 'system:missing_argument'
      })
    }),
    { numRuns: 1_000, seed: 4 },
  )
})
