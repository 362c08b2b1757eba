import t from 'tap'
import { identifier, playerId } from '../../lib/core/ids.js'
import {
  NoticeLimits,
  NotificationQueue,
  Notifications,
  readNotice,
  WAITING_LIMIT,
  type Notification,
  type NotificationSwitches,
} from '../../lib/notifications/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { RecordingLogger } from '../support/kernel.js'

const ALICE = playerId('00000000-0000-0000-0000-00000000000a')
const BOB = playerId('00000000-0000-0000-0000-00000000000b')

const note = (
  id: string,
  priority: Notification['priority'] = 'normal',
  more: Partial<Notification> = {},
) => ({
  id,
  priority,
  message: { key: id },
  cards: [],
  ...more,
})

/** Ids in the order in which a queue gives all that it has; the line that sums up with its count. */
function drained(queue: NotificationQueue): string[] {
  const ids: string[] = []
  for (let next = queue.take('low'); next !== null; next = queue.take('low')) {
    const { count } = next.message?.params ?? {}
    ids.push(typeof count === 'number' ? `${count} ${next.id}` : next.id)
  }
  return ids
}

void t.test('what waits comes by priority, then by age; of one id only the newest', async (t) => {
  const queue = new NotificationQueue()
  t.equal(queue.take('low'), null)
  for (const waiting of [note('l', 'low'), note('a'), note('h', 'high'), note('b'), note('l2', 'low')])
    queue.add(waiting)
  queue.add(note('a', 'normal', { message: { key: 'newer' } }))
  t.equal(queue.size, 5)
  t.equal(queue.take('high')?.id, 'h')
  t.equal(queue.take('high'), null, 'others wait on')
  t.match(queue.take('normal'), { id: 'a', message: { key: 'newer' } }, 'in the place of the older one')
  t.strictSame(drained(queue), ['b', 'l', 'l2'])
  queue.add(note('h', 'high'))
  queue.add(note('h', 'low'))
  t.equal(queue.take('normal'), null, 'the newer one decides')
})

void t.test('a full queue sums up the oldest of the lowest priority in one line', async (t) => {
  const queue = new NotificationQueue()
  for (let index = 0; index < 10; index += 1) queue.add(note(`l${index}`, 'low'))
  for (let index = 0; index < 22; index += 1) queue.add(note(`n${index}`))
  t.equal(queue.size, WAITING_LIMIT)
  queue.add(note('n22'))
  t.equal(queue.size, WAITING_LIMIT)
  const names = (letter: string, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `${letter}${from + index}`)
  const kept = [...names('n', 0, 23), ...names('l', 2, 10)]
  t.strictSame(drained(queue), [...kept, '2 more'], 'the line takes one of the places')
  t.strictSame([queue.size, drained(queue)], [0, []])

  for (let index = 0; index < 40; index += 1) queue.add(note(`h${index}`, 'high'))
  queue.add(note('late', 'low'))
  t.strictSame(drained(queue), [...names('h', 9, 40), '10 more'], 'where all are important the oldest go')
})

/** Notifications with everything in hand. */
function stage() {
  const clock = new ManualClock()
  const shown: string[] = []
  const at = {
    here: new Set([ALICE, BOB]),
    held: null as 'screen' | 'request' | null,
    switches: { notifications: true, sounds: true } as NotificationSwitches,
  }
  const logger = new RecordingLogger()
  const notifications = new Notifications({
    clock,
    logger,
    isHere: (player) => at.here.has(player),
    heldBy: (player) => (player === ALICE ? at.held : null),
    switches: () => at.switches,
    show: (player, { id, message }, { notifications, sounds }) => {
      if (message?.key === 'broken') throw new Error('no such thing')
      shown.push(
        `${player === ALICE ? '' : 'bob '}${id}${notifications ? '' : ' alone'}${sounds ? '' : ' quietly'}`,
      )
    },
  })
  const pass = (ms: number): string[] => {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(50)
      notifications.tick()
    }
    return shown.splice(0)
  }
  const offer = (...given: Notification[]): string[] => {
    for (const notification of given) notifications.offer(ALICE, notification)
    return shown.splice(0)
  }
  return { clock, at, notifications, pass, offer, logger }
}

