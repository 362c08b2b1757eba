import { LRUCache } from 'lru-cache'
import type { CardAction, CardLine } from '../index.js'
import { Marks } from './marks.js'
import type { RenderOptions } from './options.js'

/** Lines that stay laid out, of all cards: about a KB each. */
const MAX_LINES = 4_096

interface Kept<T> {
  readonly lang: string
  /** Of the sentences it was laid out with. */
  readonly revision: number
  readonly actions: readonly CardAction[]
  readonly laid: T
}

/** What was laid out, and the marks of its actions: those of other parts come after them. */
interface Laid<T> {
  readonly laid: T
  readonly marks: Marks
}

/** What `lay` makes with marks in the place of tokens. */
export function layOnce<T>(options: RenderOptions, lay: (options: RenderOptions) => T): Laid<T> {
  const marks = new Marks(options.token)
  return { laid: lay({ ...options, token: marks.mark }), marks }
}

/**
 * The lines of a card laid out for one surface. They are most of the work, and the same until the card, the reader's language
 * or the sentences change: turning a page or drawing again costs only what is seen.
 */
export class KeptLines<T> {
  readonly #kept = new LRUCache<readonly CardLine[], Kept<T>>({
    maxSize: MAX_LINES,
    sizeCalculation: (_, lines) => 1 + lines.length,
  })

  /** What `lay` makes of the lines, now or earlier. */
  of(lines: readonly CardLine[], options: RenderOptions, lay: (options: RenderOptions) => T): Laid<T> {
    const { lang, languages, token } = options
    const { revision } = languages
    let kept = this.#kept.get(lines)
    if (kept === undefined || kept.lang !== lang || kept.revision !== revision) {
      const { laid, marks } = layOnce(options, lay)
      kept = { lang, revision, laid, actions: marks.actions }
      this.#kept.set(lines, kept)
    }
    return { laid: kept.laid, marks: new Marks(token, kept.actions) }
  }
}
