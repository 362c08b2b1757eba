import { bookOpener, type ShownBook } from './book.js'
import { Windows, type WindowsParts } from './windows.js'
import type { SquidPlayer } from '../types.js'

/** What a player can be shown beside the chat. */
export interface Screens {
  readonly windows: Windows
  /** False: it can't be opened on the client. */
  openBook(player: SquidPlayer, book: ShownBook): boolean
}

/** The screens of a server; there is one such object for each shield. */
export function openScreens(parts: WindowsParts): Screens {
  const windows = new Windows(parts)
  return { windows, openBook: bookOpener(parts, windows) }
}
