export { MAX_RESPONSE_BYTES, ResponseReader, splitResponse } from './frames.js'
export {
  CHANNEL_PROTOCOL,
  channelRequestSchema,
  decodeRequest,
  usageRequestSchema,
  type BadRequest,
  type ChannelRequest,
  type UsageRequest,
} from './request.js'
export type { ChannelButton, ChannelCard, ChannelResponse, UsageResponse } from './response.js'
