export { renderChat, TONE_COLORS } from './chat.js'
export type { RenderOptions } from './options.js'
export { renderPlain } from './plain.js'
export type { WindowPage, WindowSlot } from './screens.js'
