import type { AiLevel } from '../core/ai-level.js'
import type { Identifier } from '../core/ids.js'
import type { UsageReport } from '../usage/index.js'
import type { CHANNEL_PROTOCOL } from './request.js'

/** What can be pressed of a card. */
export interface ChannelButton {
  /** In the player's language. */
  readonly label: string
  /** To be sent back with a `button` request: once; null: there is only the command. */
  readonly token: string | null
  /** The line that does the same in the chat box. */
  readonly command: string
}

/** A card as a program gets it: its text in the player's language, its data as its type has it, its buttons. */
export interface ChannelCard {
  readonly mode: 'SHOW' | 'REPLACE'
  readonly id: string
  readonly revision: number
  readonly type: Identifier
  readonly data: unknown
  readonly text: readonly string[]
  readonly buttons: readonly ChannelButton[]
}

interface Reply {
  readonly type: 'reply'
  readonly id: string
  readonly status: 'succeeded' | 'failed' | 'partially_succeeded'
  /** A failure's code, such as `system:busy`. */
  readonly code?: string
  /** Our sentence, in the player's language. */
  readonly text: string | null
  readonly cards: readonly (ChannelCard | { readonly mode: 'REMOVE'; readonly id: string })[]
  /** Nothing is to be told but what the cards show. */
  readonly silent?: true
}

/** The answer to a button that asks nobody: what the player sees has been led elsewhere, and nothing came of it but that. */
interface Navigation {
  readonly type: 'navigation'
  /** The request's. */
  readonly id: string
  /** The card whose button it was. */
  readonly card: string
  /** A page of it (from 0), the card it came from, or none of it any more. */
  readonly to: { readonly page: number } | 'back' | 'close'
}

/** What a player may ask for now, and what runs. */
interface State {
  readonly type: 'state'
  readonly id: string
  readonly system: Identifier | null
  readonly level: AiLevel
  /** The id of the running request. */
  readonly running: string | null
  readonly modules: readonly Identifier[]
}

/** One earlier round. */
export interface ChannelRound {
  /** Epoch milliseconds. */
  readonly at: number
  readonly asked: string
  readonly answered: string
}

/** What is said on `system:assistant_response_s2c`, without its protocol number. */
export type ChannelResponse =
  | Reply
  | Navigation
  /** Something that no request asked for. */
  | { readonly type: 'notification'; readonly text: string }
  /** The player's System has changed. */
  | { readonly type: 'binding'; readonly system: Identifier | null }
  | State
  | {
      readonly type: 'history'
      readonly id: string
      readonly page: number
      readonly pages: number
      readonly rounds: readonly ChannelRound[]
    }
  /** A payload that was no request. `supported`: the protocol that is understood here. */
  | {
      readonly type: 'refused'
      readonly id: string | null
      readonly reason: string
      readonly supported: typeof CHANNEL_PROTOCOL
    }

/** What is said on `system:token_usage_response_s2c`, without its protocol number. */
export interface UsageResponse {
  readonly id: string
  readonly open: boolean
  readonly usage: UsageReport | null
  /** Why there is none. */
  readonly code?: string
}
