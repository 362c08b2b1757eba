import t from 'tap'
import { z } from 'zod'
import { CLOCK, FAST_POLICY, serviceKey, type Registration } from '../../lib/agent/index.js'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import { silentLogger } from '../../lib/core/logger.js'
import { ok } from '../../lib/core/result.js'
import { ManualClock } from '../../lib/testing/index.js'
import {
  card,
  chat,
  forget,
  GREETER,
  module,
  nothing,
  purse,
  run,
  shelf,
  tool,
  type Extension,
  type Shelf,
} from '../support/registering.js'

void t.test('an extension adds everything it consists of', (t) => {
  const { registry, cardTypes, storageTypes, registryTypes, languages, extensions, log } = run([
    (registration) => {
      registration.texts('en_us', { 'my.help': 'Hello {name}' })
      registration.texts('zh_cn', { 'my.help': '你好 {name}' })
      registration.prompt(identifier('my:prompt'), 'You are mine.')
      registration.cardType(card)
      registration.storage(purse)
      registration.registry(shelf)
      registration.onRevoked(identifier('my:plugin'), forget)
      registration.tool(tool('my:tool'))
      registration.module(module({ tools: ['my:tool', 'player.info'] }))
    },
  ])
  t.strictSame([extensions, log], [{ registered: ['my'], refused: [] }, []])
  t.ok(registry.findTool('my:tool'))
  t.ok(registry.findModule('my:module'))
  t.ok(cardTypes.has(card.id))
  t.equal(storageTypes.of(purse).id, 'my:purse')
  t.strictSame(registryTypes.list(), [shelf])
  t.equal(registry.findPrompt('my:prompt'), 'You are mine.')
  t.equal(languages.text({ key: 'my.help', params: { name: 'A' } }, 'zh_tw'), '你好 A')
  t.end()
})

