/** The daily sign-in at real clients: chat, window and book, a slow and a full disk, a model, and a clock that was wrong. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FAST_POLICY } from '../../lib/agent/index.js'
import { fail } from '../../lib/core/result.js'
import { INBOX } from '../../lib/inventory/index.js'
import { SIGNIN } from '../../lib/signin/index.js'
import { faults, type ProviderStep, type RecordedRequest } from '../../lib/testing/index.js'
import { componentText, type Component } from '../../lib/text/index.js'
import { DataStore } from '../../plugins/squid/data-store.js'
import { idOf } from '../../plugins/squid/players.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { ScreenSeat } from '../support/screen-seat.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { buttonsOf, consoleSays, joinReader, temporaryFolder, type Reader } from '../support/system.js'

const DAY_MS = 86_400_000
/** One call to find the way and one to choose, which is over soon. */
const POLICY = {
  ...FAST_POLICY,
  modelCalls: 2,
  writeSteps: 1,
  ttlMillis: 30_000,
  modelTimeoutMillis: 2_000,
}

/** Counts days by a calendar of its own. */
class WrongClock extends ShiftedClock {
  #aheadMs = 0

  override now(): number {
    return super.now() + this.#aheadMs
  }

  set(iso: string): void {
    this.#aheadMs = 0
    this.#aheadMs = Date.parse(iso) - this.now()
  }
}

/** The disk, which waits or is full as it is told. */
function disk(t: Test) {
  const real = Object.getOwnPropertyDescriptor(DataStore.prototype, 'commit')?.value as DataStore['commit']
  const state = { gate: Promise.resolve(), isFull: false, commits: 0 }
  DataStore.prototype.commit = async function (writes) {
    state.commits += 1
    await state.gate
    return state.isFull ? fail('system:storage_failed') : real.call(this, writes)
  }
  t.teardown(() => {
    DataStore.prototype.commit = real
  })
  return state
}

interface Stage {
  readonly live: LiveSystem & { readonly clock: WrongClock }
  /** At her first login. */
  readonly alice: ScreenSeat
  /** What alice reads now. */
  reader: Reader
  /** Logs in as alice once more. */
  readonly join: () => Promise<Reader>
  readonly disk: ReturnType<typeof disk>
  readonly says: (line: string) => Promise<string>
  /** Days that alice has signed, entries of her inbox, her days in a row. */
  readonly counts: () => readonly (number | undefined)[]
  /** Alice's sign-in as it is kept; null: that isn't known now. */
  readonly kept: () => { readonly day: string; readonly last: string | undefined } | null
}

async function open(t: Test): Promise<Stage> {
  const folder = await temporaryFolder(t)
  const clock = new WrongClock()
  clock.set('2026-12-01T12:00:00Z')
  const slow = disk(t)
  const live = await openLive(t, {
    clock,
    squid: { worldFolder: join(folder, 'world') },
    config: {
      'system-access': { adminsInOfflineMode: true },
      'system-agent': { policies: { 'system:signin_choose': POLICY }, aiDefault: 'free' },
    },
  })
  const clocked = { ...live, clock }
  const alice = await ScreenSeat.join(t, clocked, 'alice')
  const view = () => {
    const player = live.serv.players.find(({ username }) => username === 'alice')
    const id = player === undefined ? null : idOf(player)
    const online = id === null ? null : live.runtime.store.online(id)
    return online
  }
  return {
    live: clocked,
    alice,
    reader: alice.reader,
    join: () => joinReader(t, live, 'alice'),
    disk: slow,
    says: async (line) => (await consoleSays(live, line)).join('\n'),
    counts: () => [view()?.get(SIGNIN).total, view()?.get(INBOX).length, view()?.get(SIGNIN).streak],
    kept() {
      const signin = view()?.get(SIGNIN)
      return signin === undefined ? null : { day: signin.day, last: signin.history.at(-1)?.reward.id }
    },
  }
}

/** The rewards of a card in the chat: what its buttons run. */
const rewards = (card: Component): readonly string[] =>
  buttonsOf(card)
    .filter(({ label }) => !label.startsWith('['))
    .map(({ command }) => command)

void t.test('a player and the daily sign-in', async (t) => {
  const stage = await open(t)
  await t.test('B31: a full disk gives nothing, and the same day can be signed later', (t) => full(t, stage))
  await t.test('B31: chat, card and window in one tick on a slow disk', (t) => spam(t, stage))
  await t.test('a book', (t) => inBook(t, stage))
  await t.test('taken from the card, seen again after a login', (t) => claimed(t, stage))
  await t.test('B80: sentences that ask for it, and those that ask for nothing', (t) => sentences(t, stage))
  await t.test('a model chooses', (t) => chosen(t, stage))
  await t.test('B33: the clock jumps to 2027 and returns', (t) => jumped(t, stage))
  t.strictSame(stage.live.stray, [])
  t.strictSame(stage.live.provider.errors, [])
})

