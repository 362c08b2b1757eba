import type { CardAction, CardEntry, CardView } from '../../lib/cards/index.js'
import { renderChat, renderPlain, type RenderOptions, type WindowSlot } from '../../lib/cards/render/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { Renderers } from '../../plugins/squid/surface/index.js'

const PAGE = 10
const turn = (page: number): CardAction => ({ kind: 'local', show: { page } })

function paged(view: CardView, page: number): { view: CardView; page: number; pages: number } {
  const pages = Math.max(1, Math.ceil(view.lines.length / PAGE))
  const at = Math.min(page, pages - 1)
  const buttons = [
    ...view.buttons,
    ...(at > 0 ? [{ label: { key: 'test.word', params: { text: '<' } }, action: turn(at - 1) }] : []),
    ...(at + 1 < pages ? [{ label: { key: 'test.word', params: { text: '>' } }, action: turn(at + 1) }] : []),
  ]
  return { view: { ...view, buttons, lines: view.lines.slice(at * PAGE, (at + 1) * PAGE) }, page: at, pages }
}

export const STAND_INS: Renderers = {
  chat(view, options) {
    const drawn = paged(view, options.page)
    return { component: renderChat(drawn.view, options), pages: drawn.pages }
  },
  plain: (view, options) => renderPlain(view, options),
  book: (view, options) => ({ title: 'book', pages: [renderChat(view, options)] }),
  window(view, options) {
    const drawn = paged(view, options.page)
    const text = (key: Parameters<RenderOptions['languages']['render']>[0]) =>
      options.languages.render(key, options.lang)
    const slot = (name: WindowSlot['name'], action: CardAction | undefined): WindowSlot => ({
      icon: identifier('minecraft:stone'),
      count: 1,
      name,
      lore: [],
      ...(action === undefined ? {} : { token: options.token(action) }),
    })
    const slots = [
      ...drawn.view.lines.map((line) =>
        slot({ text: String((line as CardEntry).title) }, (line as CardEntry).action),
      ),
      ...drawn.view.buttons.map(({ label, action }) => slot(text(label), action)),
    ]
    const title = view.title === null ? { text: '' } : text(view.title)
    return { window: { title, rows: 6, slots: new Map(slots.entries()) }, pages: drawn.pages }
  },
}
