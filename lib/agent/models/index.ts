import type { Endpoint } from './endpoint.js'
import type { ChatTransport } from './transport.js'

export { endpointSchema, type Endpoint } from './endpoint.js'
export type { ChatOutcome, ChatRequest, ChatTransport } from './transport.js'

/** A client of the endpoint; one per thread is kept and shared by its jobs. */
export function createChatTransport(endpoint: Endpoint): ChatTransport {
  throw new Error(`no client for ${endpoint.provider} endpoints in this build`)
}
