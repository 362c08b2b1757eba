import type { EventEmitter } from 'node:events'
import type { WindowPage } from '../../../lib/cards/render/index.js'
import type { Clock } from '../../../lib/core/clock.js'
import type { Logger } from '../../../lib/core/logger.js'
import {
  FIRST_MAIN,
  isWithinDrag,
  OFF_HAND,
  OWN_WINDOWS,
  playerInternals,
  safeWrite,
  statesBetween,
  type InventorySync,
  type WindowGate,
  type WindowOwner,
} from '../shield/index.js'
import { encodeComponent, textEra, type TextEra } from '../text/index.js'
import type { SquidPlayer, SquidServer } from '../types.js'
import { wireItems, type WireItems } from './wire-items.js'

/** What whoever opened a window hears of it. */
export interface WindowEvents {
  /** A slot with this token was pressed. */
  onPress(token: string): void
  /** It isn't shown any more: closed by the client, covered by something else, or its player has gone. Never by `close`. */
  onClose(): void
}

/** What windows stand on. */
export interface WindowsParts {
  readonly serv: SquidServer
  readonly clock: Clock
  readonly logger: Logger
  readonly shield: { readonly sync: InventorySync; readonly windows: Pick<WindowGate, 'own'> }
}

interface OpenWindow {
  readonly id: number
  readonly events: WindowEvents
  /** The host's own window by then: another one later covers this. */
  readonly hostWindow: number | undefined
  /** The world by then: clients close everything on the way to another one, and don't say so. */
  readonly world: unknown
  page: WindowPage
  /** The page's slots as they are sent. */
  top: readonly unknown[]
  /** What can't change without a new window: rows and title. */
  frame: string
  /** The state that began with the window, and the one that began with what it shows now. */
  firstState: number
  contentState: number
  /** When that began, in monotonic milliseconds; long ago for what was opened so. */
  changedAt: number
  pressed: { readonly token: string; readonly at: number } | null
  release(): void
}

const COLUMNS = 9
const TITLE_BUDGET_BYTES = 1_024
/** What a client without states has clicked within this time after a change, it has clicked in what was there before. */
const GRACE_MS = 250
/** A double click is one press. */
const DOUBLE_CLICK_MS = 250

/**
 * Chest windows whose items are pictures: a plain click on one with a token presses it, everything else only shows the
 * client again what is. No click moves anything, in these windows or in the player's part of them.
 */
export class Windows implements WindowOwner {
  readonly #parts: WindowsParts
  readonly #era: TextEra
  readonly #items: WireItems
  readonly #open = new Map<SquidPlayer, OpenWindow>()
  readonly #lastIds = new WeakMap<SquidPlayer, number>()
  /** The press that runs, with what of its player's screen has been put right since it began. */
  #press: { readonly player: SquidPlayer; shown: 'nothing' | 'window' | 'all' } | null = null

  constructor(parts: WindowsParts) {
    this.#parts = parts
    this.#era = textEra(parts.serv)
    this.#items = wireItems(parts.serv)
    parts.shield.windows.own(this)
  }

