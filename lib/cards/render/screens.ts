import type { Identifier } from '../../core/ids.js'
import type { Component } from '../../text/index.js'

/** One slot of a chest window, as it is to be seen: an item that nobody can take. */
export interface WindowSlot {
  readonly icon: Identifier
  /** 1 to 64. */
  readonly count: number
  /** Clients draw it in italics, and lore in purple, unless it says otherwise. */
  readonly name: Component
  readonly lore: readonly Component[]
  readonly isMarked?: boolean
  /** What pressing it uses up; undefined: pressing does nothing. */
  readonly token?: string
}

/** One page of a card as a chest window. */
export interface WindowPage {
  readonly title: Component
  readonly rows: 1 | 2 | 3 | 4 | 5 | 6
  /** From 0, below `9 * rows`; slots that are missing are empty. */
  readonly slots: ReadonlyMap<number, WindowSlot>
}
