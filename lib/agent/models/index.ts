export { createChatTransport, type ChatTransportDeps } from './chat-transport.js'
export { endpointSchema, providerNameSchema, type Endpoint, type ProviderName } from './endpoint.js'
export { PROVIDERS, type ProviderRow, type UsagePath } from './provider.js'
export type { ChatOutcome, ChatRequest, ChatTransport } from './transport.js'
