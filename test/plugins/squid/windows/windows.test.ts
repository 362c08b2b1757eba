import t, { type Test } from 'tap'
import { componentText, type Component } from '../../../../lib/text/index.js'
import { readItem, short } from '../../../support/client-view.js'
import { decodeComponent } from '../../../support/component.js'
import { VERSIONS, nextEvent } from '../../../support/squid.js'
import { isServed } from '../shield/support.js'
import { button, makeItem, openStage, page, type Stage } from './stage.js'

for (const version of VERSIONS) {
  void t.test(version, async (t) => {
    const stage = await openStage(t, version)
    await t.test('what a client shows', (t) => shown(t, stage))
    await t.test('every way to click', (t) => clicks(t, stage))
    await t.test('other contents in place', (t) => replaced(t, stage))
    await t.test('a press that shows something', (t) => pressed(t, stage))
    await t.test('how windows end', (t) => ends(t, stage))
    await t.test('what changes in the inventory meanwhile', (t) => followed(t, stage))
    await t.test("the host's own chest", (t) => chest(t, stage))
    await t.test('a player who dies, or goes to another world', (t) => elsewhere(t, stage))
    t.match(stage.log.lines.splice(0), [/^windows: a press in a window failed/])
    t.strictSame([stage.log.lines, stage.errors, stage.alice.clientErrors], [[], [], []])
    await t.test('a player who leaves', (t) => left(t, stage))
  })

  void t.test(`${version}: without any repair`, async (t) => {
    const stage = await openStage(t, version, [])
    await clicks(t, stage)
    t.strictSame([stage.log.lines, stage.errors, stage.alice.clientErrors], [[], [], []])
  })
}

async function shown(t: Test, { windows, player, view, serv, events, served, things }: Stage): Promise<void> {
  const idOf = (name: string): number => serv.registry.itemsByName[name]?.id ?? -1
  const slots = {
    0: button('Plan A', {
      icon: 'minecraft:diamond',
      count: 12,
      name: { text: 'Plan ', color: 'gold', extra: [{ text: '§kA {"text":1} 😀\ud800' }] },
      lore: [
        { text: 'line 1', italic: false },
        { text: 'line 2', italic: true, color: 'gray' },
      ],
      isMarked: true,
    }),
    1: button('from a mod', { icon: 'mod:thing', count: 64 }),
    26: button('sword', { icon: 'minecraft:diamond_sword', lore: Array.from({ length: 500 }, long) }),
  }
  const id = windows.open(player, page(slots), events('first'))
  t.equal(id, 101)
  t.equal(windows.openId(player), 101)
  await served()
  t.match(view.window, { id: 101, type: 2 })
  t.equal(componentText(decodeComponent(view.window?.title)), 'Answers')
  t.equal(view.window?.items.length, 27 + 36)
  const first = readItem(view.top[0])
  t.equal(short(view.top[0]), `${idOf('diamond')}x12`)
  t.equal(componentText(first.name), 'Plan §kA {"text":1} 😀\ufffd')
  t.match(first.name, { color: 'gold' })
  t.equal(first.isMarked, true)
  t.match(first.lore, [
    { text: 'line 1', italic: false },
    { text: 'line 2', italic: true, color: 'gray' },
  ])
  t.equal(short(view.top[1]), `${idOf('paper')}x64`)
  t.match(readItem(view.top[1]), { lore: [], isMarked: false })
  t.ok(readItem(view.top[26]).lore.length > 10)
  t.equal(short(view.top[2]), '-')
  t.equal(view.things, things())
  t.equal(view.lower[1], `${idOf('dirt')}x5`)
  t.equal(view.lower[27], `${idOf('diamond')}x3`)
  windows.close(player, 101)
  await served()
  t.equal(view.window, null)
}

const long = (): Component => ({ text: '长'.repeat(2_000) })

type Click = readonly [slot: number, mouseButton: number, mode: number, over?: Record<string, unknown>]

