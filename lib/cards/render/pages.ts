import { concat, type Component, type Message } from '../../text/index.js'
import type { CardAction, CardView } from '../index.js'
import { componentBytes, Flow, leavesOf } from './flow.js'

/** What belongs together: stays on one page if one page can hold it, and flows over several if not. */
export interface Block {
  readonly component: Component
  /** Counts against the entries of a page. */
  readonly isEntry?: boolean
  /** Begins a page. */
  readonly isSection?: boolean
}

/** A block that has been laid out in lines of a page's width. */
export interface Measured extends Pick<Block, 'component' | 'isSection'> {
  /** Made again when it is wanted, which is seldom: kept, it would be most of what a card takes. */
  readonly flow: () => Flow
  readonly need: Room
}

export function measured(
  { component, isEntry, isSection = false }: Block,
  { width }: Pick<Bounds, 'width'>,
): Measured {
  const flow = (): Flow => new Flow(component, width)
  const need = { rows: flow().rows(), bytes: componentBytes(component), entries: isEntry === true ? 1 : 0 }
  return { component, isSection, flow, need }
}

/** What a page holds, or what is left of one. */
interface Room {
  /** Lines. */
  readonly rows: number
  readonly bytes: number
  readonly entries: number
}

/** What one page holds at most. */
export interface Bounds extends Room {
  /** Pixels of a line. */
  readonly width: number
}

/** Blocks on pages. */
export interface Pages {
  /** At least one; each is a list of what stands below one another. */
  readonly pages: readonly (readonly Component[])[]
  /** The page on which each section begins. */
  readonly sections: readonly number[]
}

/** The names of the card's sections, in their order. */
export const sectionLabels = ({ lines }: CardView): readonly Message[] =>
  lines.flatMap((line) => (line.kind === 'section' ? [line.label] : []))

/** The way to a section. */
interface Way {
  readonly label: Message
  /** Null: it is here. */
  readonly action: CardAction | null
}

/** The ways to the sections around the one that the page belongs to, where there are several. */
export function waysTo(
  labels: readonly Message[],
  { sections, page }: Pick<Pages, 'sections'> & { readonly page: number },
  most: number,
): readonly Way[] {
  if (labels.length < 2) return []
  const here = sections.findLastIndex((first) => first <= page)
  const from = Math.max(0, Math.min(here - Math.floor(most / 2), labels.length - most))
  return labels.slice(from, from + most).map((label, index): Way => {
    const section = from + index
    const show = { page: sections[section] ?? 0 }
    return { label, action: section === here ? null : { kind: 'local', show } }
  })
}

/** Whether the blocks are one page that has so much room. */
export function isOnePage(blocks: readonly Measured[], room: Room): boolean {
  const all = { rows: 0, bytes: 0, entries: 0 }
  for (const [index, { need, isSection }] of blocks.entries()) {
    if (isSection === true && index > 0) return false
    all.rows += need.rows
    all.bytes += need.bytes
    all.entries += need.entries
  }
  return fits(all, room)
}

/** A long text isn't begun on what is left of a page if that is less. */
const MIN_BEGINNING = 3

/** Divides the blocks into pages: everything is on some page, in its order. */
export function paginate(blocks: readonly Measured[], bounds: Room): Pages {
  const pager = new Pager(bounds)
  for (const block of blocks) pager.add(block)
  return pager
}

class Pager implements Pages {
  readonly pages: Component[][] = [[]]
  readonly sections: number[] = []
  readonly #bounds: Room
  #left: Room

  constructor(bounds: Room) {
    this.#bounds = bounds
    this.#left = bounds
  }

  add({ component, isSection, flow, need }: Measured): void {
    if (isSection === true) {
      this.#turn()
      this.sections.push(this.pages.length - 1)
    }
    if (!fits(need, this.#left) && fits(need, this.#bounds)) this.#turn()
    if (fits(need, this.#left)) this.#take(component, need)
    else this.#flow(flow(), need.entries)
  }

  #turn(): void {
    if (this.pages.at(-1)?.length !== 0) this.pages.push([])
    this.#left = this.#bounds
  }

  #take(component: Component, need: Room): void {
    this.pages.at(-1)?.push(component)
    const { rows, bytes, entries } = this.#left
    this.#left = { rows: rows - need.rows, bytes: bytes - need.bytes, entries: entries - need.entries }
  }

  /** On as many pages as it takes. */
  #flow(flow: Flow, entries: number): void {
    if (this.#left.rows < MIN_BEGINNING) this.#turn()
    for (let start = 0; start < flow.lines;) {
      let end = start + 1
      let need = needOf(flow, start, entries)
      if (!fits(need, this.#left)) this.#turn()
      // the first line is taken in any case, so that this ends
      for (; end < flow.lines; end += 1) {
        const more = needOf(flow, end, entries)
        const both = { rows: need.rows + more.rows, bytes: need.bytes + more.bytes, entries }
        if (!fits(both, this.#left)) break
        need = both
      }
      const part = flow.part(start, end)
      // one line alone: what is too much of it is what its words show when they are pointed at
      this.#take(need.bytes > this.#bounds.bytes ? withoutHover(part) : part, need)
      start = end
    }
  }
}

const withoutHover = (component: Component): Component =>
  concat(
    leavesOf(component).map((leaf) => {
      const { hoverEvent: _, ...rest } = leaf
      return rest
    }),
  )

const needOf = (flow: Flow, line: number, entries: number): Room => ({
  rows: flow.rows(line, line + 1),
  bytes: componentBytes(flow.part(line, line + 1)),
  entries,
})

const fits = (need: Room, room: Room): boolean =>
  need.rows <= room.rows && need.bytes <= room.bytes && need.entries <= room.entries
