import t from 'tap'
import { FAST_POLICY, readPolicies, REASONING_POLICY, ROUTING } from '../../lib/agent/index.js'
import { RecordingLogger } from '../support/kernel.js'

const read = (policies: Record<string, unknown>, routingPolicy: unknown = null) => {
  const logger = new RecordingLogger()
  return { policy: readPolicies({ policies, routingPolicy }, logger).reader, logger }
}

void t.test('an override replaces the whole policy of its module', async (t) => {
  const mine = { ...REASONING_POLICY, modelCalls: 2, toolCalls: 1 }
  const { policy, logger } = read({ 'system:reasoning': mine })
  t.same(policy('system:reasoning', REASONING_POLICY), mine)
  t.equal(policy('system:question', FAST_POLICY), FAST_POLICY)
  t.equal(policy('constructor', FAST_POLICY), FAST_POLICY)
  t.equal(policy(ROUTING, FAST_POLICY), FAST_POLICY)
  t.same(logger.lines, [])
})

void t.test('one that is not whole is refused whole, with one line', async (t) => {
  const { toolCalls: _, ...incomplete } = REASONING_POLICY
  const { policy, logger } = read({
    a: incomplete,
    b: { ...REASONING_POLICY, steps: 0 },
    c: { ...REASONING_POLICY, surprise: 1 },
    d: null,
    e: 'fast',
    f: { ...REASONING_POLICY, modelTimeoutMillis: 60_001 },
  })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) t.equal(policy(name, FAST_POLICY), FAST_POLICY, name)
  t.equal(logger.lines.length, 6)
  t.match(logger.messages()[0], /policy of a is not used: toolCalls: /)
  t.match(logger.messages()[5], /policy of f is not used: modelTimeoutMillis: .*above ttlMillis/)
})

void t.test('only reactIterations may be missing or wrong: then it is 3', async (t) => {
  const { reactIterations: _, ...rest } = REASONING_POLICY
  const { policy, logger } = read({
    a: rest,
    b: { ...rest, reactIterations: -1 },
    c: { ...rest, reactIterations: 0 },
  })
  t.equal(policy('a', FAST_POLICY).reactIterations, 3)
  t.equal(policy('b', FAST_POLICY).reactIterations, 3)
  t.equal(policy('c', FAST_POLICY).reactIterations, 0, 'switched off')
  t.same(logger.lines, [])
})

void t.test('routing has a policy of its own', async (t) => {
  t.equal(read({}, { ...FAST_POLICY, modelCalls: 1 }).policy(ROUTING, FAST_POLICY).modelCalls, 1)
  const { policy, logger } = read({}, { modelCalls: 1 })
  t.equal(policy(ROUTING, FAST_POLICY), FAST_POLICY)
  t.match(logger.messages(), [/policy of routing is not used/])
})