const PRESSES: readonly Click[] = [
  [10, 0, 0],
  [10, 1, 0],
  [10, 0, 1],
  [10, 1, 1],
]
const OTHERS: readonly Click[] = [
  [10, 2, 0],
  [10, -1, 0],
  [10, 0, 2],
  [10, 8, 2],
  [10, 40, 2],
  [10, 2, 3],
  [10, 0, 4],
  [10, 1, 4],
  [10, 0, 6],
  [10, 0, 7],
  [10, 0, -1],
  [10, 5, 1],
  [11, 0, 0],
  [12, 0, 0],
  [27, 0, 0],
  [28, 0, 0],
  [28, 1, 0],
  [28, 0, 1],
  [28, 4, 2],
  [28, 1, 4],
  [54, 0, 0],
  [62, 0, 1],
  [63, 0, 0],
  [500, 0, 0],
  [-1, 0, 0],
  [-5, 0, 4],
  [-32_768, 0, 0],
  [-999, 0, 0],
  [-999, 1, 0],
  [-999, 0, 4],
  [10, 0, 0, { windowId: 119 }],
  [10, 0, 4, { windowId: 120 }],
]
const DRAG: readonly Click[] = [
  [-999, 0, 5],
  [10, 1, 5],
  [28, 1, 5],
  [-999, 2, 5],
]

async function clicks(
  t: Test,
  { windows, player, view, serv, clock, told, events, served, things }: Stage,
): Promise<void> {
  told.length = 0
  const { token: _none, ...picture } = button('picture')
  const id = windows.open(player, page({ 10: button('ten'), 11: picture }), events('window'))
  await served()
  const before = things()
  const top = view.top.map(short)
  const entities = Object.keys(serv.entities).length
  const isRight = async (what: unknown): Promise<void> => {
    await served()
    t.equal(things(), before, `the server's things after ${JSON.stringify(what)}`)
    t.equal(view.things, before, `the client's things after ${JSON.stringify(what)}`)
    t.strictSame(view.top.map(short), top)
  }
  for (const click of PRESSES) {
    clock.advance(1_000)
    view.click(...click)
    await isRight(click)
    t.strictSame(told.splice(0), ['window ten'], JSON.stringify(click))
  }
  for (const click of [...OTHERS, DRAG]) {
    clock.advance(1_000)
    for (const one of (Array.isArray(click[0]) ? click : [click]) as Click[]) view.click(...one)
    await isRight(click)
    t.strictSame(told.splice(0), [], JSON.stringify(click))
  }
  t.equal(Object.keys(serv.entities).length, entities, 'nothing was thrown')
  view.click(10, 0, 0)
  view.click(10, 0, 0)
  await isRight('a double click')
  t.strictSame(told.splice(0), ['window ten'])
  windows.close(player, id ?? 0)
  await isServedWithout(t, { view, served })
}

async function isServedWithout(t: Test, { view, served }: Pick<Stage, 'view' | 'served'>): Promise<void> {
  await served()
  t.equal(view.window, null)
}

