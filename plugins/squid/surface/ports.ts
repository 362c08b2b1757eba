import type { Ask } from '../../../lib/agent/index.js'
import type { CardRef, CardView } from '../../../lib/cards/index.js'
import type { RenderOptions, WindowPage } from '../../../lib/cards/render/index.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import type { Component } from '../../../lib/text/index.js'
import type { SquidPlayer } from '../types.js'

/** Who a card is shown to. */
export interface Reader {
  readonly player: SquidPlayer
  readonly id: PlayerId
}

/** What brought a card about. */
export interface Origin {
  /** The card whose button was pressed. */
  readonly card?: CardRef
  /** What was asked, so that it can be asked anew. */
  readonly ask?: Ask
  /** Nobody asked: nothing opens in front of who is at something else. */
  readonly isUnasked?: true
}

/** What a window tells. */
export interface WindowEvents {
  onPress(token: string): void
  /** By the client, by another window, at quit; never by our own `close`. */
  onClose(): void
}

/** Chest windows of players. */
export interface WindowPort {
  /** The window's id; null: the client is gone. */
  open(player: SquidPlayer, page: WindowPage, events: WindowEvents): number | null
  /** In place; reopened, without `onClose`, where rows or title are others. False: that window isn't open. */
  replace(player: SquidPlayer, windowId: number, page: WindowPage): boolean
  close(player: SquidPlayer, windowId: number): void
  openId(player: SquidPlayer): number | null
}

/** A book as it is read. */
export interface BookPages {
  readonly title: string
  readonly pages: readonly Component[]
}

/** Where cards can be shown beside the chat. */
export interface Screens {
  readonly windows: WindowPort
  openBook(player: SquidPlayer, book: BookPages): void
}

type Paged = RenderOptions & { readonly page: number }

/** What draws a card. */
export interface Renderers {
  chat(view: CardView, options: Paged): { readonly component: Component; readonly pages: number }
  plain(view: CardView, options: Paged): readonly string[]
  book(view: CardView, options: Paged): BookPages
  window(view: CardView, options: Paged): { readonly window: WindowPage; readonly pages: number }
}
