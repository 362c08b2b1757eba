import { renderChat, renderPlain } from '../../../lib/cards/render/index.js'
import type { Renderers, CardScreens } from './ports.js'

/** The renderers there are. */
export const RENDERERS: Renderers = {
  chat: (view, options) => ({ component: renderChat(view, options), pages: 1 }),
  plain: (view, options) => renderPlain(view, options),
  book: () => ({ title: '', pages: [] }),
  window: () => ({ window: { title: { text: '' }, rows: 1, slots: new Map() }, pages: 1 }),
}

/** Where nothing but the chat is. */
export const NO_SCREENS: CardScreens = {
  windows: { open: () => null, replace: () => false, close: () => {}, openId: () => null },
  openBook: () => {},
}
