import { clipCodePoints } from '../../core/code-points.js'
import { componentText, concat, join, plain, styled, type Component, type Message } from '../../text/index.js'
import type { CardAction, CardButton, CardView } from '../index.js'
import { clickOf, NEWLINE, renderButton, renderLine, TONE_COLORS } from './drawing.js'
import { KeptLines } from './kept-lines.js'
import { pageButtons, type PageOptions, type RenderOptions } from './options.js'
import type { Bounds, Measured } from './pages.js'
import { screenOf, type ScreenPen } from './screen.js'
import { linesOf } from './sheet.js'

/** What the opened chat shows at once in a client's default settings, far below what a client takes in one message. */
const CHAT: Bounds = { width: 320, rows: 20, bytes: 16_384, entries: 10 }
const LINES = new KeptLines<readonly Measured[]>()
const SPACE: Component = { text: ' ' }
/** Longest name of a section where it leads there, code points. */
const MAX_TAB = 20

/**
 * A page of the card as one chat message: title, lines, what leads to other pages, buttons in the last line. A card of
 * one line is that line alone. What only pointing shows here (ids, hover texts) stands in the text of `renderPlain`.
 */
export function renderChat(
  view: CardView,
  options: PageOptions,
): { readonly component: Component; readonly pages: number } {
  const { laid, marks } = LINES.of(view.lines, options, (inner) => linesOf(view.lines, chatPen(inner), CHAT))
  const pen = chatPen({ ...options, token: marks.mark })
  const { rows, pages } = screenOf({ view, lines: laid }, pen, { ...CHAT, page: options.page })
  return { component: marks.component(join(rows, NEWLINE)), pages }
}

/** How chat and books draw the parts of a card. */
export function chatPen(options: RenderOptions): ScreenPen {
  const { lang, languages } = options
  const muted = (message: Message): Component =>
    styled(languages.render(message, lang), { color: TONE_COLORS.muted })
  return {
    gap: SPACE,
    title: (title) => styled(languages.render(title, lang), { color: TONE_COLORS.accent, bold: true }),
    line: (line) => renderLine(line, options),
    button: (button) => renderButton(button, options),
    rest: (count) => muted({ key: 'system.card.more_lines', params: { count } }),
    turn(page, pages) {
      const { back, on } = pageButtons(page, pages)
      const place = muted({ key: 'system.card.page', params: { page: page + 1, pages } })
      return join([arrow('‹', back, options), place, arrow('›', on, options)], SPACE)
    },
    tab: (label, action) => tab(label, action, options),
  }
}

/** Where there is no page it stays, so that the one beside it is found at the same place. */
function arrow(text: string, button: CardButton | null, options: RenderOptions): Component {
  if (button === null) return plain(text, { color: 'dark_gray' })
  const contents = options.languages.render(button.label, options.lang)
  return plain(text, {
    color: TONE_COLORS.good,
    bold: true,
    ...clickOf(button.action, options),
    hoverEvent: { action: 'show_text', contents },
  })
}

function tab(label: Message, action: CardAction | null, options: RenderOptions): Component {
  const name = plain(clipCodePoints(componentText(options.languages.render(label, options.lang)), MAX_TAB))
  if (action === null) return styled(name, { color: TONE_COLORS.accent, bold: true })
  return concat([plain('['), name, plain(']')], { color: TONE_COLORS.accent, ...clickOf(action, options) })
}
