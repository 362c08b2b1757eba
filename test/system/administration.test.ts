/** Who administers, what granting and revoking do, and what the console answers. */
import t, { type Test } from 'tap'
import { isAdmin, type RightsSettings } from '../../plugins/squid/rights.js'
import type { SquidPlayer } from '../../plugins/squid/types.js'
import { replies } from '../../lib/testing/index.js'
import { componentText } from '../../lib/text/index.js'
import { acceptsLine, graphsOf } from '../support/command-client.js'
import { eventually } from '../support/eventually.js'
import { DEFAULT_VERSION, VERSIONS, nextEvent } from '../support/squid.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  REVOKED,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const NO_PERMISSION = 'You are not allowed to do that, please ask an admin if you need it.'
const NOT_BOUND = "You don't have a System yet, please ask an admin to grant you one."
const GRANTED = 'The System is now with you. Ask me anything with /system, or try /system help.'

const access = (config: Record<string, unknown>) => ({ config: { 'system-access': config } })

void t.test('who administers', async (t) => {
  const player = (over: { op?: boolean } = {}): SquidPlayer =>
    ({
      _client: { uuid: 'B50AD385-829D-3141-A216-7E7D7539BA7F', username: 'Alice' },
      ...over,
    }) as unknown as SquidPlayer
  const base = { admins: [], trustOp: true, adminsInOfflineMode: false, version: 1 as const }
  const online = { access: base, onlineMode: true, everybodyOp: false }
  const rows: readonly (readonly [string, boolean, SquidPlayer, RightsSettings])[] = [
    ['nobody in particular', false, player(), online],
    ['an operator', true, player({ op: true }), online],
    ['everybody is an operator', false, player({ op: true }), { ...online, everybodyOp: true }],
    [
      'operators are not trusted',
      false,
      player({ op: true }),
      { ...online, access: { ...base, trustOp: false } },
    ],
    ['by name', true, player(), { ...online, access: { ...base, admins: ['aLICE'] } }],
    ['by part of a name', false, player(), { ...online, access: { ...base, admins: ['Ali', 'Alice2'] } }],
    [
      'by uuid',
      true,
      player(),
      { ...online, access: { ...base, admins: ['b50ad385-829d-3141-a216-7e7d7539ba7f'] } },
    ],
    [
      'offline mode',
      false,
      player({ op: true }),
      { ...online, onlineMode: false, access: { ...base, admins: ['Alice'] } },
    ],
    [
      'offline mode, allowed',
      true,
      player({ op: true }),
      { ...online, onlineMode: false, access: { ...base, adminsInOfflineMode: true } },
    ],
  ]
  for (const [name, expected, who, settings] of rows) t.equal(isAdmin(who, settings), expected, name)
})

/** Whether the player's line is obeyed. */
const maySeeStatus = async (reader: Reader): Promise<boolean> => {
  const first = await reader.askText('/system status')
  const rest = await reader.rest()
  return first.startsWith('state: ') && rest.some((line) => line.startsWith('routes: '))
}

void t.test('in offline mode only the console administers', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, access({ admins: ['alice'] }))
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  await system.serv.handleCommand('op alice')
  t.notOk(await maySeeStatus(alice))
  for (const line of ['/system grant system:default bob', '/system revoke alice', '/system revoke'])
    t.equal(await alice.askText(line), NO_PERMISSION)
  t.match(await consoleSays(system, 'system status alice'), ['system: system:default'])
})

void t.test('everybody an operator is nobody an admin', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, {
    ...access({ adminsInOfflineMode: true, admins: ['bob'] }),
    squid: { 'everybody-op': true },
  })
  const alice = await joinReader(t, system, 'alice')
  const bob = await joinReader(t, system, 'bob')
  await alice.next()
  await bob.next()
  t.notOk(await maySeeStatus(alice))
  t.ok(await maySeeStatus(bob), 'named in system-access.json')
})

