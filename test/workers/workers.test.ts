import t from 'tap'
import { silentLogger } from '../../lib/core/logger.js'
import { openThreadGroups, runAgentJob, runJob, type AgentHandlers } from '../../lib/pool/index.js'
import { systemClock } from '../../lib/core/clock.js'
import { agentJob } from '../support/agent-job.js'

const endpoint = {
  id: 'main',
  provider: 'generic',
  baseUrl: 'http://127.0.0.1:9/v1',
  model: 'none',
  apiKey: 'key',
  thinking: false,
  effort: null,
  extra: {},
}
const groups = openThreadGroups({
  threads: { agent: 1, storage: 1, compute: 1 },
  agentData: { endpoints: [endpoint] },
  clock: systemClock,
  logger: silentLogger,
})
t.teardown(() => groups.close())

const unexpected = (): never => {
  throw new Error('unexpected')
}
const handlers: AgentHandlers = {
  reserve: unexpected,
  settle: unexpected,
  tool: unexpected,
  answer: unexpected,
  progress: unexpected,
}

void t.test('the agent worker refuses a job for an endpoint that it does not know', async (t) => {
  const options = { handlers, clock: systemClock, logger: silentLogger }
  const call = runAgentJob(groups.agent, agentJob({ endpoint: 'constructor' }), options)
  t.strictSame(await call.done, { ok: true, value: { end: 'failed', code: 'system:no_model', rounds: 0 } })
  const malformed = runAgentJob(groups.agent, agentJob({ rounds: 0 }), options)
  t.strictSame(await malformed.done, {
    ok: true,
    value: { end: 'failed', code: 'system:protocol', rounds: 0 },
  })
})

void t.test('the compute worker refuses kinds that it does not know', async (t) => {
  for (const kind of ['no-such-kind', '__proto__']) {
    t.match(await runJob(groups.compute, { kind }), { ok: false, failure: { code: 'system:protocol' } })
  }
})
