/** `/system` alone on a real server: what is open can be pressed, by whoever has a System. */
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Registration } from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText } from '../../lib/text/index.js'
import { ClientView } from '../support/client-view.js'
import { decodeComponent } from '../support/component.js'
import { eventually } from '../support/eventually.js'
import { openLive } from '../support/live-system.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  type Reader,
  type SeenButton,
} from '../support/system.js'
import { DEFAULT_VERSION, VERSIONS } from '../support/versions.js'

const loadData = createRequire(import.meta.url)('minecraft-data') as (version: string) => {
  readonly itemsByName: Readonly<Record<string, unknown>>
}

const floorSchema = z.strictObject({ floor: z.string() })
const floorCard: CardType<z.infer<typeof floorSchema>> = {
  id: identifier('tower:floor'),
  schema: floorSchema,
  build: ({ floor }) => ({ title: null, lines: [{ kind: 'text', text: `Floor ${floor}` }], buttons: [] }),
}
const floors: AgentModule<z.infer<typeof floorSchema>> = {
  id: identifier('tower:floors'),
  version: 1,
  action: floorSchema,
  description: 'Shows a floor of the tower.',
  help: { key: 'tower.help' },
  workbench: { icon: identifier('minecraft:ladder'), params: { level: '3' } },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'floor', argument: { name: 'floor' } },
    fromCommand: (floor) => ({ floor }),
    fromButton: ({ level }) => ({ floor: level }),
  },
  execute: (_, action) => Promise.resolve(shown(cardOf(floorCard, action))),
}
const register = (registration: Registration): void => {
  registration.extension('tower')
  registration.texts('en_us', { 'tower.help': 'Climb the tower' })
  registration.texts('zh_cn', { 'tower.help': '登塔' })
  registration.cardType(floorCard)
  registration.module(floors)
}

/** The entries of the workbench, on whichever pages they are, and its text. */
async function read(reader: Reader, line = '/system'): Promise<{ buttons: SeenButton[]; text: string }> {
  let page = await reader.ask(line)
  const [buttons, texts] = [buttonsOf(page), [componentText(page)]]
  for (let next = onward(buttons); next !== undefined; next = onward(buttonsOf(page))) {
    page = await reader.ask(next.command)
    buttons.push(...buttonsOf(page))
    texts.push(componentText(page))
  }
  return { buttons: buttons.filter(({ label }) => label.length > 1), text: texts.join('\n') }
}
const onward = (buttons: readonly SeenButton[]): SeenButton | undefined =>
  buttons.find(({ label }) => label === '›')

/** Opens the workbench anew and presses. */
async function press(reader: Reader, label: string): Promise<string> {
  for (let page = await reader.ask('/system'); ;) {
    const found = buttonsOf(page).find((button) => button.label === label)
    if (found !== undefined) return reader.askText(found.command)
    const next = onward(buttonsOf(page))
    if (next === undefined) throw new Error(`no ${label} in ${componentText(page)}`)
    page = await reader.ask(next.command)
  }
}

/** Who has chosen nothing gets a window; what is pressed in it shows its page there. */
async function inWindow(t: Test, { client }: Reader): Promise<void> {
  const view = new ClientView(client)
  const titled = (title: string) =>
    eventually(() => view.window !== null && componentText(decodeComponent(view.window.title)) === title)
  client.say('/system')
  await titled('Workbench')
  // who the player is comes first, then the pages
  view.click(1 + [...OWN, 'Climb the tower', ...LAST].indexOf('Settings'), 0, 0)
  await titled('Your settings')
  client.write('close_window', { windowId: view.window?.id ?? 0 })
}

const OWN = [
  'Ask a question',
  'Combine look-ups',
  'Items',
  'Recipes',
  'Your state',
  'Sign in',
  'Shop',
  'Lottery',
  'Inbox',
]
const LAST = ['AI usage', 'History', 'Settings', 'Pinned cards', 'Help']
const labelsOf = (buttons: readonly SeenButton[], known: readonly string[]): string[] =>
  buttons.map(({ label }) => label).filter((label) => known.includes(label))

