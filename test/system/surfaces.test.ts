/** Cards in windows, books and plain lines, at real clients of each version: what is seen, pressed, and dead afterwards. */
import t, { type Test } from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type AgentModule } from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText, type Component } from '../../lib/text/index.js'
import { ScreenSeat } from '../support/screen-seat.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { DEFAULT_VERSION, VERSIONS, clientSettings } from '../support/squid.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  type SystemOptions,
  type SystemServer,
} from '../support/system.js'

type Clocked = SystemServer & { readonly clock: ShiftedClock }

async function open(t: Test, version: string, options: SystemOptions = {}): Promise<Clocked> {
  const clock = new ShiftedClock()
  return { ...(await openSystem(t, version, { clock, ...options })), clock }
}

/** A player who wants windows, and has none open. */
async function atWindows(t: Test, system: Clocked, name: string): Promise<ScreenSeat> {
  const seat = await ScreenSeat.join(t, system, name)
  await seat.ask('/system settings surface window')
  return seat
}

for (const version of VERSIONS) {
  void t.test(version, async (t) => {
    const system = await open(t, version)
    const alice = await atWindows(t, system, 'alice')
    const bob = await ScreenSeat.join(t, system, 'bob')

    await t.test('a card in a window, its new form and others in its place', (t) => inWindow(t, alice))
    await t.test('clicks of two players cross', (t) => crossing(t, alice, bob))
    await t.test('what only the chat can take', (t) => suggested(t, alice))
    await t.test('pins', (t) => pinned(t, alice))
    await t.test('another language', (t) => otherLanguage(t, alice))
    await t.test('a book', (t) => inBook(t, alice))
    await t.test('plain lines', (t) => plainLines(t, bob))
    await t.test('who loses the System', (t) => revoked(t, system, alice))

    t.strictSame([await alice.reader.rest(), await bob.reader.rest()], [[], []], 'no message too many')
    const errors = [alice, bob].map(({ reader }) => reader.client.clientErrors)
    t.strictSame([system.errors, ...errors], [[], [], []])
  })
}

/** In its title, or where that is too long for one. */
const says =
  (words: RegExp) =>
  ({ title, slots }: ScreenSeat): boolean =>
    [title ?? '', ...slots.keys()].some((text) => words.test(text))

async function inWindow(t: Test, alice: ScreenSeat): Promise<void> {
  alice.reader.client.say('/system item stairs')
  await alice.sees('the list', ({ title }) => /stairs/.test(title ?? ''))
  const { title, view } = alice
  const id = view.window?.id
  const first = [...alice.slots.keys()]
  alice.press(alice.named(/more/))
  await alice.sees('the next page', ({ slots }) => slots.has('Back'))
  t.equal(alice.title, title)
  t.equal(view.window?.id, id, 'in place')
  const second = [...alice.slots.keys()]
  t.not(second.join(), first.join())
  const item = alice.named(/stairs/i)
  alice.press(item)
  await alice.sees('the item', ({ slots }) => slots.has('‹ Back'))
  alice.press('‹ Back')
  await alice.sees('the list again', ({ slots }) => slots.has(item))
  t.strictSame([...alice.slots.keys()], second, 'where it was left')
  alice.press('Close')
  await alice.sees('nothing', ({ title }) => title === null)
  t.strictSame(await alice.reader.rest(), [], 'the window is the outcome')
}

async function crossing(t: Test, alice: ScreenSeat, bob: ScreenSeat): Promise<void> {
  await bob.ask('/system settings surface window')
  alice.reader.client.say('/system item diamond_pickaxe')
  bob.reader.client.say('/system item bread')
  await alice.sees('its item', ({ title }) => /Diamond Pickaxe/i.test(title ?? ''))
  await bob.sees('its item', ({ title }) => /^Bread/i.test(title ?? ''))
  alice.press('Recipe')
  bob.press('Recipe')
  await alice.sees('its recipe', says(/How to craft.*Pickaxe/i))
  await bob.sees('its recipe', says(/How to craft.*Bread/i))
  alice.close()
  bob.close()
  t.strictSame([await alice.reader.rest(), await bob.reader.rest()], [[], []])
}

async function suggested(t: Test, alice: ScreenSeat): Promise<void> {
  alice.reader.client.say('/system help')
  await alice.sees('the help', ({ slots }) =>
    [...slots.keys()].some((name) => name.startsWith('/system item')),
  )
  alice.press(alice.named(/^.system item/))
  const line = await alice.reader.next()
  t.equal(alice.title, null)
  t.match(buttonsOf(line), [{ action: 'suggest_command', command: '/system item ' }])
}

