/** Every fault of a provider while a free sentence is routed. */
import t from 'tap'
import { faultCases } from './fault-cases.js'
import { meetFault, openFaultRig } from './fault-rig.js'

const CHOICE = { module: 'system:player_info', input: {} }

void t.test('a sentence that a model must route', async (t) => {
  const rig = await openFaultRig(t)
  for (const fault of faultCases(CHOICE))
    await t.test(fault.name, (t) =>
      meetFault(t, rig, fault, {
        line: '/system does the moon remember me',
        // no choice at all is, for the player, a sentence that was not understood
        expected: fault.code === 'system:model_invalid' ? 'system:not_understood' : fault.code,
        next: CHOICE,
        answer: /Health/,
      }),
    )
})
