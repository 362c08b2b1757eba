/** What a vanilla client shows of windows and items, kept from the packets that it gets. */
import type { Component } from '../../lib/text/index.js'
import { decodeComponent, simplify } from './component.js'
import type { RawClient } from './squid.js'

export interface WireItem {
  readonly present?: boolean
  readonly itemCount?: number
  readonly itemId?: number
  readonly nbtData?: unknown
  readonly components?: readonly { readonly type: string; readonly data?: unknown }[]
}

interface ShownWindow {
  readonly id: number
  readonly type: number
  readonly title: unknown
  items: (WireItem | undefined)[]
}

const GARBAGE: WireItem = { present: true, itemId: -1, itemCount: 77 }
const SLOTS = 46
const OWN = { first: 9, end: 45, count: 36 } as const

/** `1x3` for three of the item 1, `-` for none. */
export const short = (item: WireItem | undefined): string =>
  item === undefined || item.present === false || (item.itemCount ?? 0) === 0
    ? '-'
    : `${item.itemId}x${item.itemCount}`

/** Name, lore and look of an item, of both eras. */
export function readItem(item: WireItem | undefined): {
  name: Component
  lore: Component[]
  isMarked: boolean
} {
  if (item?.components !== undefined) {
    const of = (type: string): unknown => item.components?.find((component) => component.type === type)?.data
    return {
      name: decodeComponent(of('custom_name')),
      lore: ((of('lore') ?? []) as unknown[]).map(decodeComponent),
      isMarked: of('enchantment_glint_override') === true,
    }
  }
  const tag = simplify(item?.nbtData) as {
    display: { Name: string; Lore?: string[] }
    Enchantments?: unknown[]
  }
  return {
    name: decodeComponent(tag.display.Name),
    lore: (tag.display.Lore ?? []).map(decodeComponent),
    isMarked: (tag.Enchantments?.length ?? 0) > 0,
  }
}

/** A written book, of both eras. */
export interface ReadBook {
  readonly title: string
  readonly pages: readonly Component[]
}

export function readBook(item: WireItem): ReadBook {
  const content = item.components?.find(({ type }) => type === 'written_book_content')?.data as
    { rawTitle: string; pages: { content: unknown }[] } | undefined
  if (content !== undefined)
    return { title: content.rawTitle, pages: content.pages.map((one) => decodeComponent(one.content)) }
  const tag = simplify(item.nbtData) as { title: string; pages: string[]; resolved: number }
  return { title: tag.title, pages: tag.pages.map(decodeComponent) }
}

/** A client's view. Its own guesses after a click are as wrong as can be: the server has to put each of them right. */
export class ClientView {
  window: ShownWindow | null = null
  inventory: (WireItem | undefined)[] = []
  cursor: WireItem | undefined = { present: false }
  stateId = 0

  constructor(private readonly client: RawClient) {
    client.on('packet', (data: Record<string, unknown>, { name, state }: { name: string; state: string }) => {
      if (state === 'play') this.#take(name, data)
    })
  }

  /** Clicks as the version does; afterwards this client believes nonsense about everything it shows. */
  click(slot: number, mouseButton: number, mode: number, over: Record<string, unknown> = {}): void {
    const nothing = { present: false, itemCount: 0 }
    this.client.write('window_click', {
      windowId: this.window?.id ?? 0,
      stateId: this.stateId,
      slot,
      mouseButton,
      action: 1,
      mode,
      item: nothing,
      changedSlots: [],
      cursorItem: nothing,
      ...over,
    })
    this.guessWrong()
  }

  guessWrong(): void {
    this.inventory = Array.from({ length: SLOTS }, () => GARBAGE)
    this.cursor = GARBAGE
    if (this.window !== null) this.window.items = this.window.items.map(() => GARBAGE)
  }

  /** The own slots of the window above the player's. */
  get top(): (WireItem | undefined)[] {
    return this.window?.items.slice(0, -OWN.count) ?? []
  }

  /** The player's part of the window. */
  get lower(): string[] {
    return this.window?.items.slice(-OWN.count).map(short) ?? []
  }

  /** What it holds, all slots and the cursor. */
  get things(): string {
    return [...this.inventory.map(short), `cursor ${short(this.cursor)}`].join(' ')
  }

  #take(name: string, data: Record<string, unknown>): void {
    const { windowId, slot } = data as { windowId?: number; slot?: number }
    if (name === 'open_window')
      this.window = {
        id: windowId ?? -1,
        type: Number(data['inventoryType']),
        title: data['windowTitle'],
        items: [],
      }
    else if (name === 'close_window') this.window = null
    else if (name === 'window_items') this.#items(windowId ?? -1, data)
    else if (name === 'set_slot') this.#slot(windowId ?? -1, slot ?? -1, data)
  }

  #items(windowId: number, data: Record<string, unknown>): void {
    const items = data['items'] as WireItem[]
    if (windowId === 0) this.inventory = [...items]
    else if (windowId === this.window?.id) {
      this.window.items = [...items]
      this.inventory.splice(OWN.first, OWN.count, ...items.slice(-OWN.count))
      this.stateId = Number(data['stateId'] ?? 0)
    } else return
    if (data['carriedItem'] !== undefined) this.cursor = data['carriedItem'] as WireItem
  }

  #slot(windowId: number, slot: number, data: Record<string, unknown>): void {
    const item = data['item'] as WireItem
    if (windowId === -1) this.cursor = item
    // while a window is open, vanilla takes only the hot bar of window 0
    else if (windowId === 0 && (this.window === null || slot >= 36)) this.inventory[slot] = item
    else if (windowId === this.window?.id) {
      this.window.items[slot] = item
      const own = slot - (this.window.items.length - OWN.count)
      if (own >= 0) this.inventory[OWN.first + own] = item
      this.stateId = Number(data['stateId'] ?? 0)
    }
  }
}