void t.test('the first at once, the others at a calm rate; of nobody at rest anything is kept', async (t) => {
  const { notifications, offer, pass, clock } = stage()
  t.strictSame(offer(note('a'), note('l', 'low'), note('b')), ['a'])
  notifications.offer(BOB, note('c'))
  t.strictSame(pass(1_950), ['bob c'], 'each player has a queue')
  t.strictSame(pass(100), ['b'])
  t.strictSame(pass(2_000), [])
  t.strictSame(offer(note('h', 'high')), ['h'], 'what is important waits half a second')
  t.strictSame(offer(note('h2', 'high')), [])
  t.strictSame(pass(500), ['h2'])
  t.strictSame(pass(2_900), [])
  t.strictSame(pass(100), ['l'])
  t.equal(notifications.players, 1, 'the pause is not over')
  pass(3_000)
  t.equal(notifications.players, 0)
  t.equal(clock.pending, 0, 'no timer')
})

void t.test('nothing is put over a screen, nor over what the player waits for', async (t) => {
  const { at, offer, pass } = stage()
  at.held = 'request'
  t.strictSame(offer(note('a'), note('h', 'high')), ['h'])
  t.strictSame(pass(10_000), [])
  at.held = 'screen'
  t.strictSame(offer(note('h2', 'high')), [])
  t.strictSame(pass(10_000), [])
  at.held = null
  t.strictSame(pass(50), ['h2'])
  t.strictSame(pass(2_000), ['a'])
})

void t.test('switches: no sounds; chat messages alone, and none of the lesser ones', async (t) => {
  const { at, offer, pass } = stage()
  at.switches = { notifications: true, sounds: false }
  t.strictSame(offer(note('a')), ['a quietly'])
  t.strictSame(offer(note('l', 'low'), note('b')), [])
  at.switches = { notifications: false, sounds: true }
  t.strictSame(pass(10_000), ['b alone'])
  t.strictSame(offer(note('l2', 'low'), note('h', 'high')), ['h alone'])
  at.switches = { notifications: true, sounds: true }
  t.strictSame(pass(10_000), [], 'what was dropped does not come later')
})

void t.test(
  'who leaves takes what waits along; what its owner keeps comes again, until it was seen',
  async (t) => {
    const { at, notifications, offer, pass, logger } = stage()
    const kept = new Set(['k1', 'k2'])
    const stop = notifications.own(() =>
      [...kept].map((id) => note(id, 'low', { seen: () => void kept.delete(id) })),
    )
    notifications.own(() => {
      throw new Error('not read')
    })
    notifications.arrived(ALICE)
    t.match(logger.messages(), [/not seen yet is not known/])
    t.strictSame(pass(50), ['k1'])
    t.strictSame(offer(note('a')), [])
    at.here.delete(ALICE)
    notifications.forget(ALICE)
    t.strictSame(offer(note('late')), [])
    t.equal(notifications.players, 0)
    t.strictSame(pass(10_000), [])
    at.here.add(ALICE)
    notifications.arrived(ALICE)
    t.strictSame(pass(10_000), ['k2'], 'not what was seen')
    notifications.arrived(ALICE)
    t.strictSame(pass(10_000), [])

    kept.add('k3')
    at.switches = { notifications: false, sounds: true }
    notifications.arrived(ALICE)
    t.strictSame(pass(10_000), [])
    t.ok(kept.has('k3'), 'what nobody wanted to see was not seen')
    stop()
    at.switches = { notifications: true, sounds: true }
    notifications.arrived(ALICE)
    t.strictSame(pass(10_000), [])
    offer(note('a'), note('b'))
    notifications.close()
    t.strictSame(pass(10_000), [])
  },
)

