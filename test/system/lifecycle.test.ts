/** A request ends at once, whatever it is doing, and nothing of it comes after its end. */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '../support/eventually.js'
import type { Seat } from '../support/live-system.js'
import { consoleSays, REVOKED } from '../support/system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'
import { lineOf } from './fault-rig.js'
import { MOMENTS, newGate, openStage, type Held, type Stage } from './moments.js'

/** Ends alice's request; resolves with the seat she goes on with, her request's last word taken. */
type End = (t: Test, stage: Stage) => Promise<Seat>

const cancelled: End = async (t, { alice }) => {
  t.equal(await alice.ask('/system cancel'), lineOf('system:cancelled'), 'one line says so')
  return alice
}

const revoked: End = async (t, stage) => {
  const { alice } = stage
  t.strictSame(await consoleSays(stage, 'system revoke alice'), [REVOKED])
  t.equal(await alice.reader.nextText(), 'Your System was taken away.')
  t.equal(await alice.ask('/system me'), lineOf('system:not_bound'))
  await consoleSays(stage, 'system grant system:default alice')
  t.match(await alice.reader.nextText(), /^The System is now with you/)
  return alice
}

const quit: End = async (_t, stage) => {
  const { runtime, alice } = stage
  await alice.leave()
  await nextTurn()
  if (runtime.engine.state().active > 1) throw new Error('the request goes on')
  return stage.join('alice')
}

/** What holds after every end: `held` still holds whatever held the request. */
async function looksEnded(t: Test, stage: Stage, run: { held: Held; seat: Seat; isCalling: boolean }) {
  const { provider, runtime, bob, stray } = stage
  const { held, seat, isCalling } = run
  // at most bob's
  await eventually(() => runtime.engine.state().active <= (isCalling ? 1 : 0))
  for (const [fact, isSo] of (await held.also?.()) ?? []) t.ok(isSo, fact)
  t.match(await seat.ask('/system recipe piston'), /Piston/, 'a new request works at once')
  if (!isCalling) {
    provider.script(good(ANSWER))
    t.equal(await seat.ask('/system ask how deep?'), TEXT, 'one that asks a model too')
  }
  const asked = provider.requests.length
  held.letGo()
  await held.tidy?.()
  for (const [fact, isSo] of (await held.also?.()) ?? []) t.ok(isSo, `${fact}, afterwards`)
  t.match(await seat.ask('/system me'), /Health/)
  t.strictSame([await seat.rest(), await bob.rest()], [[], []], 'nothing comes afterwards')
  await eventually(() => runtime.meter.state().running === 0)
  t.match(runtime.engine.state(), { active: 0, waiting: 0, refused: 0 })
  t.match(runtime.meter.state(), { running: 0, waiting: 0 })
  t.equal(provider.requests.length, asked, 'nobody asks a model for it')
  t.strictSame(stray, [], 'nothing unhandled')
  t.strictSame(provider.errors, [])
}

for (const [cause, end] of Object.entries({ cancelled, revoked, quit }))
  void t.test(cause, async (t) => {
    const stage = await openStage(t)
    let seat = stage.alice
    for (const { name, arrange } of MOMENTS)
      await t.test(name, async (t) => {
        const now = { ...stage, alice: seat }
        const held = await arrange(now)
        seat = await end(t, now)
        await looksEnded(t, stage, { held, seat, isCalling: name === 'between rounds' })
      })
  })

void t.test('the server stops', async (t) => {
  for (const { name, arrange } of MOMENTS)
    await t.test(name, async (t) => {
      const stage = await openStage(t)
      const { serv, alice, installation, runtime, provider, stray } = stage
      const held = await arrange(stage)
      const { received } = alice.reader.client
      // what was on its way before is no matter
      t.strictSame(await alice.rest(), [])
      const before = received.length
      const gone = once(alice.reader.client, 'end')
      await serv.quit()
      await gone
      await installation.closed
      held.letGo()
      await nextTurn()
      const after = received.slice(before).filter((packet) => packet.name === 'system_chat')
      const texts = after
        .map(({ data }) => JSON.stringify(data))
        .filter((text) => !text.includes('left the game'))
      t.strictSame(texts, [], 'nothing is said')
      t.match(runtime.engine.state(), { active: 0, waiting: 0 })
      await eventually(() => runtime.meter.state().running === 0)
      for (const group of ['agent', 'storage', 'compute'] as const)
        t.match(runtime.groups[group].state(), { threads: 0, running: 0, waiting: 0 }, group)
      await Promise.all(provider.requests.map(({ over }) => over))
      t.equal(installation.state, 'stopped')
      t.strictSame(stray, [], 'nothing unhandled')
    })
})

void t.test('an end in the very turn in which the result is there', async (t) => {
  const stage = await openStage(t)
  const { runtime, alice, parts } = stage
  for (let turns = 0; turns < 16; turns += 1) {
    const gate = newGate(stage)
    let wasRunning: boolean | undefined
    parts.last = () => {
      let chain = Promise.resolve()
      for (let turn = 0; turn < turns; turn += 1) chain = chain.then(() => {})
      void chain.then(() => {
        wasRunning = runtime.engine.cancel(alice.id)
      })
    }
    alice.say('/system gate')
    await gate.reached
    gate.open()
    const line = await alice.reader.nextText()
    await nextTurn()
    t.equal(line, wasRunning === true ? lineOf('system:cancelled') : 'too late', `after ${turns} turns`)
    t.strictSame(await alice.rest(), [], 'one message')
  }
  for (let turns = 0; turns < 16; turns += 1) {
    const gate = newGate(stage)
    const isLate = { yes: false }
    let taken: Promise<unknown> = Promise.resolve()
    parts.last = () => {
      let chain = Promise.resolve()
      for (let turn = 0; turn < turns; turn += 1) chain = chain.then(() => {})
      void chain.then(() => {
        isLate.yes = runtime.engine.state().active === 0
        taken = consoleSays(stage, 'system revoke alice')
      })
    }
    alice.say('/system gate')
    await gate.reached
    gate.open()
    const first = await alice.reader.nextText()
    if (first === 'too late') {
      t.ok(isLate.yes, `shown before it was taken, after ${turns} turns`)
      t.equal(await alice.reader.nextText(), 'Your System was taken away.')
    } else t.equal(first, 'Your System was taken away.')
    await taken
    await consoleSays(stage, 'system grant system:default alice')
    t.match(await alice.reader.nextText(), /^The System is now with you/)
    t.strictSame(await alice.rest(), [], 'nothing else')
  }
})