async function pinned(t: Test, alice: ScreenSeat): Promise<void> {
  alice.reader.client.say('/system item piston')
  await alice.sees('the item', ({ title }) => /^Piston/i.test(title ?? ''))
  alice.press('Pin')
  t.match(await alice.reader.nextText(), /^Pinned/)
  await alice.sees('no such button any more', ({ slots }) => !slots.has('Pin') && slots.has('Close'))
  alice.reader.client.say('/system pins')
  await alice.sees('the pins', ({ title }) => /1 of 32/.test(title ?? ''))
  alice.press(alice.named(/piston/i))
  await alice.sees('the snapshot', ({ slots }) => slots.has('Unpin'))
  t.notOk(alice.slots.has('Recipe'))
  alice.press('Unpin')
  await alice.sees('the rest', ({ title }) => /0 of 32/.test(title ?? ''))
  alice.close()
}

async function otherLanguage(t: Test, alice: ScreenSeat): Promise<void> {
  alice.reader.client.say('/system item piston')
  await alice.sees('the item', ({ slots }) => slots.has('Recipe'))
  alice.reader.client.write('settings', clientSettings('zh_cn'))
  await alice.sees('it in Chinese', ({ slots }) => slots.has('合成表'))
  alice.reader.client.write('settings', clientSettings('en_us'))
  await alice.sees('it in English', ({ slots }) => slots.has('Recipe'))
  alice.close()
  t.strictSame(await alice.reader.rest(), [])
}

const commandIn = (pages: readonly Component[], label: RegExp): string =>
  pages.flatMap(buttonsOf).find((button) => label.test(button.label))?.command ?? ''

async function inBook(t: Test, alice: ScreenSeat): Promise<void> {
  const say = (line: string) => () => alice.reader.client.say(line)
  await alice.ask('/system settings surface book')
  const item = await alice.book(say('/system item piston'))
  t.match(item.title, /^Piston/i)
  const recipe = await alice.book(say(commandIn(item.pages, /Recipe/)))
  t.match(recipe.pages.map(componentText).join('\n'), /How to craft/)
  const back = await alice.book(say(commandIn(recipe.pages, /‹ Back/)))
  t.match(back.title, /^Piston/i)
  t.match(
    await alice.ask(commandIn(item.pages, /Pin/)),
    /newer version of this card/,
    'the book of before is closed',
  )
  const list = await alice.book(say('/system item stairs'))
  const next = await alice.book(say(commandIn(list.pages, /more/)))
  t.not(next.pages.map(componentText).join(), list.pages.map(componentText).join())
  t.strictSame(await alice.reader.rest(), [])
}

async function plainLines(t: Test, bob: ScreenSeat): Promise<void> {
  await bob.ask('/system settings surface plain')
  const card = await bob.reader.ask('/system item piston')
  t.strictSame(buttonsOf(card), [], 'nothing to click')
  const command = /\[Recipe\] (\/system act [\w-]+)/.exec(componentText(card))?.[1] ?? ''
  t.match(await bob.ask(command), /^How to craft/)
}

async function revoked(t: Test, system: Clocked, alice: ScreenSeat): Promise<void> {
  await alice.ask('/system settings surface window')
  alice.reader.client.say('/system settings')
  await alice.sees('the settings', ({ title }) => title === 'Your settings')
  await consoleSays(system, 'system revoke alice')
  await alice.sees('nothing', ({ title }) => title === null)
  await alice.reader.next()
  t.equal(alice.title, null)
}

const WORKS = identifier('test:works')
interface Work {
  /** What is called `said` in the card. */
  readonly said: string
}
const workCard: CardType<Work> = {
  id: identifier('test:work'),
  schema: z.strictObject({ said: z.string() }),
  build: ({ said }) => ({
    title: { key: 'test.said', params: { said } },
    lines: [{ kind: 'text', text: said }],
    buttons: ['slow', 'quick'].map((how) => ({
      id: how,
      label: { key: `test.${how}` },
      action: { kind: 'server', module: WORKS, params: { how } },
    })),
  }),
}