for (const version of ['1.16.5', DEFAULT_VERSION]) {
  void t.test(`${version}: the pages of what is open, in order; each press shows its page`, async (t) => {
    const system = await openSystem(t, version, { register })
    const alice = await joinReader(t, system, 'alice')
    await alice.next()
    await inWindow(t, alice)
    t.equal(await alice.askText('/system settings surface chat'), 'Cards appear: in the chat')
    const all = [...OWN, 'Climb the tower', ...LAST]
    for (const line of ['/system', '@system']) {
      const { buttons, text } = await read(alice, line)
      t.match(text, /^Workbench\nalice\nSystem: System\nWhat the AI may do for you: choose look-ups/, line)
      t.strictSame(labelsOf(buttons, all), all, line)
      t.strictSame(
        buttons.filter(({ action }) => action === 'suggest_command').map(({ command }) => command),
        ['/system ask ', '/system reason ', '/system item ', '/system recipe '],
      )
    }
    for (const [label, page] of [
      ['Your state', /^Your state\nPosition: /],
      ['Climb the tower', /^Floor 3$/],
      ['AI usage', /^Your AI usage/],
      ['History', /history/i],
      ['Settings', /^Your settings\n/],
      ['Pinned cards', /^Your pinned cards/],
      ['Help', /^What I can do\n/],
    ] as const)
      t.match(await press(alice, label), page, label)
    t.match((await read(alice, '/system help')).text, /\/system: Everything at a glance/)
    t.strictSame([await alice.rest(), system.errors], [[], []])
  })
}

void t.test('a page that was opened leaves the buttons of the workbench alive', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  await alice.ask('/system settings surface chat')
  // buttons of one page: those of others are drawn when it is turned to
  let buttons = buttonsOf(await alice.ask('/system'))
  for (let next = onward(buttons); !buttons.some(({ label }) => label === 'History'); next = onward(buttons))
    buttons = buttonsOf(await alice.ask(next?.command ?? ''))
  for (const label of ['History', ...LAST.filter((other) => other !== 'History')]) {
    const found = buttons.find((button) => button.label === label)
    if (found !== undefined) t.notMatch(await alice.askText(found.command), /newer|already pressed/, label)
  }
  t.strictSame([await alice.rest(), system.errors], [[], []])
})

void t.test(
  'what is closed, switched off or in another language is so when it is opened again',
  async (t) => {
    const system = await openSystem(t, DEFAULT_VERSION, { register })
    const alice = await joinReader(t, system, 'alice', 'zh_cn')
    await alice.next()
    await alice.ask('/system settings surface chat')
    t.match((await read(alice)).text, /^工作台\nalice\n[^]*提问\n[^]*登塔\n[^]*AI 用量\n/)
    await alice.ask('/system settings externalAi off')
    t.notMatch((await read(alice)).text, /提问|综合查询/, 'not without a model')
    await alice.ask('/system settings language en_us')
    await consoleSays(system, 'system module alice system:items deny')
    const all = [...OWN, 'Climb the tower', ...LAST]
    t.strictSame(labelsOf((await read(alice)).buttons, all), [
      'Your state',
      'Sign in',
      'Shop',
      'Lottery',
      'Inbox',
      'Climb the tower',
      ...LAST,
    ])
    await alice.rest()
    t.strictSame(system.errors, [])
  },
)

void t.test('help for whom there is no workbench', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, { settings: { autoGrant: null } })
  const alice = await joinReader(t, system, 'alice')
  t.match(await alice.askText('/system'), /^What I can do\n[^]*\/system help: What the System can do/)
  t.match(await consoleSays(system, 'system'), [/^system – Everything at a glance$/])
  t.strictSame(system.errors, [])
})

void t.test('our pages: icons of their own that each version has, words in both languages', async (t) => {
  const { runtime, errors } = await openLive(t)
  const pages = runtime.registry.modules().flatMap(({ workbench }) => workbench ?? [])
  t.ok(pages.length >= OWN.length + LAST.length)
  t.equal(new Set(pages.map(({ icon }) => icon)).size, pages.length)
  for (const version of VERSIONS)
    for (const { icon } of pages)
      t.ok(loadData(version).itemsByName[icon.replace('minecraft:', '')] !== undefined, `${version} ${icon}`)
  for (const { title } of pages) t.match(title?.key, /^system\.workbench\./)
  t.strictSame(errors, [])
})
