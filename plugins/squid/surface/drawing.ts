import type { ButtonTokens, CardAction, CardView } from '../../../lib/cards/index.js'
import type { PageOptions } from '../../../lib/cards/render/index.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import type { Languages } from '../../../lib/text/index.js'
import type { SquidPlayer } from '../types.js'
import { withLocalButtons } from './local-buttons.js'
import type { Reader } from './ports.js'
import type { Shelf, Snapshot } from './shelf.js'

/** What a drawing is made with. */
export interface DrawingParts {
  readonly tokens: ButtonTokens
  readonly languages: Languages
  readonly itemKey: NonNullable<PageOptions['itemKey']>
  /** The reader's language. */
  languageOf(player: SquidPlayer): string
  /** Whether what a button does is open to the reader: others are left out. */
  mayPress(player: PlayerId, action: CardAction): boolean
}

/** A card about to be drawn. */
export interface Drawing {
  /** What a renderer is given. */
  readonly of: readonly [view: CardView, options: PageOptions]
  /** Tokens of buttons that ask the server; grows as they are drawn. */
  readonly asking: ReadonlySet<string>
}

/** A new drawing of the card: buttons of its earlier ones are dead from here on. */
export function drawingOf(
  parts: DrawingParts,
  reader: Reader,
  { shelf, snapshot }: { readonly shelf: Shelf; readonly snapshot: Snapshot },
): Drawing {
  const { tokens, languages, itemKey } = parts
  const { ref, place, from, page } = snapshot
  tokens.supersede(reader.id, ref.id, Infinity)
  // the same button on several pages, or in several slots, is one button
  const drawn = new Map<CardAction, string>()
  const asking = new Set<string>()
  const token = (action: CardAction): string => {
    const known = drawn.get(action) ?? tokens.issue(reader.id, ref, action)
    drawn.set(action, known)
    if (action.kind === 'server') asking.add(known)
    return known
  }
  const isOnScreen = place === 'window' || place === 'book'
  const view = withLocalButtons(snapshot, {
    hasBack: isOnScreen && shelf.get(from ?? '') !== undefined,
    mayPress: (action) => parts.mayPress(reader.id, action),
  })
  const options = { lang: parts.languageOf(reader.player), languages, itemKey, token, page }
  return { of: [view, options], asking }
}
