import type { z } from 'zod'
import type { Identifier } from '../core/ids.js'
import type { CardSurface } from '../core/own-settings.js'
import type { Component, Message } from '../text/index.js'

/** Names one card of one player. The revision grows by one with each replacement; older buttons are dead. */
export interface CardRef {
  readonly id: string
  readonly revision: number
}

/** What pressing a button does. */
export type CardAction =
  /** Asks the module for `action`; its routing turns the parameters back into the typed action. */
  | {
      readonly kind: 'server'
      readonly module: Identifier
      readonly params: Readonly<Record<string, string>>
      /** The action itself, as JSON, in the place of what the routing makes of the parameters. */
      readonly input?: unknown
    }
  /** Puts a command into the chat box, for the player to complete. */
  | { readonly kind: 'suggest'; readonly command: string }
  /**
   * Changes how this very card is shown, and asks nobody: another page (from 0), none of it any more, or the card it came
   * from; or pins it.
   */
  | { readonly kind: 'local'; readonly show: { readonly page: number } | 'close' | 'back' | 'pin' }

/** A button of a card. */
export interface CardButton {
  /** What it is called whatever the language is, unique on its card; e.g. `buy`. */
  readonly id?: string
  /** Among the lines of the body, or (default) in the last row, which every page has. */
  readonly place?: 'body' | 'footer'
  /** What it looks like in a window. */
  readonly icon?: Identifier
  readonly label: Message
  readonly hover?: Message
  readonly action: CardAction
}

/** An item: renderers name it in the client's language and show the id in the hover. */
export interface CardItem {
  readonly item: Identifier
  /** English, for clients that don't know the item. */
  readonly name: string
  readonly count?: number
}

/** One of a list, which can be pressed where it has an action. */
export interface CardEntry {
  readonly icon?: CardItem
  readonly title: CardValue
  readonly about?: readonly CardValue[]
  readonly action?: CardAction
  readonly tone?: CardTone
  /** Stands out. */
  readonly isMarked?: boolean
}

/** What stands beside a label. Strings are literal text of a model, a player or the world. */
export type CardValue = Message | Component | CardItem | string

/** One line of a card's body. */
export type CardLine =
  /** A sentence of the language files. */
  | { readonly kind: 'message'; readonly message: Message; readonly tone?: CardTone }
  /** Text of a model, a player or the world: shown literally. */
  | { readonly kind: 'text'; readonly text: string; readonly tone?: CardTone }
  /** A label with its value or values; clicking the label puts `suggest` into the chat box. */
  | {
      readonly kind: 'row'
      readonly label: Message
      readonly value: CardValue | readonly CardValue[]
      readonly tone?: CardTone
      readonly suggest?: string
    }
  /** An item alone. */
  | ({ readonly kind: 'item' } & CardItem)
  /** One of a list: a slot of a window, with its lines as lore; a line with its lines beneath elsewhere. */
  | ({ readonly kind: 'entry' } & CardEntry)
  /** How far something is, from 0 to 1. */
  | { readonly kind: 'progress'; readonly label?: Message; readonly share: number; readonly tone?: CardTone }
  | { readonly kind: 'separator' }
  /** Begins a page of its own, with a button that leads there. */
  | { readonly kind: 'section'; readonly label: Message }

/** How a line looks: renderers choose the colours. */
export type CardTone = 'normal' | 'muted' | 'good' | 'bad' | 'accent'

/** Presentation out of business data: what every renderer draws. */
export interface CardView {
  /** Where the card has to be shown, whatever its reader prefers; chat stands in where that isn't possible. */
  readonly surface?: CardSurface
  readonly title: Message | null
  readonly lines: readonly CardLine[]
  readonly buttons: readonly CardButton[]
}

/** A card as it is stored and sent: its type's id and the type's own data. */
export interface CardData {
  readonly type: Identifier
  readonly data: unknown
}

/** A kind of card. `build` and `parameters` are pure; `memoryFact` says in English what a later model call may know of it. */
export interface CardType<D = unknown> {
  readonly id: Identifier
  readonly schema: z.ZodType<D>
  /** Shown instead of a card whose data or template is broken. */
  readonly summary?: Message
  build(data: D): CardView
  /** What templates of packs may name; the data themselves if it is absent. Plain values, as JSON has them. */
  parameters?(data: D): unknown
  memoryFact?(data: D): string
}

/** A card of the type with data that the type's schema holds. */
export const cardOf = <D>(type: CardType<D>, data: D): CardData => ({ type: type.id, data })

/** What a result does to a card: SHOW and REPLACE carry data, REMOVE takes the reference only. */
export type CardUpdate =
  | { readonly mode: 'SHOW'; readonly card: CardData }
  | { readonly mode: 'REPLACE'; readonly ref: CardRef; readonly card: CardData }
  | { readonly mode: 'REMOVE'; readonly ref: CardRef }
