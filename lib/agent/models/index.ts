export { createChatTransport } from './chat-transport.js'
export { endpointSchema, type Endpoint } from './endpoint.js'
export type { ChatOutcome, ChatRequest, ChatTransport } from './transport.js'