async function full(t: Test, { alice, disk, counts, kept }: Stage): Promise<void> {
  const card = await alice.reader.ask('/system signin')
  t.match(
    componentText(card),
    /^Sign-in, 2026-12-01\nChoose one for today:\n[^]*Days in a row: 0[^]*›01‹ {2}02 .*\n[^]* 31 /,
  )
  t.equal(rewards(card).length, 3)
  disk.isFull = true
  const refused = await alice.reader.ask(rewards(card)[0] ?? '')
  disk.isFull = false
  t.match(componentText(refused), /Nothing was changed; please try again later/)
  // what a failed write leaves is read again
  await eventually(() => kept() !== null)
  t.strictSame(counts(), [0, 0, 0])
  t.equal(rewards(refused).length, 3, 'to be pressed again')
}

async function spam(t: Test, { alice, disk, counts, live }: Stage): Promise<void> {
  const card = await alice.reader.ask('/system signin')
  const other = await alice.reader.ask('/system signin')
  await alice.ask('/system settings surface window')
  alice.reader.client.say('/system signin')
  await alice.sees('the sign-in', ({ title }) => /Sign-in/.test(title ?? ''))
  const reward = alice.named(/^(?!Close|Days|Choose|\W).*[a-z]{4}/i)
  let go = (): void => {}
  const { commits } = disk
  disk.gate = new Promise((resolve) => (go = resolve))
  for (const command of [...rewards(card), ...rewards(other)].slice(0, 4)) alice.reader.client.say(command)
  alice.press(reward)
  alice.reader.client.say('/system signin')
  alice.reader.client.say('/system signin')
  await eventually(() => disk.commits > commits)
  go()
  await eventually(() => counts()[0] === 1)
  await alice.reader.rest()
  t.strictSame(counts(), [1, 1, 1], 'one reward')
  await alice.sees('that it is done', ({ slots }) =>
    [...slots.keys()].some((name) => /signed in today/.test(name)),
  )
  alice.press(alice.named(/Take it/))
  await alice.sees('the inbox', ({ title }) => /Inbox/.test(title ?? ''))
  alice.close()
  await alice.ask('/system settings surface chat')
  t.strictSame(live.stray, [])
}

async function inBook(t: Test, { live, alice, counts }: Stage): Promise<void> {
  live.clock.advance(DAY_MS)
  await alice.ask('/system settings surface book')
  const book = await alice.book(() => alice.reader.client.say('/system signin'))
  t.match(book.title, /^Sign-in, 2026-12-02/)
  t.match(book.pages.map(componentText).join('\n'), /Choose one for today:[^]*\[01\] ›02‹/)
  const command = book.pages.flatMap(rewards)[2] ?? ''
  const done = await alice.book(() => alice.reader.client.say(command))
  t.match(done.pages.map(componentText).join('\n'), /You have signed in today\.[^]*\[01\] \[02\]/)
  t.ok(done.pages.flatMap(buttonsOf).some(({ label }) => label.includes('Take it')))
  t.strictSame(counts(), [2, 2, 2])
  await alice.ask('/system settings surface chat')
}

async function claimed(t: Test, stage: Stage): Promise<void> {
  const { live, reader, counts } = stage
  live.clock.advance(DAY_MS)
  const card = await reader.ask('/system signin')
  t.match(componentText(card), /\[01\] \[02\] ›03‹/)
  const done = await reader.ask(rewards(card)[1] ?? '')
  t.match(
    componentText(done),
    /^Sign-in, 2026-12-03\nYou have signed in today\.\n.+\nDays in a row: 3\nDays in all: 3\n\[01\] \[02\] \[03\]/,
  )
  t.match(
    componentText(await reader.ask(rewards(card)[0] ?? '')),
    /newer version/,
    'the card of before is over',
  )
  t.strictSame(counts(), [3, 3, 3])
  const take = buttonsOf(done).find(({ label }) => label === '[Take it]')?.command ?? ''
  t.match(await reader.askText(take), /^Inbox\nReceived: /)
  reader.client.end('bye')
  await eventually(() => live.serv.players.every(({ username }) => username !== 'alice'))
  stage.reader = await stage.join()
  const again = await stage.reader.ask('/system signin')
  t.match(componentText(again), /^Sign-in, 2026-12-03\nYou have signed in today\.\n.+\nDays in a row: 3/)
  t.strictSame(
    buttonsOf(again).map(({ label }) => label),
    ['[Pin]'],
    'nothing to choose, nothing to take',
  )
}

