/** Every fault of a provider while a free sentence is routed. */
import t from 'tap'
import { faultCases } from './fault-cases.js'
import { meetFaults } from './fault-rig.js'

const CHOICE = { module: 'system:player_info', input: {} }

void t.test('a sentence that a model must route', (t) =>
  meetFaults(t, faultCases(CHOICE), ({ code }) => ({
    line: '/system does the moon remember me',
    // no choice at all is, for the player, a sentence that was not understood
    expected: code === 'system:model_invalid' ? 'system:not_understood' : code,
    next: CHOICE,
    answer: /Health/,
  })),
)
