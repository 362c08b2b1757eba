export { createChatTransport, type Exchange } from './chat-transport.js'
export { endpointSchema, type Endpoint } from './endpoint.js'
export type { ChatOutcome, ChatRequest, ChatTransport, ReplyShape } from './transport.js'