/** A workflow that answers slowly when it is let. */
function works() {
  const gates: { open(): void; readonly ended: Promise<void> }[] = []
  const module: AgentModule<{ how?: string | undefined }> = {
    id: WORKS,
    version: 1,
    action: z.strictObject({ how: z.string().optional() }),
    description: 'Works.',
    help: { key: 'test.help' },
    tools: [],
    policy: FAST_POLICY,
    routing: {
      selection: 'NORMAL',
      command: { name: 'work' },
      fromCommand: () => ({}),
      fromButton: ({ how }) => ({ how }),
    },
    async execute({ card }, { how = 'new' }) {
      if (how === 'slow') {
        let open = (): void => {}
        const opened = new Promise<void>((resolve) => (open = resolve))
        gates.push({ open, ended: opened })
        await opened
      }
      const shown = cardOf(workCard, { said: how })
      return {
        status: 'succeeded',
        message: null,
        cards: [card === null ? { mode: 'SHOW', card: shown } : { mode: 'REPLACE', ref: card, card: shown }],
      }
    },
  }
  const register: SystemOptions['register'] = (registration) => {
    registration.extension('works')
    registration.cardType(workCard)
    registration.module(module)
    registration.texts('en_us', {
      'test.help': 'Works',
      'test.said': 'Work: {said}',
      'test.slow': 'Slow',
      'test.quick': 'Quick',
    })
  }
  return { gates, register }
}

const WAITING = 'This card is still at work on what you pressed, please wait a moment.'

void t.test('while an action runs its card waits, whatever ends it', async (t) => {
  const { gates, register } = works()
  const system = await open(t, DEFAULT_VERSION, { register })
  const alice = await atWindows(t, system, 'alice')
  const quick = () => alice.slots.get('Quick')?.lore
  const begun = async (count: number): Promise<void> => {
    await alice.sees('that it waits', () => quick() === 'Please wait …')
    while (gates.length < count) await new Promise(setImmediate)
  }
  alice.reader.client.say('/system work')
  await alice.sees('the card', ({ title }) => title === 'Work: new')
  const id = alice.view.window?.id

  await t.test('an answer', async (t) => {
    alice.press('Slow')
    await begun(1)
    t.equal(alice.title, 'Work: new')
    alice.press('Quick')
    t.equal(await alice.reader.nextText(), WAITING)
    gates[0]?.open()
    await alice.sees('its new form', ({ title }) => title === 'Work: slow')
    t.equal(quick(), '')
  })
  await t.test('a cancellation; what comes late is not shown', async (t) => {
    alice.press('Slow')
    await begun(2)
    t.equal(await alice.ask('/system cancel'), 'Your request was cancelled.')
    await alice.sees('that it goes on', () => quick() === '')
    alice.press('Quick')
    await alice.sees('its new form', ({ title }) => title === 'Work: quick')
    gates[1]?.open()
    await alice.reader.rest()
    t.equal(alice.title, 'Work: quick')
    t.equal(alice.view.window?.id, id, 'the same window all the time')
  })
  await t.test('a window that was closed meanwhile: the answer is in the chat', async (t) => {
    alice.press('Slow')
    await begun(3)
    alice.close()
    t.strictSame(await alice.reader.rest(), [])
    gates[2]?.open()
    const card = await alice.reader.next()
    t.match(componentText(card), /^Work: slow\nslow/)
    t.equal(alice.title, null)
  })
  await t.test('in the chat too', async (t) => {
    await alice.ask('/system settings surface chat')
    const card = await alice.reader.ask('/system work')
    const [slow, other] = buttonsOf(card).map(({ command }) => command)
    alice.reader.client.say(slow ?? '')
    while (gates.length < 4) await new Promise(setImmediate)
    t.equal(await alice.ask(other ?? ''), WAITING)
    gates[3]?.open()
    t.match(await alice.reader.nextText(), /^Work: slow/)
    t.match(await alice.ask(other ?? ''), /newer version of this card/)
  })
  t.strictSame([await alice.reader.rest(), system.errors], [[], []])
})

void t.test('a server that starts anew knows no button of before', async (t) => {
  const before = await open(t, DEFAULT_VERSION)
  const seat = await ScreenSeat.join(t, before, 'alice')
  const card = await seat.reader.ask('/system item piston')
  const command = buttonsOf(card)[0]?.command ?? ''
  await before.stop()
  const after = await open(t, DEFAULT_VERSION, { settings: { configFolder: before.configFolder } })
  const again = await joinReader(t, after, 'alice')
  t.equal(
    await again.askText(command),
    "This button doesn't work for you any more, please run the command again.",
  )
})