void t.test('one that cannot be shown hurts no other, and was not seen', async (t) => {
  const { offer, pass, logger } = stage()
  let seen = 0
  const message = { key: 'broken' }
  t.strictSame(offer(note('x', 'normal', { message, seen: () => (seen += 1) }), note('a')), [])
  t.match(logger.messages(), [/notification x could not be shown/])
  t.strictSame(pass(2_000), ['a'])
  t.equal(seen, 0)
})

void t.test('a notice of a plugin is decoded', async (t) => {
  const whole = {
    id: 'my:coins',
    priority: 'low',
    message: {
      key: 'my.coins',
      params: { n: 3, what: { translate: 'item.minecraft.diamond' }, why: { key: 'my.why' } },
    },
    actionBar: { key: 'my.short' },
    toast: { title: { key: 'my.short' }, icon: 'minecraft:diamond' },
    sound: 'minecraft:block.note_block.bell',
  }
  t.strictSame(readNotice(whole), {
    ok: true,
    value: { ...whole, cards: [] },
  })
  t.match(readNotice({ id: 'my:card', card: { type: 'my:card', data: { n: 1 } } }), {
    value: { priority: 'normal', message: null, cards: [{ mode: 'SHOW', card: { type: 'my:card' } }] },
  })
  const cyclic: Record<string, unknown> = { key: 'my.a' }
  cyclic['params'] = { inner: cyclic }
  t.match(readNotice({ id: 'my:coins', priority: 'high', message: { key: 'a' }, title: { key: 'b' } }), {
    value: { title: { key: 'b' } },
  })
  const throwing = {
    id: 'my:coins',
    get message(): never {
      throw new Error('no')
    },
  }
  const bad: readonly unknown[] = [
    throwing,
    { id: 'my:coins', message: { key: 'a' }, title: { key: 'b' } },
    null,
    'my:coins',
    { id: 'my:coins' },
    { id: 'coins', message: { key: 'a' } },
    { id: 'system:coins', message: { key: 'a' } },
    { id: 'my:coins', message: { key: 'a' }, card: { type: 'my:card', data: 1 } },
    { id: 'my:coins', message: 'hello' },
    { id: 'my:coins', message: { key: 'a b' } },
    { id: 'my:coins', message: { key: 'a', params: { n: null } } },
    { id: 'my:coins', message: { key: 'a', params: { n: { text: 'x', extra: ['y'] } } } },
    { id: 'my:coins', message: cyclic },
    { id: 'my:coins', message: { key: 'a' }, priority: 'urgent' },
    { id: 'my:coins', message: { key: 'a' }, sound: 'A Sound' },
    {
      id: 'my:coins',
      message: { key: 'a' },
      toast: { title: { key: 'a' }, icon: 'minecraft:book', frame: 'big' },
    },
    { id: 'my:coins', message: { key: 'a' }, colour: 'red' },
  ]
  for (const [index, given] of bad.entries())
    t.match(
      readNotice(given),
      { ok: false, failure: { code: 'system:not_understood', cause: TypeError } },
      String(index),
    )
})

void t.test('each plugin speaks to each player so often', async (t) => {
  const clock = new ManualClock()
  const limits = new NoticeLimits(clock)
  const id = identifier('my:a')
  const all = (): number => Array.from({ length: 30 }, () => limits.take(ALICE, id)).filter(Boolean).length
  t.equal(all(), 10)
  t.ok(limits.take(ALICE, 'other:a'))
  t.ok(limits.take(BOB, id))
  t.notOk(limits.take(ALICE, 'my:b'), 'whatever the id')
  clock.advance(6_000)
  t.equal(all(), 2)
  limits.forget(ALICE)
  t.equal(all(), 10)
  const names = Array.from({ length: 200 }, (_, index) => limits.take(BOB, `p${index}:a`))
  t.equal(names.filter(Boolean).length, 63, 'no name is made up to get round it')
})
