import t, { type Test } from 'tap'
import { joinBot, nextEvent, VERSIONS, type Bot } from '../../../support/squid.js'
import { SeededRandom } from '../../../support/packet-fuzz.js'
import { playerOf } from '../shield/support.js'
import { button, makeItem, openStage, page, type Stage } from './stage.js'

const CLICKS = 400

/** Slots that mean something, and some that don't. */
const slotOf = (random: SeededRandom): number =>
  random.next() < 0.8 ? random.int(-1, 65) : random.pick([-999, -999, -32_768, 32_767, 500])
const buttonOf = (random: SeededRandom): number =>
  random.next() < 0.5 ? random.int(0, 1) : random.int(-1, 10) === 9 ? 40 : random.int(-1, 10)

for (const version of VERSIONS) {
  void t.test(`${version}: storms of clicks`, async (t) => {
    const stage = await openStage(t, version)
    await t.test('a client that clicks at random', (t) => storm(t, stage))
    await t.test('a bot that believes its own guesses', (t) => botStorm(t, stage))
    noFaults(t, stage)
  })

  void t.test(`${version}: storms without any repair`, async (t) => {
    const stage = await openStage(t, version, [])
    await storm(t, stage)
    noFaults(t, stage)
  })

  void t.test(`${version}: a flood is dropped and put right once`, async (t) => {
    const stage = await openStage(t, version, ['limits', 'window-guard'])
    const { windows, player, view, clock, told, events, served, things, alice } = stage
    windows.open(player, page({ 0: button('a') }), events('window'))
    await served()
    for (const over of [{}, { windowId: 0 }]) {
      clock.advance(1_000)
      await served()
      const top = view.top.length
      told.length = alice.received.length = 0
      for (let n = 0; n < 500; n += 1) view.click(28, 0, 6, over)
      view.click(0, 0, 0, over)
      await served()
      const shown = (): number =>
        alice.received.filter(({ name, data }) => name === 'window_items' && data['windowId'] === 0).length
      t.equal(shown(), 40)
      view.guessWrong()
      clock.advance(250)
      await served()
      t.equal(shown(), 41)
      t.equal(view.things, things())
      t.equal(view.top.length, top)
      t.strictSame(told, [], 'the press was one click too many')
    }
    t.match(stage.log.lines, [/^limits: .* over the limit for click/])
  })
}

function noFaults(t: Test, { log, errors, alice }: Stage): void {
  t.strictSame([log.lines, errors, alice.clientErrors], [[], [], []])
}

const content = (random: SeededRandom) =>
  page({
    [random.int(0, 26)]: button('a'),
    [random.int(0, 26)]: button('b'),
    [random.int(0, 26)]: button('c', { icon: 'minecraft:diamond', count: 64 }),
  })

async function storm(t: Test, stage: Stage): Promise<void> {
  const { windows, player, view, clock, events, served, things, told, serv, alice } = stage
  told.length = 0
  const before = things()
  const entities = Object.keys(serv.entities).length
  for (const seed of [1, 2, 3]) {
    const random = new SeededRandom(seed)
    let id = windows.open(player, content(random), events('press')) ?? 0
    await served()
    for (let n = 0; n < CLICKS; n += 1) {
      const over = random.next() < 0.8 ? {} : { windowId: random.int(101, 120), stateId: random.int(-3, 300) }
      view.click(slotOf(random), buttonOf(random), random.int(-1, 7), over)
      const chance = random.next()
      if (chance < 0.05) windows.replace(player, id, content(random))
      else if (chance < 0.08) id = windows.open(player, content(random), events('press')) ?? 0
      else if (chance < 0.1) alice.write('close_window', { windowId: random.int(0, 130) })
      else if (chance < 0.2) await served()
      clock.advance(random.int(0, 100))
      if (windows.openId(player) === null) id = windows.open(player, content(random), events('press')) ?? 0
    }
    // the drag that may be under way ends
    view.click(-999, 2, 5)
    await served()
    t.equal(things(), before, `the server's, seed ${seed}`)
    t.equal(view.things, before, `the client's, seed ${seed}`)
    windows.close(player, windows.openId(player) ?? 0)
    await served()
    t.equal(view.things, before)
  }
  t.equal(Object.keys(serv.entities).length, entities, 'nothing was thrown')
  t.ok(
    told.some((line) => line.startsWith('press ')),
    'some of them pressed',
  )
}

interface BotWindow {
  readonly slots: readonly ({ readonly type: number; readonly count: number } | null)[]
}
type ClickingBot = Bot & {
  readonly currentWindow: BotWindow | null
  readonly inventory: BotWindow
  clickWindow(slot: number, mouseButton: number, mode: number): Promise<void>
}

async function botStorm(t: Test, { windows, serv, port, clock }: Stage): Promise<void> {
  const bot = (await joinBot(t, port, String(serv.registry.version.minecraftVersion), 'bob')) as ClickingBot
  const player = playerOf(serv, 'bob')
  player.inventory?.updateSlot(12, makeItem(serv, 'dirt', 5))
  player.inventory?.updateSlot(40, makeItem(serv, 'diamond', 3))
  const has = ({ slots }: Pick<BotWindow, 'slots'>, from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => slots[from + at])
      .map((item) => (item ? `${item.type}x${item.count}` : '-'))
      .join(' ')
  const real = (from: number, to: number): string =>
    has({ slots: (player.inventory?.slots ?? []) as BotWindow['slots'] }, from, to)
  const served = async (): Promise<void> => {
    const pong = nextEvent(bot, 'message', (message) => String(message).includes('pong'))
    bot.chat('/ping')
    await pong
  }
  const before = real(0, 46)
  const random = new SeededRandom(9)
  windows.open(player, content(random), { onPress: () => {}, onClose: () => {} })
  await served()
  t.equal(bot.currentWindow?.slots.length, 63)
  for (let n = 0; n < 150; n += 1) {
    // it rejects what it can't do itself
    bot.clickWindow(random.int(0, 62), random.int(0, 1), random.int(0, 4)).catch(() => {})
    clock.advance(100)
    if (n % 10 === 0) await served()
  }
  await served()
  t.equal(real(0, 46), before)
  t.equal(has(bot.currentWindow ?? { slots: [] }, 27, 63), real(9, 45))
  windows.dismiss(player)
  await served()
  t.equal(bot.currentWindow, null)
  t.equal(has(bot.inventory, 0, 46), before)
}
