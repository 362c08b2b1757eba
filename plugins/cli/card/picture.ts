import { bookSvg, chatSvg, windowSvg } from '../../../lib/cards/render/index.js'
import { UsageError } from '../tool.js'
import type { Seen } from './look.js'

export const SURFACES = ['chat', 'book', 'window'] as const

/** Which page of a card a picture is of. */
export interface Picture {
  readonly surface: (typeof SURFACES)[number]
  /** From 1. */
  readonly page: number
}

/** The page as an SVG document. Throws a `UsageError` for a page that there isn't. */
export function picture({ chat, book, windows }: Seen, { surface, page }: Picture): string {
  if (surface === 'window') return windowSvg(pageAt(windows, page))
  return surface === 'book' ? bookSvg(pageAt(book, page)) : chatSvg(pageAt(chat, page))
}

function pageAt<T>(pages: readonly T[], page: number): T {
  const found = pages[page - 1]
  if (found === undefined) throw new UsageError(`there is no page ${page} of ${pages.length}`)
  return found
}
