import type { Component } from '../../../lib/text/index.js'
import { HOTBAR, safeWrite } from '../shield/index.js'
import type { SquidPlayer } from '../types.js'
import { wireItems } from './wire-items.js'
import type { Windows, WindowsParts } from './windows.js'

/** A book to read. */
export interface ShownBook {
  /** At most 32 characters: vanilla shows no book with a longer one. */
  readonly title: string
  /** At most a hundred. */
  readonly pages: readonly Component[]
}

const MAIN_HAND = 0
const HELD_SLOTS = 9

/**
 * Opens a book on the client: it holds the book for as long as three packets take, and the server's inventory never does.
 * A window of ours is closed first. False: the client can't be told of it, and nothing was opened.
 */
export function bookOpener(
  { serv, shield: { sync } }: Pick<WindowsParts, 'serv' | 'shield'>,
  windows: Pick<Windows, 'dismiss'>,
): (player: SquidPlayer, book: ShownBook) => boolean {
  const items = wireItems(serv)
  return (player, book) => {
    if (player.disconnected === true || player.inventory === undefined) return false
    const held = Math.min(HELD_SLOTS - 1, Math.max(0, Math.trunc(player.heldItemSlot) || 0))
    const slot = HOTBAR + held
    const show = (item: unknown): boolean => sync.showSlot(player, { windowId: 0, slot, item }) === 'sent'
    const real = sync.wire(player.inventory.slots[slot] ?? null)
    // a stack that can't be told of couldn't be shown again afterwards
    if (!show(real)) return false
    windows.dismiss(player)
    if (!show(items.book(book))) return false
    safeWrite(player._client, 'open_book', { hand: MAIN_HAND })
    show(real)
    return true
  }
}
