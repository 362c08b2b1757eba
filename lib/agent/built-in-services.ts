import type { Clock } from '../core/clock.js'
import type { Logger } from '../core/logger.js'
import type { ChatProviders } from './chat-providers.js'
import { serviceKey } from './services.js'
import type { TraceStream } from './trace/index.js'

/** Time and timers of this server; in tests they are moved by hand. */
export const CLOCK = serviceKey<Clock>('system:clock')
/** The System's log. Ids, codes and sizes only, never a text of a player or a model. */
export const LOGGER = serviceKey<Logger>('system:logger')
/** The trace, as `serv.system.onTrace` gives it. */
export const TRACE = serviceKey<Pick<TraceStream, 'on'>>('system:trace')
/** What answers free chat in place of a model. */
export const CHAT = serviceKey<Pick<ChatProviders, 'answer'>>('system:chat')
