import type { CardTone, CardUpdate } from '../cards/index.js'
import type { Identifier, PlayerId } from '../core/ids.js'
import type { Message } from '../text/index.js'

/** From what can be left out to what is kept waiting by nothing but a screen. */
export const PRIORITIES = ['low', 'normal', 'high'] as const
export type Priority = (typeof PRIORITIES)[number]

/** Something that a player is told without having asked; it is no outcome of a request. */
export interface Notification {
  /** Names its subject: of those that wait only the newest of an id is shown. */
  readonly id: string
  readonly priority: Priority
  /** The sentence and the cards of its one chat message. */
  readonly message: Message | null
  readonly tone?: CardTone
  readonly cards: readonly CardUpdate[]
  /** The same in short, above the hotbar. */
  readonly actionBar?: Message | undefined
  /** The same across the screen: for the rare. */
  readonly title?: Message | undefined
  readonly toast?:
    | { readonly title: Message; readonly icon: Identifier; readonly frame?: ToastFrame | undefined }
    | undefined
  readonly sound?: Identifier | undefined
  /**
   * For what is kept by its owner until it was seen: called when the player was shown it. Must take effect at once, and
   * must not throw.
   */
  readonly seen?: () => void
}

/** How much is made of a toast. */
export const TOAST_FRAMES = ['task', 'goal', 'challenge'] as const
export type ToastFrame = (typeof TOAST_FRAMES)[number]

/**
 * Keeps notifications until they were seen: gives those of a player who has just come, the oldest first. A process that ends
 * between showing one and keeping that it was seen shows it once more.
 */
export type NotificationOwner = (player: PlayerId) => readonly Notification[]