void t.test('an operator administers while it is one', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, access({ adminsInOfflineMode: true }))
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.notOk(await maySeeStatus(alice))
  const more = nextEvent(alice.client, 'declare_commands')
  await system.serv.handleCommand('op alice')
  await more
  t.ok(acceptsLine(latestGraph(alice), 'system grant system:default bob'))
  await alice.rest()
  t.ok(await maySeeStatus(alice))
  t.equal(
    await alice.askText('/system status nobody'),
    'No player called nobody is online, please check the name.',
  )
  t.equal(
    await alice.askText('/system grant system:default nobody'),
    'No player called nobody is online, please check the name.',
  )
  t.equal(
    await alice.askText('/system grant system:none'),
    'There is no System called system:none, please check the name.',
  )
  t.equal(
    await alice.askText('/system grant default ALICE'),
    'alice already has system:default, so nothing was changed.',
  )
  const fewer = nextEvent(alice.client, 'declare_commands')
  await system.serv.handleCommand('deop alice')
  await fewer
  t.notOk(hasWord(alice, 'grant'))
  await alice.rest()
  t.notOk(await maySeeStatus(alice))
})

void t.test('operators are not trusted when the host says so', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, access({ adminsInOfflineMode: true, trustOp: false }))
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  await system.serv.handleCommand('op alice')
  await alice.rest()
  t.notOk(await maySeeStatus(alice))
})

const latestGraph = (reader: Reader) => {
  const graph = graphsOf(reader.client).at(-1)
  if (graph === undefined) throw new Error('no command graph')
  return graph
}

const hasWord = (reader: Reader, word: string): boolean =>
  latestGraph(reader).nodes.some((node) => node.extraNodeData?.name === word)

for (const version of VERSIONS) {
  void t.test(`${version}: from grant to revoke and back`, async (t) => {
    const system = await openSystem(t, version, { settings: { autoGrant: null } })
    const alice = await joinReader(t, system, 'alice')
    t.equal(await alice.askText('/system me'), NOT_BOUND)
    t.notOk(hasWord(alice, 'item'), 'no commands of a bound player')
    t.strictSame(await consoleSays(system, 'system grant system:default Alice'), [
      'alice now has system:default.',
    ])
    t.equal(await alice.nextText(), GRANTED)
    t.ok(hasWord(alice, 'item'), 'the command graph came with it')
    t.strictSame(await consoleSays(system, 'system grant system:default alice'), [
      'alice already has system:default, so nothing was changed.',
    ])
    const card = await alice.ask('/system item piston')
    await revokedInTheMiddle(t, system, alice)
    t.notOk(hasWord(alice, 'item'), 'and left with it')
    const [button] = buttonsOf(card)
    t.equal(await alice.askText(button?.command ?? ''), NOT_BOUND, 'no button works')
    t.strictSame(await consoleSays(system, 'system revoke alice'), ['alice has no System.'])
    await consoleSays(system, 'system grant default alice')
    t.equal(await alice.nextText(), GRANTED)
    t.equal(
      await alice.askText(button?.command ?? ''),
      "This button doesn't work for you any more, please run the command again.",
      'nor does it come back with a new grant',
    )
    t.match(await alice.askText('/system me'), /^Your state\n/)
    t.strictSame([await alice.rest(), system.errors, alice.client.clientErrors], [[], [], []])
  })
}

/** Revokes while a model is being asked: the request ends, and only the line about the revoke is seen. */
async function revokedInTheMiddle(t: Test, system: SystemServer, alice: Reader): Promise<void> {
  system.provider.script(replies.text({ type: 'answer', text: 'too late' }).with({ hold: 'headers' }))
  alice.client.say('/system ask how are you')
  const asked = await system.provider.request(1)
  await asked.held
  t.strictSame(await consoleSays(system, 'system revoke ALICE'), [REVOKED])
  t.equal(await alice.nextText(), 'Your System was taken away.')
  await asked.over
  t.ok(asked.aborted, 'the call was given up')
  t.strictSame(await alice.rest(), [], 'no second message')
}

