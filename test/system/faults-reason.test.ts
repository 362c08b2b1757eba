/** Every fault of a provider in a loop: in its first round, and after a look-up that found something. */
import t from 'tap'
import { faults } from '../../lib/testing/index.js'
import { isRecoverable } from '../../lib/core/failure.js'
import { ANSWER, faultCases, good, TEXT } from './fault-cases.js'
import { byPace, lineOf, meetFaults, openFaultRig } from './fault-rig.js'
import { eventually } from '../support/eventually.js'

const LINE = '/system reason how deep am I?'
const LOOK = good({ type: 'player.info', input: {} })

void t.test('in the first round of a loop', (t) =>
  meetFaults(t, faultCases(ANSWER), ({ code }) => ({
    line: LINE,
    expected: code,
    next: ANSWER,
    answer: TEXT,
  })),
)

const failing = faultCases(ANSWER).filter(({ code, isDown }) => code !== null && isDown !== true)

for (const [pace, cases] of byPace(failing))
  void t.test(`with evidence, ${pace}`, async (t) => {
    const { provider, seat, runtime, stray } = await openFaultRig(t, pace)
    for (const { name, steps, code } of cases)
      await t.test(name, async (t) => {
        const mayFinish = code !== null && isRecoverable(code)
        const before = provider.requests.length
        provider.script(LOOK, ...steps, ...(mayFinish ? [good(ANSWER)] : []))
        const line = await seat.ask(LINE)
        const made = provider.requests.slice(before)
        t.equal(made.length, steps.length + (mayFinish ? 2 : 1))
        if (mayFinish) {
          t.equal(line, TEXT, 'one final answer is asked for')
          t.match(made.at(-1)?.body.messages.at(-1)?.content, /"finalOnly":true/)
        } else {
          t.ok(line.startsWith(lineOf('system:incomplete')), 'what was found is shown')
          t.match(line, /Health/)
        }
        await eventually(() => runtime.meter.state().running === 0)
        runtime.breaker.close()
        t.strictSame(await seat.rest(), [], 'one message')
        t.strictSame(stray, [], 'nothing unhandled')
      })
  })

void t.test('with evidence, and the final answer fails too', async (t) => {
  const { provider, seat, runtime } = await openFaultRig(t, 'patient')
  const before = provider.requests.length
  provider.script(LOOK, faults.cut(ANSWER), faults.cut(ANSWER))
  const line = await seat.ask(LINE)
  t.ok(line.startsWith(lineOf('system:incomplete')))
  t.match(line, /Health/)
  t.equal(provider.requests.length - before, 3)
  t.strictSame(await seat.rest(), [], 'one message')
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
})
