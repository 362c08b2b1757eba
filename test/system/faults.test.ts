/** Every fault of a provider under `/system ask`: one line, nothing left behind, nothing billed twice. */
import t from 'tap'
import { ANSWER, faultCases, TEXT } from './fault-cases.js'
import { meetFaults } from './fault-rig.js'

void t.test('a question', (t) =>
  meetFaults(t, faultCases(ANSWER), ({ code }) => ({
    line: '/system ask how deep?',
    expected: code,
    next: ANSWER,
    answer: TEXT,
  })),
)
