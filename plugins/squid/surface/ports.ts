import type { Ask } from '../../../lib/agent/index.js'
import type { CardRef } from '../../../lib/cards/index.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import type { SquidPlayer } from '../types.js'
import type { Screens } from '../windows/index.js'

/** Who a card is shown to. */
export interface Reader {
  readonly player: SquidPlayer
  readonly id: PlayerId
}

/** What brought a card about. */
export interface Origin {
  /** The card whose button was pressed. */
  readonly card?: CardRef
  /** What was asked, so that it can be asked anew. */
  readonly ask?: Ask
  /** Nobody asked: nothing opens, unless the card requires a screen. */
  readonly isUnasked?: true
}

/** Where cards can be shown beside the chat. */
export interface CardScreens {
  readonly windows: Pick<Screens['windows'], 'open' | 'replace' | 'close' | 'openId'>
  /** Closes a window of ours. */
  readonly openBook: Screens['openBook']
}