const MISTAKES: readonly (readonly [string, Extension, RegExp])[] = [
  ['a taken tool', (r) => r.tool(tool('player.info')), /player\.info is registered twice/],
  ['an unknown tool', (r) => r.module(module({ tools: ['my:none'] })), /unknown tools: my:none/],
  [
    'a taken command',
    (r) => r.module(module({ routing: { selection: 'NORMAL', command: { name: 'cancel' } } })),
    /"cancel" is taken/,
  ],
  [
    'a command that nobody could use',
    (r) => r.module(module({ routing: { selection: 'STRUCTURED_ONLY', command: { name: 'pay' } } })),
    /module my:module: "pay" .*STRUCTURED_ONLY/,
  ],
  ['an invalid policy', (r) => r.module(module({ policy: { ...FAST_POLICY, steps: 0 } })), /invalid policy/],
  [
    'local routing of a module that writes',
    (r) =>
      r.module(
        module({ policy: { ...FAST_POLICY, writeSteps: 1 }, routing: { selection: 'NORMAL', examples: {} } }),
      ),
    /may not be routed locally/,
  ],
  ['a card type twice', (r) => (r.cardType(card), r.cardType(card)), /registered twice/],
  ['our texts', (r) => r.texts('en_us', { 'system.mine': 'x' }), /system\.mine is ours/],
  [
    'a text twice',
    (r) => (r.texts('en_us', { 'my.a': 'x' }), r.texts('en_us', { 'my.a': 'y' })),
    /there already/,
  ],
  ['a language that is none', (r) => r.texts('English', {}), /not a language/],
  ['a prompt without namespace', (r) => r.prompt('react' as never, 'x'), /namespace:path/],
  ['an empty prompt', (r) => r.prompt(identifier('my:prompt'), ' '), /empty or longer/],
  ['a huge prompt', (r) => r.prompt(identifier('my:prompt'), '钻'.repeat(6_000)), /empty or longer/],
  ['our storage', (r) => r.storage({ ...purse, id: identifier('system:purse') }), /the namespace is ours/],
  [
    'a storage twice',
    (r) => (r.storage(purse), r.storage({ ...purse })),
    /storage my:purse is registered twice: this extension has it already/,
  ],
  [
    'a storage without migrations',
    (r) => r.storage({ ...purse, version: 2 }),
    /version 2 needs 1 migrations/,
  ],
  ['a storage without a version', (r) => r.storage({ ...purse, version: 0 }), /my:purse: version/],
  ['a storage without an id', (r) => r.storage({ ...purse, id: 'purse' as never }), /must be an id/],
  ['a shape that is none', (r) => r.storage({ ...purse, schema: {} as never }), /my:purse: schema/],
  [
    'a shape that cannot be stored',
    (r) => r.storage({ ...purse, schema: z.object({ gold: z.date() }) as never, empty: {} as never }),
    /storage my:purse/,
  ],
  ['an empty value of another shape', (r) => r.storage({ ...purse, empty: {} as never }), /gold/],
  [
    'chat rows that do not say whether they are history',
    (r) => r.storage({ ...purse, rows: 'chat' } as never),
    /isHistory/,
  ],
  ['a registry twice', (r) => (r.registry(shelf), r.registry({ ...shelf })), /my:shelf is registered twice/],
  [
    'a folder twice',
    (r) => (r.registry(shelf), r.registry({ ...shelf, id: identifier('my:other') })),
    /my\/shelf has a type already/,
  ],
  ['a folder of others', (r) => r.registry({ ...shelf, folder: 'first/shelf' }), /must begin with my\//],
  ['a folder that is none', (r) => r.registry({ ...shelf, folder: 'my/../shelf' }), /no folder of a pack/],
  ['no folder', (r) => r.registry({ ...shelf, folder: 7 } as never), /has no folder/],
  ['a schema that is none', (r) => r.registry<Shelf>({ ...shelf, schema: {} as never }), /no schema of zod/],
  ['references that are none', (r) => r.registry({ ...shelf, references: [] } as never), /is no function/],
  ['a registry without an id', (r) => r.registry({ ...shelf, id: 'shelf' as never }), /no id of the form/],
  ...['system', 'minecraft'].map(
    (namespace) =>
      [
        `a registry of ${namespace}`,
        (r: Registration) =>
          r.registry({ ...shelf, id: identifier(`${namespace}:x`), folder: `${namespace}/x` }),
        namespace === 'system' ? /the namespace is ours/ : /the namespace is taken/,
      ] as const,
  ),
  [
    'an id that is no text',
    (r) => r.module(module({ id: Symbol('my:module') as never })),
    /Cannot convert a Symbol/,
  ],
  [
    'our module type',
    (r) => r.moduleType({ id: identifier('system:shop'), modules: [] }),
    /the namespace is ours/,
  ],
  [
    'a module type with a parameter that every configuration has',
    (r) => r.moduleType({ id: identifier('my:shop'), modules: [], parameters: { condition: nothing } }),
    /the parameter condition is taken/,
  ],
  [
    'our condition',
    (r) => r.conditionType({ id: identifier('system:moon'), members: () => ({}), test: () => true }),
    /the namespace is ours/,
  ],
  [
    'our cost',
    (r) => r.costType({ id: identifier('system:toll'), members: () => ({}), price: () => ok([]) }),
    /cost system:toll: the namespace is ours/,
  ],
  [
    'our reward',
    (r) =>
      r.rewardType({
        id: identifier('system:pet'),
        members: () => ({}),
        shown: () => [],
        book: forget as never,
      }),
    /reward system:pet: the namespace is ours/,
  ],
  [
    'a reward that gives nothing',
    (r) => r.rewardType({ id: identifier('my:pet'), members: () => ({}), shown: () => [] }),
    /reward my:pet has no book/,
  ],
  [
    'a cost twice',
    (r) => {
      const toll = { id: identifier('my:toll'), members: () => ({}), price: () => ok([]) }
      r.costType(toll)
      r.costType(toll)
    },
    /cost my:toll is registered twice/,
  ],
  [
    'a condition that is there',
    (r) => {
      r.conditionType({ id: identifier('my:moon'), members: () => ({}), test: () => true })
      r.conditionType({ id: identifier('my:moon'), members: () => ({}), test: () => true })
    },
    /registered twice/,
  ],
  ['our hook', (r) => r.onRevoked(identifier('system:plugin'), forget), /the namespace is ours/],
  [
    'a hook twice',
    (r) => (r.onRevoked(identifier('my:a'), forget), r.onRevoked(identifier('my:a'), forget)),
    /hook my:a is registered twice/,
  ],
  ['a hook that is none', (r) => r.onRevoked(identifier('my:a'), 'x' as never), /the hook is no function/],
  ['a hook without an owner', (r) => r.onRevoked(undefined as never, forget), /no id of the form/],
  [
    'our service',
    (r) => r.service(serviceKey('system:mine'), 1),
    /service system:mine: the namespace is ours/,
  ],
  [
    'a built-in service',
    (r) => r.service(CLOCK as never, {} as never),
    /service system:clock: the namespace is ours/,
  ],
  ['a service twice', (r) => (r.service(GREETER, String), r.service(GREETER, String)), /registered twice/],
  ['a service that is none', (r) => r.service(GREETER, undefined as never), /is undefined: give the impl/],
  ['a key that is none', (r) => r.service({ id: 'greeter' } as never, 1), /no id of the form.*serviceKey/],
  [
    'a service that nobody offers',
    (r) => r.use(GREETER),
    /there is no service my:greeter, which extension \S+.* wants: load the plugin that offers it/,
  ],
  ['a chat provider twice', (r) => (r.chatProvider(chat), r.chatProvider(chat)), /registered twice/],
  ['a chat provider that is mute', (r) => r.chatProvider({ id: chat.id } as never), /answer must be a func/],
  ['a chat provider of ours', (r) => r.chatProvider({ ...chat, id: identifier('system:x') }), /is ours/],
  ...(
    [
      [{}, /module my:module: workbench\.icon: /],
      [{ icon: 'compass' }, /workbench\.icon: must be an item such as minecraft:compass/],
      [{ icon: 'my:icon', title: 'My page' }, /workbench\.title: /],
      [{ icon: 'my:icon', title: { key: 'my.title', params: { x: null } } }, /workbench\.title: /],
      [{ icon: 'my:icon', about: { key: '' } }, /workbench\.about\.key: /],
      [{ icon: 'my:icon', params: { page: 1 } }, /workbench\.params\.page: /],
      [{ icon: 'my:icon', place: 1 }, /workbench: Unrecognized key: "place"/],
      [7, /workbench: /],
    ] as const
  ).map(
    ([workbench, problem]) =>
      [
        `a page of the workbench that is ${JSON.stringify(workbench)}`,
        (r: Registration) => r.module(module({ workbench: workbench as never })),
        problem,
      ] as const,
  ),
  ['our module', (r) => r.module(module({ id: identifier('system:help') })), /the namespace is ours/],
  ['our tool', (r) => r.tool(tool('system:tool')), /the namespace is ours/],
  [
    'a tool that is there, with another schema',
    (r) => {
      const { type, ...rest } = tool('player.info')
      r.tool({ ...rest, type: { ...type, input: z.strictObject({ other: z.string() }) as never } })
    },
    /tool player\.info is registered twice: the System has it already: give yours another id/,
  ],
  [
    'an input with a refinement that no model sees',
    (r) => {
      const { type, ...rest } = tool('my:refined')
      const input = z.strictObject({ query: z.string().refine(() => true) })
      r.tool({ ...rest, type: { ...type, input: input as never } })
    },
    /tool my:refined: input\.query has a refinement that no model can see: say what it asks with \.describe/,
  ],
  ['a name that is ours', (r) => r.extension('system'), /cannot be the name of an extension/],
  ['a name that is none', (r) => r.extension('my plugin\n'), /cannot be the name of an extension/],
  ['an async listener', async () => {}, /must not be async/],
  ['an async listener that fails', () => Promise.reject(new Error('late')), /must not be async/],
  [
    'whatever is thrown',
    () => {
      throw new Error('oops')
    },
    /oops/,
  ],
]

void t.test('a mistake takes out its extension whole, and no other', (t) => {
  for (const [name, mistake, problem] of MISTAKES) {
    const { registry, cardTypes, storageTypes, registryTypes, languages, extensions, log } = run([
      (r) => {
        r.tool(tool('first:tool'))
        r.texts('zh_cn', { 'first.text': '一' })
        r.storage({ ...purse, id: identifier('first:purse') })
        r.registry({ ...shelf, id: identifier('first:shelf'), folder: 'first/shelf' })
      },
      (r) => {
        r.tool(tool('my:tool'))
        r.texts('en_us', { 'my.own': 'x' })
        return mistake(r)
      },
      (r) => r.tool(tool('last:tool')),
    ])
    t.strictSame(
      registry.tools().map(({ id }) => id),
      ['player.info', 'first:tool', 'last:tool'],
      name,
    )
    t.strictSame([registry.modules().length, registry.findPrompt('my:prompt')], [0, undefined], name)
    t.strictSame(
      ['my:purse', 'first:purse'].map((id) => storageTypes.parse('players', id)?.type.id),
      [undefined, 'first:purse'],
      name,
    )
    t.strictSame(
      registryTypes.list().map(({ id }) => id),
      ['first:shelf'],
      name,
    )
    t.strictSame([cardTypes.has(card.id), languages.has('my.own', 'en_us')], [false, false], name)
    t.equal(languages.has('first.text', 'zh_cn'), true, name)
    t.strictSame(extensions, { registered: ['first', 'last'], refused: ['my'] }, name)
    t.match(log, [problem], name)
    t.match(log[0], /my:tool/, `${name}: named in the log`)
    t.throws(() => run([mistake], true), problem, `${name}: fatal where the host wants it`)
  }
  t.end()
})

void t.test(
  'hooks run for a player whose System is taken, not those of an extension that was taken out',
  async (t) => {
    const ran: string[] = []
    const { revokedHooks } = run([
      (r) => r.onRevoked(identifier('first:plugin'), () => void ran.push('first')),
      (r) => {
        r.onRevoked(identifier('my:plugin'), () => void ran.push('mine'))
        throw new Error('oops')
      },
      (r) => r.onRevoked(identifier('my:plugin'), async (player) => void ran.push(`last ${player}`)),
    ])
    const player = '00000000-0000-4000-8000-000000000001' as PlayerId
    await revokedHooks.run(player, {
      clock: new ManualClock(),
      logger: silentLogger,
      stopped: new Promise(() => {}),
    })
    t.strictSame(ran, ['first', `last ${player}`])
  },
)

void t.test('registration ends when the server is ready', (t) => {
  const kept: { late?: Registration } = {}
  run([(registration) => void (kept.late = registration)])
  t.throws(() => kept.late?.tool(tool('my:tool')), /too late/)
  t.throws(() => kept.late?.cardType(card), /too late/)
  t.throws(() => kept.late?.texts('en_us', { 'my.a': 'x' }), /too late/)
  t.throws(() => kept.late?.storage(purse), /too late/)
  t.throws(() => kept.late?.registry(shelf), /too late/)
  t.throws(() => kept.late?.onRevoked(identifier('my:plugin'), forget), /too late/)
  t.throws(() => kept.late?.prompt(identifier('my:prompt'), 'x'), /too late/)
  t.throws(() => kept.late?.service(GREETER, String), /too late: .* listen to 'system:register' when/)
  t.throws(() => kept.late?.use(CLOCK), /too late/)
  t.throws(() => kept.late?.chatProvider(chat), /too late/)
  t.throws(() => kept.late?.extension('my'), /too late/)
  t.end()
})

void t.test('looking at broken cards again and again does not fill the log', (t) => {
  const { cardTypes, log } = run([])
  for (const data of [1, 2, 3]) cardTypes.view({ type: identifier('gone:card'), data })
  t.strictSame(log, ['card gone:card could not be shown: TypeError: unknown card type'])
  t.end()
})
