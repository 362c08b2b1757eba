/** A player at a client whose windows and books a test looks at as a player does: by what they say. */
import { componentText } from '../../lib/text/index.js'
import { ClientView, readBook, readItem, short, type ReadBook, type WireItem } from './client-view.js'
import { decodeComponent } from './component.js'
import type { ShiftedClock } from './shifted-clock.js'
import { nextEvent } from './squid.js'
import { joinReader, type Reader, type SystemServer } from './system.js'

/** Clicks that come sooner after a change are those of a client that hasn't seen it. */
const UNHURRIED_MS = 300

export class ScreenSeat {
  readonly reader: Reader
  readonly view: ClientView
  readonly #clock: ShiftedClock

  private constructor(reader: Reader, clock: ShiftedClock) {
    this.reader = reader
    this.view = new ClientView(reader.client)
    this.#clock = clock
  }

  /** Joins; the line that tells of the grant has been taken. */
  static async join(
    t: { teardown(fn: () => unknown): void },
    system: SystemServer & { readonly clock: ShiftedClock },
    name: string,
  ): Promise<ScreenSeat> {
    const seat = new ScreenSeat(await joinReader(t, system, name), system.clock)
    await seat.reader.next()
    return seat
  }

  /** The text of the next message after the line. */
  ask(line: string): Promise<string> {
    return this.reader.askText(line)
  }

  /** The title of what is open; null: nothing is. */
  get title(): string | null {
    return this.view.window === null ? null : componentText(decodeComponent(this.view.window.title))
  }

  /** What the slots of the window say, by what they are called. */
  get slots(): ReadonlyMap<string, { readonly at: number; readonly lore: string; readonly icon: number }> {
    return new Map(
      this.view.top.flatMap((item, at) => {
        // after a click it holds nonsense until the server has put it right
        if (item === undefined || short(item) === '-' || item.itemId === -1) return []
        const { name, lore } = readItem(item)
        const icon = item.itemId ?? -1
        return [[componentText(name), { at, lore: lore.map(componentText).join('\n'), icon }] as const]
      }),
    )
  }

  /** Clicks on what is called so, and waits for none of what follows. */
  press(name: string): void {
    const slot = this.slots.get(name)
    if (slot === undefined) throw new Error(`nothing called ${name} in ${this.#seen}`)
    this.#clock.advance(UNHURRIED_MS)
    this.view.click(slot.at, 0, 0)
  }

  /** What a slot or button is called that says so. */
  named(words: RegExp): string {
    const found = [...this.slots.keys()].find((name) => words.test(name))
    if (found === undefined) throw new Error(`nothing like ${String(words)} in ${this.#seen}`)
    return found
  }

  /** Waits until the window is as wanted. */
  async sees(what: string, isSo: (seat: this) => boolean): Promise<void> {
    if (isSo(this)) return
    await nextEvent(this.reader.client, 'packet', () => isSo(this), 5_000).catch(() => {
      throw new Error(`${this.reader.client.username} doesn't see ${what}, but ${this.#seen}`)
    })
  }

  get #seen(): string {
    return `${this.title ?? 'no window'}: ${[...this.slots.keys()].join(', ')}`
  }

  /** Closes the window as a client does. */
  close(): void {
    this.reader.client.write('close_window', { windowId: this.view.window?.id ?? 0 })
    this.view.window = null
  }

  /** The next book that is opened after `act` has been done. */
  async book(act: () => void): Promise<ReadBook> {
    const { received } = this.reader.client
    const from = received.length
    const opened = nextEvent(this.reader.client, 'packet', () =>
      received.slice(from).some(({ name }) => name === 'open_book'),
    )
    act()
    await opened
    const slots = received.slice(from).filter(({ name }) => name === 'set_slot')
    const book = slots.map(({ data }) => data['item'] as WireItem).find((item) => isBook(item))
    if (book === undefined) throw new Error('a book without pages')
    return readBook(book)
  }
}

const isBook = ({ components, nbtData }: WireItem): boolean =>
  components?.some(({ type }) => type === 'written_book_content') === true ||
  JSON.stringify(nbtData ?? null).includes('"pages"')