async function replaced(
  t: Test,
  { windows, player, view, serv, clock, told, alice, events, served }: Stage,
): Promise<void> {
  told.length = 0
  clock.advance(1_000)
  const hasStates = serv.supportFeature('stateIdUsed')
  const opens = (): number => alice.received.filter(({ name }) => name === 'open_window').length
  const id = windows.open(player, page({ 10: button('old') }), events('window')) ?? 0
  await served()
  const before = opens()
  // the client clicks before it can know of the change
  const over = { windowId: id, stateId: view.stateId }
  t.equal(windows.replace(player, id, page({ 10: button('new') })), true)
  view.click(10, 0, 0, over)
  await served()
  t.strictSame(told.splice(0), [], 'the click was for what was there before')
  t.equal(componentText(readItem(view.top[10]).name), 'new')
  clock.advance(hasStates ? 0 : 300)
  view.click(10, 0, 0)
  await served()
  t.strictSame(told.splice(0), ['window new'])
  t.equal(opens(), before, 'in place')
  // a client that doesn't tell the state is given a moment
  t.equal(windows.replace(player, id, page({ 10: button('newer') })), true)
  await served()
  view.click(10, 0, 0, { stateId: 0 })
  await served()
  t.strictSame(told.splice(0), [])
  clock.advance(300)
  view.click(10, 0, 0, { stateId: 0 })
  await served()
  t.strictSame(told.splice(0), ['window newer'])
  // the same picture with other tokens: whoever clicked it means it
  const same = { ...button('newer'), token: 'again' }
  t.equal(windows.replace(player, id, page({ 10: same })), true)
  view.click(10, 0, 0)
  await served()
  t.strictSame(told.splice(0), ['window again'])
  // another frame needs another window, under the same number
  t.equal(windows.replace(player, id, page({ 50: button('low') }, { rows: 6 })), true)
  await served()
  t.match(view.window, { id, type: 5 })
  t.equal(opens(), before + 1)
  clock.advance(300)
  view.click(50, 0, 0)
  await served()
  t.strictSame(told.splice(0), ['window low'])
  t.equal(windows.replace(player, id + 1, page({})), false)
  windows.close(player, id)
  t.equal(windows.replace(player, id, page({})), false)
  await served()
  t.equal(view.window, null)
  t.strictSame(told, [], 'nobody tells who closes a window that it is closed')
}

/** Whatever the client guessed, each message that puts it right comes once. */
async function pressed(
  t: Test,
  { windows, player, view, clock, alice, served, things }: Stage,
): Promise<void> {
  const acts: Readonly<Record<string, (id: number) => unknown>> = {
    nothing: () => {},
    replace: (id) => windows.replace(player, id, page({ 10: button('two') })),
    frame: (id) => windows.replace(player, id, page({ 10: button('two') }, { rows: 6 })),
    open: () => windows.open(player, page({ 10: button('three') }), { onPress() {}, onClose() {} }),
    close: (id) => windows.close(player, id),
    fault() {
      throw new Error('a fault of who opened it')
    },
  }
  for (const [name, act] of Object.entries(acts)) {
    clock.advance(1_000)
    const onPress = (): unknown => act(windows.openId(player) ?? 0)
    windows.open(player, page({ 10: button('one') }), { onPress, onClose() {} })
    await served()
    alice.received.length = 0
    view.click(10, 0, 0)
    await served()
    const shown = alice.received.flatMap(({ name, data }) =>
      name === 'window_items' ? [Number(data['windowId']) === 0 ? 'things' : 'window'] : [],
    )
    t.strictSame(shown, name === 'close' ? ['things'] : ['window', 'things'], name)
    t.equal(view.things, things(), name)
    t.ok(view.top.every((item) => item?.itemId !== -1))
  }
  windows.dismiss(player)
  await served()
}

async function ends(
  t: Test,
  { windows, player, view, told, alice, events, served, things }: Stage,
): Promise<void> {
  told.length = 0
  const one = windows.open(player, page({ 0: button('a') }), events('one')) ?? 0
  const two = windows.open(player, page({ 0: button('b') }), events('two')) ?? 0
  t.not(one, two)
  t.strictSame(told.splice(0), ['one closed'])
  alice.write('close_window', { windowId: one })
  windows.close(player, one)
  await served()
  t.equal(windows.openId(player), two, 'what is said of another window is old news')
  view.guessWrong()
  alice.write('close_window', { windowId: two })
  view.window = null
  await served()
  t.equal(windows.openId(player), null)
  t.strictSame(told.splice(0), ['two closed'])
  t.equal(view.things, things())
  alice.write('close_window', { windowId: two })
  view.click(0, 0, 0, { windowId: two })
  await served()
  t.strictSame(told, [])
  const ids = Array.from({ length: 25 }, () => windows.open(player, page({}), events('many')) ?? 0)
  t.ok(ids.every((id) => id >= 101 && id <= 120))
  t.equal(new Set(ids).size, 20)
  t.equal(player.listenerCount('disconnected') < 20, true, 'no listeners are left')
  windows.dismiss(player)
  t.equal(windows.openId(player), null)
  t.equal(told.splice(0).length, 25)
}