async function sentences(t: Test, { live, reader, counts, kept }: Stage): Promise<void> {
  live.clock.advance(DAY_MS)
  const asked = live.provider.requests.length
  for (const line of ['我要签到', '签到', 'daily reward'])
    t.match(await reader.askText(`/system ${line}`), /^Sign-in, 2026-12-04\nChoose one/, line)
  t.equal(live.provider.requests.length, asked, 'without a model')
  for (const line of ['???', '😀', '的']) {
    live.provider.script('I have no idea')
    t.notMatch(await reader.askText(`/system ${line}`), /Sign-in/, line)
  }
  t.match(await reader.askText('/system '), /./)
  t.strictSame([counts()[0], kept()?.day], [3, '2026-12-03'], 'and none of them signs in')
}

/** The candidates that the model was told of. */
const offered = ({ body }: RecordedRequest): string[] =>
  [
    ...body.messages
      .map(({ content }) => content)
      .join('')
      .matchAll(/"id":"(system:[a-z_]+)"/g),
  ].map(([, id = '']) => id)

async function chosen(t: Test, { live, reader, counts, kept }: Stage): Promise<void> {
  const way = { module: 'system:signin_choose', input: {} }
  const text = 'For the long nights.'
  const evil = '§cHi\n/op alice {"clickEvent":{"action":"run_command","value":"/op alice"}}'
  const cases: readonly (readonly [name: string, at: number, said: string | null, ProviderStep])[] = [
    ['good', 2, text, (asked) => ({ type: 'answer', candidate: offered(asked)[2], text })],
    ['invalid', 0, null, 'The second one!'],
    ['another id', 0, null, { type: 'answer', candidate: 'system:netherite', text }],
    ['injection', 1, evil, (asked) => ({ type: 'answer', candidate: offered(asked)[1], text: evil })],
    ['late', 0, null, (asked) => faults.slowHeaders({ type: 'answer', candidate: offered(asked)[1], text })],
  ]
  let [signed = 0] = counts()
  for (const [name, at, said, step] of cases) {
    live.provider.script(way, step)
    const card = await reader.ask('/system sign me in')
    signed += 1
    const { requests } = live.provider
    const last = requests.at(-1)
    t.equal(kept()?.last, last === undefined ? null : offered(last)[at], name)
    t.strictSame(counts(), [signed, signed, signed], name)
    const words = componentText(card).split('\n')
    t.match(words[1], 'You have signed in today.', name)
    t.equal(words[2]?.includes('Hi /op alice') || words[2] === text, said !== null, `${name}: ${words[2]}`)
    t.strictSame(
      buttonsOf(card).filter(({ command }) => !command.startsWith('/system act ')),
      [],
      `${name}: nothing of it can be pressed`,
    )
    live.clock.advance(DAY_MS)
  }
  live.provider.release()
  t.equal(live.provider.left, 0)
}

async function jumped(t: Test, { live, reader, counts, kept, says }: Stage): Promise<void> {
  live.clock.set('2026-12-20T12:00:00Z')
  const bob = await joinReader(t, live, 'bob')
  t.match(await bob.nextText(), /The System is now with you/)
  for (const player of live.serv.players) player.op = player.username === 'bob'
  const sign = async (): Promise<string> => {
    const card = await reader.ask('/system signin')
    return componentText(await reader.ask(rewards(card)[0] ?? '/system signin'))
  }
  t.match(await sign(), /^Sign-in, 2026-12-20\nYou have signed in today/)
  const [before = 0] = counts()
  live.clock.set('2027-01-01T12:00:00Z')
  t.match(await sign(), /^Sign-in, 2027-01-01\nYou have signed in today/)
  for (const day of ['2026-12-20', '2026-12-21']) {
    live.clock.set(`${day}T13:00:00Z`)
    t.match(
      await reader.askText('/system signin'),
      new RegExp(`^Sign-in, ${day}\nYour last sign-in lies in the future`),
    )
  }
  t.strictSame([counts()[0], kept()?.day], [before + 1, '2027-01-01'])
  const warned = live.log.filter((line) => /last sign-in of alice is on 2027-01-01/.test(line))
  t.equal(warned.length, 2, 'once a day')
  t.match(await bob.nextText(), /The last sign-in of alice is on 2027-01-01, .*signin repair alice/)
  t.match(warned[0], /To repair it: \/system signin repair alice/)
  t.match(await reader.askText('/system signin repair alice'), /administrator|permission|allowed/i)
  t.match(await says('system signin repair alice'), /alice count again; the last one is 2026-12-20/)
  t.match(await says('system signin repair alice'), /alice need no repair/)
  t.match(await sign(), /^Sign-in, 2026-12-21\nYou have signed in today\.\n.+\nDays in a row: 2/)
  t.equal(counts()[0], before + 2)
}
