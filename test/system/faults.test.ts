/** Every fault of a provider under `/system ask`: one line, nothing left behind, nothing billed twice. */
import t from 'tap'
import { ANSWER, faultCases, TEXT } from './fault-cases.js'
import { meetFault, openFaultRig } from './fault-rig.js'

void t.test('a question', async (t) => {
  const rig = await openFaultRig(t)
  for (const fault of faultCases(ANSWER))
    await t.test(fault.name, (t) =>
      meetFault(t, rig, fault, {
        line: '/system ask how deep?',
        expected: fault.code,
        next: ANSWER,
        answer: TEXT,
      }),
    )
})
