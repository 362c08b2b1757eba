/** What `/system` alone shows: the pages of what is open, in order, and the card that is kept of it. */
import t from 'tap'
import { registeredModule } from '../../lib/agent/module.js'
import type { AgentModule } from '../../lib/agent/index.js'
import { CardTypes, type CardEntry } from '../../lib/cards/index.js'
import { renderPlain } from '../../lib/cards/render/index.js'
import { identifier, playerId } from '../../lib/core/ids.js'
import { Workbench, workbenchCardType, type WorkbenchOwner } from '../../lib/workbench/index.js'
import { shippedLanguages } from '../support/catalogues.js'
import { module, type Nothing } from '../support/registering.js'

const ALICE = playerId('00000000-0000-4000-8000-00000000000a')
const OWNER: WorkbenchOwner = {
  name: 'alice',
  system: { key: 'system.definition.guide' },
  level: 'route',
  isUnplaced: true,
}
const icon = identifier('minecraft:compass')
const types = new CardTypes([workbenchCardType], (type, cause) => t.fail(`${type}: ${String(cause)}`))

const page = (id: string, over: Partial<AgentModule<Nothing>> = {}) =>
  registeredModule(module({ id: identifier(id), help: { key: `${id}.help` }, workbench: { icon }, ...over }))
const command = (name: string, argument?: string): AgentModule<Nothing>['routing'] => ({
  selection: 'NORMAL',
  command: argument === undefined ? { name } : { name, argument: { name: argument } },
})

/** A workbench whose world a test changes. */
function open(modules: readonly ReturnType<typeof page>[]) {
  const world = { owner: { ...OWNER } as WorkbenchOwner | null, closed: new Set<string>() }
  const workbench = new Workbench({
    modules: () => modules,
    owner: () => world.owner,
    mayUse: (_, { id }) => !world.closed.has(id),
  })
  const view = () => {
    const card = workbench.card(ALICE)
    if (card === null) throw new Error('no card')
    return types.view(card)
  }
  const entries = (): readonly CardEntry[] =>
    view().lines.flatMap((line) => (line.kind === 'entry' && line.action !== undefined ? [line] : []))
  const titles = () => entries().map(({ title }) => (title as { key: string }).key.replace('.help', ''))
  return { world, workbench, view, entries, titles }
}

void t.test('pages come in the order of registration, what everybody has comes last', async (t) => {
  const modules = [
    page('system:help'),
    page('system:pins'),
    page('system:item_query'),
    page('system:settings'),
    page('system:usage'),
    page('my:b'),
    page('system:history'),
    page('my:a'),
  ]
  const { workbench: _, ...silent } = page('my:silent')
  t.strictSame(open([...modules, silent]).titles(), [
    'system:item_query',
    'my:b',
    'my:a',
    'system:usage',
    'system:history',
    'system:settings',
    'system:pins',
    'system:help',
  ])
})

void t.test('a press asks for the module, or begins its command', async (t) => {
  const { entries } = open([
    page('my:plain', { routing: command('plain') }),
    page('my:silent'),
    page('my:asks', { routing: command('asks', 'what') }),
    page('my:given', { routing: command('given', 'what'), workbench: { icon, params: { what: 'x' } } }),
  ])
  t.strictSame(
    entries().map(({ action }) => action),
    [
      { kind: 'server', module: 'my:plain', params: {} },
      { kind: 'server', module: 'my:silent', params: {} },
      { kind: 'suggest', command: '/system asks ' },
      { kind: 'server', module: 'my:given', params: { what: 'x' } },
    ],
  )
})

void t.test('what a page says of itself, else its line in help', async (t) => {
  const [title, about] = [{ key: 'my.title' }, { key: 'my.about' }]
  const { entries } = open([
    page('my:a'),
    page('my:b', { workbench: { icon, title } }),
    page('my:c', { workbench: { icon, title, about } }),
    page('my:d', { workbench: { icon, about } }),
  ])
  t.strictSame(
    entries().map((entry) => [entry.title, ...(entry.about ?? [])]),
    [[{ key: 'my:a.help' }], [title, { key: 'my:b.help' }], [title, about], [{ key: 'my:d.help' }, about]],
  )
  t.strictSame(entries()[0]?.icon?.item, icon)
})

void t.test('who the player is; a window unless the player has chosen', async (t) => {
  const { world, view } = open([])
  const text = (lang: string): string =>
    renderPlain(view(), { lang, languages: shippedLanguages(), token: () => 'T' }).join('\n')
  t.equal(
    text('en_us'),
    'Workbench\nalice\nSystem: Guide\nWhat the AI may do for you: choose look-ups and put them into words',
  )
  t.match(text('zh_cn'), /^工作台\nalice\n系统：\S+\nAI 可以为你做什么/)
  t.equal(view().surface, 'window')
  world.owner = { ...OWNER, system: '§kTown {name}', name: '{level}', isUnplaced: false }
  t.match(text('en_us'), /^Workbench\n\{level\}\nSystem: Town \{name\}\n/, 'words of packs are literal')
  t.equal(view().surface, undefined)
})

void t.test('the card is kept until something of it is another', async (t) => {
  const { world, workbench, titles } = open([page('my:a'), page('my:b')])
  let before = workbench.card(ALICE)
  const changed = (what: string): void => {
    const now = workbench.card(ALICE)
    t.not(now, before, what)
    t.equal(workbench.card(ALICE), now, `${what}, once`)
    before = now
  }
  t.equal(workbench.card(ALICE), before, 'nothing has changed')
  world.closed.add('my:a')
  changed('a module was closed')
  t.strictSame(titles(), ['my:b'])
  world.closed.clear()
  changed('it is open again')
  for (const over of [
    { level: 'free' },
    { isUnplaced: false },
    { system: 'x' },
    { name: 'Alice' },
  ] as const) {
    world.owner = { ...OWNER, ...over }
    changed(JSON.stringify(over))
  }
  world.owner = null
  t.equal(workbench.card(ALICE), null, 'no System')
  workbench.forget(ALICE)
  t.equal(workbench.players, 0)
})
