import t from 'tap'
import { graph } from '../../lib/command/index.js'
import { afterPrefix } from '../../plugins/squid/commands/chat-prefix.js'
import { completeLine } from '../../plugins/squid/commands/completer.js'
import { encodeCommands, otherCommands } from '../../plugins/squid/commands/declare-commands.js'
import { spellings } from '../../plugins/squid/commands/root-command.js'
import type { SquidCommandParams } from '../../plugins/squid/types.js'
import { ADMIN, OWN_WORDS, PLAYER, TREE, UNBOUND } from '../support/command-tree.js'

void t.test('chat lines for the System', async (t) => {
  const cases: [string, string, string | null][] = [
    ['@system help', '@system', ' help'],
    ['  @SYSTEM   what?', '@system', '   what?'],
    ['@system', '@system', ''],
    ['@system\u3000钻石', '@system', '\u3000钻石'],
    ['@systematic', '@system', null],
    ['@system钻石', '@system', '钻石'],
    ['@system，我在哪', '@system', '我在哪'],
    ['@system, where am I?', '@system', ' where am I?'],
    ['@system: help', '@system', ' help'],
    ["@system's", '@system', null],
    ['@system.example', '@system', null],
    ['@system-2', '@system', null],
    ['小助手你好', '小助手', '你好'],
    ['hello @system', '@system', null],
    ['@syste', '@system', null],
    ['', '@system', null],
    ['!where', '!', 'where'],
    ['小助手 你好', '小助手', ' 你好'],
    ['anything', '', null],
  ]
  for (const [line, prefix, text] of cases) t.equal(afterPrefix(line, prefix), text, JSON.stringify(line))
})

void t.test('lines to complete', async (t) => {
  const words = (line: string, source = PLAYER): unknown => {
    const given = completeLine(TREE, line, source)
    return given && [given.start, given.length, given.matches.map(({ match }) => match)]
  }
  t.strictSame(words('/system item dia'), [13, 3, ['diamond']])
  t.strictSame(words('/system   item   dia'), [17, 3, ['diamond']])
  t.strictSame(words('/SYSTEM can'), [8, 3, ['cancel']])
  t.strictSame(words('system can'), [7, 3, ['cancel']])
  t.strictSame(words('/system '), [8, 0, OWN_WORDS])
  t.strictSame(words('/system ', UNBOUND), [8, 0, ['help']])
  t.strictSame(words('/system gr', ADMIN), [8, 2, ['grant']])
  t.strictSame(words('/system gr'), [8, 2, []])
  for (const line of ['/sys', '/system', '/give alice dia', '/systems x', ' /system x', '', '/', 'item dia'])
    t.equal(words(line), null, JSON.stringify(line))
})

void t.test('spellings of the root that a client may write', async (t) => {
  t.strictSame(spellings('system'), ['system', 'System', 'SYSTEM'])
  t.strictSame(spellings('x'), ['x', 'X'])
})

void t.test('other commands are filtered as flying-squid filters them', async (t) => {
  const params = (base: string, over: Partial<SquidCommandParams> = {}): SquidCommandParams => ({
    base,
    action: () => undefined,
    ...over,
  })
  const help = params('help')
  const commands = {
    uniqueHash: {},
    use: async () => undefined,
    add: () => {},
    hash: {
      help: { base: 'help', params: help },
      '?': { base: 'help', params: help },
      give: { base: 'give', params: params('give', { op: true }) },
      halt: { base: 'halt', params: params('halt', { onlyConsole: true }) },
      'two words': { base: 'two words', params: params('words') },
      SYSTEM: { base: 'system', params: params('system') },
    },
  }
  t.strictSame(otherCommands(commands, { op: false, except: 'system' }), ['help', '?'])
  t.strictSame(otherCommands(commands, { op: true, except: 'system' }), ['help', '?', 'give'])
})

void t.test('the packet is one tree in a flat array: every node but the root has one parent', async (t) => {
  const tree = graph(TREE, ADMIN)
  const { nodes, rootIndex } = encodeCommands(tree === null ? [] : [tree], ['help', 'constructor'])
  t.ok(nodes.length > 20)
  const parents = new Map<number, number>()
  for (const node of nodes)
    for (const child of node.children) parents.set(child, (parents.get(child) ?? 0) + 1)
  t.equal(parents.size, nodes.length - 1)
  t.notOk(parents.has(rootIndex))
  t.ok([...parents.values()].every((count) => count === 1))
  t.notOk(nodes.some((node) => node.extraNodeData?.parser === 'minecraft:message'))
})