void t.test('the console', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  const players = 'Only a player in the game can do that, please join and try there.'
  const rows: readonly (readonly [line: string, says: RegExp])[] = [
    ['system', /^system help – What the System can do\n/m],
    ['system help', /^system grant <system> <player> – Give a player a System$/m],
    ['SYSTEM  HELP', /^system status/m],
    [
      'system status',
      /^state: ready\nplayers: online=1 bound=1\nmodel: generic\/sim\nai: default=route\nbreaker: closed\n/,
    ],
    [
      'system   STATUS   alice',
      /^system: system:default\nai: level=route admin=none\nsettings: externalAi=true freeChat=true .*surface=null language=null$/,
    ],
    ['system status nobody', /^No player called nobody is online/],
    ['system grant', /^Something is missing, .* system grant <system> <player>$/],
    ['system grant system:default', /^Something is missing/],
    ['system grant system:default nobody', /^No player called nobody is online/],
    ['system grant system:nothing alice', /^There is no System called system:nothing/],
    ['system grant § alice', /doesn't fit system/],
    ['system revoke', /^Something is missing/],
    ['system revoke nobody', /^No player called nobody is online/],
    ['system item diamond', new RegExp(`^${players}$`)],
    ['system ask why', new RegExp(`^${players}$`)],
    ['system act AAAAAAAAAAAAAAAAAAAAAA', new RegExp(`^${players}$`)],
    ['system cancel', new RegExp(`^${players}$`)],
    ['system nonsense', /^I don't know the command/],
    ['system constructor', /^I don't know the command/],
    ['system __proto__ x', /^I don't know the command/],
    [`system ${'x'.repeat(10_000)}`, /^That is too long/],
    [`system status ${'x'.repeat(500)}`, /doesn't fit player/],
  ]
  for (const [line, says] of rows) {
    const said = await consoleSays(system, line)
    t.match(said.join('\n'), says, line.slice(0, 60))
  }
  const [json, ...more] = await consoleSays(system, 'system status --json')
  t.strictSame(more, [], 'one document')
  const status = JSON.parse(json ?? '') as Record<string, string>
  t.match(status['routes'], /^structured=0 command=0 local=0 cache=0 model=0 event=0$/)
  t.match(status['requests'], /^active=0 waiting=0 refused=0$/)
  t.match(status['items'], /^(exactly-once|at-most-once|off) completed=0 failed=0 voided=0 flagged=0$/)
  t.match(status['shield'], /^safe-write=\w+ packet-guard=on command-shield=on/)
  await alice.ask('/system me')
  await alice.ask('/system item nosuchthing')
  const lines = await consoleSays(system, 'system status alice')
  t.match(lines, [
    'system: system:default',
    'ai: level=route admin=none',
    'settings: externalAi=true freeChat=true history=true notifications=true sounds=true surface=null language=null',
    /^request: [\da-f-]{36} module=system:player_info source=command model-calls=0 code=ok$/,
    /^request: [\da-f-]{36} module=system:item_query source=command model-calls=0 code=system:unknown_item$/,
  ])
  const document = JSON.parse((await consoleSays(system, 'system status alice --json')).join('')) as {
    request: string[]
  }
  t.equal(document.request.length, 2)
  t.strictSame(await alice.rest(), [], 'players hear nothing of it')
})

void t.test('colours of what is said', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  t.match(await alice.next(), { color: 'green' })
  t.match(await alice.ask('/system grant x'), { color: 'red' })
  const revoked = alice.next()
  await consoleSays(system, 'system revoke alice')
  t.match(await revoked, { color: 'gray' })
  t.ok(componentText(await revoked))
})

/** What is printed from now until the end of the test. */
function consoleLines(t: Test): string[] {
  const lines: string[] = []
  const real = console.log
  console.log = (text: unknown) => void lines.push(String(text))
  t.teardown(() => {
    console.log = real
  })
  return lines
}

void t.test('lines typed at once are carried out in their order', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  t.equal(await alice.nextText(), GRANTED)
  const [grant, revoke] = ['system grant system:default alice', 'system revoke alice']
  const printed = consoleLines(t)
  await Promise.all([grant, revoke, revoke, grant, revoke].map((line) => system.serv.handleCommand(line)))
  // each answers when its change is on disk
  await eventually(() => printed.length === 5)
  t.strictSame(printed, [
    'alice already has system:default, so nothing was changed.',
    REVOKED,
    'alice has no System.',
    'alice now has system:default.',
    REVOKED,
  ])
  t.strictSame(
    [await alice.nextText(), await alice.nextText(), await alice.nextText()],
    ['Your System was taken away.', GRANTED, 'Your System was taken away.'],
    'the second revoke found nothing to take',
  )
  t.strictSame(await alice.rest(), [])
})
