/** One player says five hundred lines and two hundred commands at once: the others are served. */
import t from 'tap'
import { openLive, type Seat } from '../support/live-system.js'
import { lineOf } from './fault-rig.js'

/** A player is told at most once in this time that it is too fast. */
const NOTICE_EVERY_MS = 5_000

const isChat = (text: string): boolean => text.startsWith('<')

/** The next message that no player said. */
async function nextOwn(seat: Seat): Promise<string> {
  for (;;) {
    const text = await seat.reader.nextText()
    if (!isChat(text)) return text
  }
}

void t.test('a flood of lines and commands', async (t) => {
  const live = await openLive(t, { config: { 'system-surface': { shield: {} } } })
  const { runtime, provider, stray } = live
  const mallory = await live.join('mallory')
  const alice = await live.join('alice')
  const commands = [
    '/system where am i',
    '/system help',
    '/system cancel',
    '/system status',
    '/system reason',
  ]
  const start = performance.now()
  for (let line = 0; line < 500; line += 1) mallory.say(`line ${line}`)
  for (let line = 0; line < 200; line += 1) mallory.say(commands[line % commands.length] ?? '')
  alice.say('/system me')
  t.match(await nextOwn(alice), /Health/, 'the others are served')
  // a last word after the flood: whatever was said to mallory has come before it
  mallory.say('the end')
  const told: string[] = []
  for (let text = ''; text !== '<mallory> the end';) {
    text = await mallory.reader.nextText()
    if (!isChat(text)) told.push(text)
  }
  const elapsed = performance.now() - start
  const notices = told.filter((text) => text === lineOf('system:rate_limited')).length
  t.ok(notices >= 1 && notices <= 1 + elapsed / NOTICE_EVERY_MS, `${notices} notices`)
  // ten at once and ten a second of the cheap ones, five at once and one in two seconds of the dear ones
  t.ok(told.length - notices <= 15 + (elapsed / 1_000) * 11, `${told.length} answers`)
  t.equal(provider.requests.length, 0)
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
  alice.say('/system me')
  t.match(await nextOwn(alice), /Health/)
  t.strictSame(stray, [])
})