  /** Opens a window in place of what is open, whose `onClose` runs. Null: the client has gone, or can't be shown this. */
  open(player: SquidPlayer, page: WindowPage, events: WindowEvents): number | null {
    if (player.disconnected === true || player.inventory === undefined) return null
    const id = this.#nextId(player)
    const frame = this.#frame(page)
    const before = this.#current(player)
    if (this.#sendFrame(player, id, page) !== 'sent') return null
    // the host's own chest is covered
    Object.assign(playerInternals(player), { windowType: '', windowPos: undefined })
    const open: OpenWindow = {
      id,
      events,
      hostWindow: playerInternals(player).windowId,
      world: player.world,
      page,
      top: this.#top(page),
      frame,
      firstState: 0,
      contentState: 0,
      changedAt: -Infinity,
      pressed: null,
      release: () => {},
    }
    this.#open.set(player, open)
    open.firstState = open.contentState = this.#show(player, open)
    open.release = this.#follow(player, open)
    if (before !== undefined) this.#tellClosed(before)
    return id
  }

  /** Shows another page in the same window. False: it isn't open any more. */
  replace(player: SquidPlayer, windowId: number, page: WindowPage): boolean {
    const open = this.#current(player)
    if (open?.id !== windowId) return false
    const frame = this.#frame(page)
    const top = this.#top(page)
    const isSameFrame = frame === open.frame
    const isChanged = !isSameFrame || JSON.stringify(top) !== JSON.stringify(open.top)
    Object.assign(open, { page, frame, top, pressed: null })
    if (!isSameFrame && this.#sendFrame(player, open.id, page) !== 'sent') return false
    const state = this.#show(player, open)
    if (isChanged) Object.assign(open, { contentState: state, changedAt: this.#parts.clock.monotonic() })
    return true
  }

  /** Closes it without a word to who opened it. Nothing happens when another one is open, or none. */
  close(player: SquidPlayer, windowId: number): void {
    const open = this.#current(player)
    if (open?.id === windowId) this.#end(player, open)
  }

  /** Closes whatever of ours is open, and tells who opened it: something else comes in its place. */
  dismiss(player: SquidPlayer): void {
    const open = this.#current(player)
    if (open === undefined) return
    this.#end(player, open)
    this.#tellClosed(open)
  }

  openId(player: SquidPlayer): number | null {
    return this.#current(player)?.id ?? null
  }

  /** Closes all windows, without a word: there are none any more. */
  stop(): void {
    for (const [player, open] of this.#open) this.#end(player, open)
    this.#parts.shield.windows.own(null)
  }

  click(player: SquidPlayer, click: Readonly<Record<string, unknown>>): void {
    const { sync } = this.#parts.shield
    const open = this.#current(player)
    const token = open === undefined ? null : this.#pressedBy(open, click)
    sync.answer(player._client, click, false)
    if (open === undefined || token === null) {
      if (!isWithinDrag(click)) sync.resync(player)
      return
    }
    // most presses show another page: only the rest of what the client guessed wrong is to be shown after that
    this.#press = { player, shown: 'nothing' }
    this.#guarded('a press in a window', () => open.events.onPress(token))
    if (this.#press.shown !== 'all') sync.resync(player)
    this.#press = null
  }

  closed(player: SquidPlayer, windowId: number): void {
    const open = this.#current(player)
    if (open?.id !== windowId) return
    this.#forget(player, open)
    this.#parts.shield.sync.resync(player)
    this.#tellClosed(open)
  }

  show(player: SquidPlayer): boolean {
    const open = this.#current(player)
    if (open === undefined) return false
    if (this.#press?.player !== player || this.#press.shown === 'nothing') this.#show(player, open)
    return true
  }

  /** What the player has open of ours; a chest of the host that was opened later covers it, another world ends it. */
  #current(player: SquidPlayer): OpenWindow | undefined {
    const open = this.#open.get(player)
    if (open === undefined) return open
    if (playerInternals(player).windowId === open.hostWindow && player.world === open.world) return open
    this.#forget(player, open)
    this.#tellClosed(open)
    return undefined
  }

  #pressedBy(open: OpenWindow, click: Readonly<Record<string, unknown>>): string | null {
    const { windowId, mode, mouseButton, slot, stateId } = click
    if (windowId !== open.id || (mode !== 0 && mode !== 1)) return null
    if ((mouseButton !== 0 && mouseButton !== 1) || typeof slot !== 'number') return null
    if (slot >= COLUMNS * open.page.rows || this.#isOutdated(open, stateId)) return null
    const token = open.page.slots.get(slot)?.token
    if (token === undefined) return null
    const at = this.#parts.clock.monotonic()
    const isSecond = open.pressed?.token === token && at - open.pressed.at < DOUBLE_CLICK_MS
    open.pressed = { token, at }
    return isSecond ? null : token
  }

  /** Whether the client clicked in what was there before. */
  #isOutdated({ firstState, contentState, changedAt }: OpenWindow, stateId: unknown): boolean {
    // the host's own messages say 0: a client that takes every message for one about this window is at no state of it
    if (typeof stateId === 'number' && stateId !== 0)
      return statesBetween(firstState, stateId) < statesBetween(firstState, contentState)
    return this.#parts.clock.monotonic() - changedAt < GRACE_MS
  }

  #nextId(player: SquidPlayer): number {
    const last = this.#lastIds.get(player) ?? OWN_WINDOWS.last
    const id = last >= OWN_WINDOWS.last ? OWN_WINDOWS.first : last + 1
    this.#lastIds.set(player, id)
    return id
  }

  #frame({ rows, title }: WindowPage): string {
    return JSON.stringify([rows, title])
  }

  #top({ rows, slots }: WindowPage): readonly unknown[] {
    const nothing = this.#parts.shield.sync.wire(null)
    return Array.from({ length: COLUMNS * rows }, (_, at) => {
      const slot = slots.get(at)
      return slot === undefined ? nothing : this.#items.slot(slot)
    })
  }

  #sendFrame(player: SquidPlayer, windowId: number, { rows, title }: WindowPage): string {
    const windowTitle = encodeComponent(title, this.#era, TITLE_BUDGET_BYTES)
    return safeWrite(player._client, 'open_window', { windowId, inventoryType: rows - 1, windowTitle })
  }

  #show(player: SquidPlayer, { id, top }: OpenWindow): number {
    if (this.#press?.player === player && this.#press.shown === 'nothing') this.#press.shown = 'window'
    return this.#parts.shield.sync.showWindow(player, id, top)
  }

  /** Until the window is gone: what changes in the inventory is shown in it, and its player's end is its own. */
  #follow(player: SquidPlayer, open: OpenWindow): () => void {
    const { sync } = this.#parts.shield
    const inventory = player.inventory as unknown as EventEmitter
    const onSlot = (slot: number): void => {
      if (slot < FIRST_MAIN || slot >= OFF_HAND) return
      const place = open.top.length + slot - FIRST_MAIN
      const item = sync.wire(player.inventory?.slots[slot] ?? null)
      sync.showSlot(player, { windowId: open.id, slot: place, item })
    }
    const onGone = (): void => {
      this.#forget(player, open)
      this.#tellClosed(open)
    }
    // who dies sees no window any more, and no client says so: it asks to live again, out of another screen
    const onRespawn = (): void => this.dismiss(player)
    inventory.on('updateSlot', onSlot)
    player.once('disconnected', onGone)
    player._client.once('client_command', onRespawn)
    // with the host's respawn repaired the packet ends there, and this is what comes of it
    player.once('requestRespawn', onRespawn)
    return () => {
      inventory.removeListener('updateSlot', onSlot)
      player.removeListener('disconnected', onGone)
      player._client.removeListener('client_command', onRespawn)
      player.removeListener('requestRespawn', onRespawn)
    }
  }

  #end(player: SquidPlayer, open: OpenWindow): void {
    this.#forget(player, open)
    safeWrite(player._client, 'close_window', { windowId: open.id })
    this.#parts.shield.sync.resync(player)
    if (this.#press?.player === player) this.#press.shown = 'all'
  }

  #forget(player: SquidPlayer, open: OpenWindow): void {
    open.release()
    if (this.#open.get(player) === open) this.#open.delete(player)
  }

  #tellClosed(open: OpenWindow): void {
    open.release()
    this.#guarded('the end of a window', () => open.events.onClose())
  }

  #guarded(what: string, run: () => void): void {
    try {
      run()
    } catch (thrown) {
      this.#parts.logger.error(`windows: ${what} failed`, thrown)
    }
  }
}
