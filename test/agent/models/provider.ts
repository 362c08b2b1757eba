import {
  createChatTransport,
  type ChatOutcome,
  type ChatRequest,
  type Endpoint,
} from '../../../lib/agent/models/index.js'
import { createProviderSimulator, ManualClock, type ProviderSimulator } from '../../../lib/testing/index.js'

/** Tokens that the tests' requests ask for. */
export const OUTPUT_TOKENS = 200
/** Their total deadline; not the idle limit, so that the two can be told apart. */
export const TIMEOUT_MS = 12_000

/** One simulator, one transport, one manual clock: time stands still unless a test moves it. */
export interface Rig {
  readonly provider: ProviderSimulator
  readonly clock: ManualClock
  readonly send: (change?: Partial<ChatRequest>, signal?: AbortSignal) => Promise<ChatOutcome>
}

export const NO_SIGNAL = new AbortController().signal

export function endpointOf(provider: ProviderSimulator, change: Partial<Endpoint> = {}): Endpoint {
  return {
    id: 'test',
    provider: 'deepseek',
    baseUrl: provider.url,
    model: 'deepseek-flash',
    apiKey: 'sk-secret',
    thinking: false,
    effort: null,
    extra: {},
    ...change,
  }
}

export function requestOf(change: Partial<ChatRequest> = {}): ChatRequest {
  return {
    system: 'Reply with one json object.',
    user: '{"question":"who am I"}',
    outputTokens: OUTPUT_TOKENS,
    timeoutMs: TIMEOUT_MS,
    endUser: 'a1b2c3',
    ...change,
  }
}

interface Teardown {
  teardown(fn: () => unknown): void
}

/** Starts both ends; at the test's end the simulator must have nothing to complain about. */
export async function openRig(t: Teardown, change: Partial<Endpoint> = {}): Promise<Rig> {
  const provider = await createProviderSimulator()
  const clock = new ManualClock()
  const transport = createChatTransport(endpointOf(provider, change), { clock })
  t.teardown(async () => {
    await provider.close()
    if (provider.errors.length > 0) throw new Error(provider.errors.join('; '))
    if (provider.left > 0) throw new Error(`${provider.left} step(s) were never asked for`)
  })
  return {
    provider,
    clock,
    send: (request, signal = NO_SIGNAL) => transport.send(requestOf(request), signal),
  }
}
