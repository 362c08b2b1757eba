/** A server for the reported faults: short waits, and every call that was booked. */
import type { Test } from 'tap'
import type { Registration } from '../../lib/agent/index.js'
import type { UsageCounts } from '../../lib/usage/counts.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { consoleSays, type SystemOptions } from '../support/system.js'

/** Output limit of one call. */
export const OUTPUT_TOKENS = 64

/** Short enough that silence costs a test little. */
const POLICY = {
  modelCalls: 6,
  toolCalls: 8,
  steps: 20,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: OUTPUT_TOKENS,
  totalTokens: 262_144,
  ttlMillis: 60_000,
  modelTimeoutMillis: 20_000,
  reactIterations: 6,
}

export interface FaultServer extends LiveSystem {
  readonly alice: Seat
  /** What alice was charged today: calls, tokens, money. */
  booked(): Promise<UsageCounts>
}

export interface FaultSetup extends Pick<SystemOptions, 'config' | 'squid' | 'workersUrl'> {
  /** Changes of the policy of questions and loops. */
  readonly policy?: Partial<typeof POLICY>
  readonly register?: (registration: Registration) => void
}

/** Opens it with alice on. */
export async function openFaults(t: Test, setup: FaultSetup = {}): Promise<FaultServer> {
  const { policy: over, config = {}, ...options } = setup
  const policy = { ...POLICY, ...over }
  const policies = { 'system:question': policy, 'system:reasoning': policy }
  const agent = { policies, routingPolicy: { ...policy, reactIterations: 0 }, ...config['system-agent'] }
  const live = await openLive(t, { ...options, config: { ...config, 'system-agent': agent } })
  const alice = await live.join('alice')
  return {
    ...live,
    alice,
    async booked() {
      await eventually(() => live.runtime.meter.state().running === 0)
      return live.runtime.usage.ledger.day().countsOf(alice.id)
    },
  }
}

/** Nothing is left behind: no message too many, no running request, no unhandled error. */
export async function isQuiet(t: Test, server: FaultServer): Promise<void> {
  t.strictSame(await server.alice.rest(), [], 'one message for each line')
  t.match(server.runtime.engine.state(), { active: 0, waiting: 0 })
  t.match((await consoleSays(server, 'system status')).join('\n'), /requests: active=0 waiting=0 /)
  t.strictSame([server.stray, server.provider.errors, server.provider.left], [[], [], 0])
}