async function followed(
  t: Test,
  { windows, player, view, serv, events, served, things }: Stage,
): Promise<void> {
  const id = windows.open(player, page({}), events('window')) ?? 0
  await served()
  for (const slot of [9, 20, 44]) player.inventory?.updateSlot(slot, makeItem(serv, 'stone', slot))
  await served()
  t.equal(view.things, things())
  for (const slot of [9, 20, 44]) player.inventory?.updateSlot(slot, null)
  await served()
  t.equal(view.things, things())
  Object.assign(player.inventory ?? {}, { selectedItem: makeItem(serv, 'apple', 2) })
  view.click(0, 0, 0)
  await served()
  t.equal(view.things, things(), 'what is at the cursor stays there')
  Object.assign(player.inventory ?? {}, { selectedItem: null })
  windows.close(player, id)
  await served()
  t.equal(view.things, things())
}

async function chest(t: Test, { windows, player, told, events, view, alice, served }: Stage): Promise<void> {
  told.length = 0
  const host = player as unknown as { windowId?: number; windowType?: string }
  windows.open(player, page({ 0: button('a') }), events('window'))
  // as the host opens one
  Object.assign(host, { windowId: (host.windowId ?? 0) + 1, windowType: 'chest' })
  t.equal(windows.openId(player), null)
  t.strictSame(told.splice(0), ['window closed'])
  windows.open(player, page({ 0: button('a') }), events('window'))
  t.equal(host.windowType, '', 'ours covers it')
  windows.dismiss(player)
  told.length = 0
  // the hundred-and-first chest
  Object.assign(host, { windowId: 105, windowType: 'chest' })
  const before = alice.received.length
  view.click(0, 0, 0, { windowId: 105 })
  alice.write('close_window', { windowId: 105 })
  await served()
  t.equal(host.windowType, '', 'the host has heard of the end of its own')
  t.ok(
    alice.received
      .slice(before)
      .some(({ name, data }) => name === 'window_items' && data['windowId'] === 105),
  )
}

/** Clients close what is open then, and don't say so. */
async function elsewhere(t: Test, { windows, player, alice, told, events, served }: Stage): Promise<void> {
  told.length = 0
  windows.open(player, page({ 0: button('a') }), events('first'))
  await served()
  alice.write('client_command', { actionId: 0 })
  await served()
  t.not(windows.openId(player), null, 'who lives sees it still')
  player.health = 0
  alice.write('client_command', { actionId: 0 })
  await served()
  t.equal(windows.openId(player), null)
  windows.open(player, page({ 0: button('a') }), events('second'))
  const { world } = player
  player.world = {}
  t.equal(windows.openId(player), null)
  player.world = world
  t.equal(windows.openId(player), null, 'it does not come back')
  t.strictSame(told, ['first closed', 'second closed'])
  await served()
}

async function left(t: Test, { windows, player, alice, told, events, log }: Stage): Promise<void> {
  told.length = 0
  windows.open(player, page({ 0: button('a') }), {
    onPress: () => {},
    onClose: () => {
      events('window').onClose()
      throw new Error('a fault of who opened it')
    },
  })
  await isServed(alice)
  const gone = nextEvent(player, 'disconnected')
  alice.end()
  await gone
  t.strictSame(told.splice(0), ['window closed'])
  t.match(log.lines.splice(0), [/^windows: the end of a window failed/])
  t.equal(windows.open(player, page({}), events('late')), null)
  t.equal(windows.openId(player), null)
  windows.stop()
  t.strictSame(told, [])
}
