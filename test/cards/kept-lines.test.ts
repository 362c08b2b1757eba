/** Lines of a card are laid out once for a surface and a language; what is drawn is the same as if they never had been. */
import t from 'tap'
import type { CardAction, CardLine, CardView } from '../../lib/cards/index.js'
import {
  renderBook,
  renderChat,
  renderPlain,
  renderWindow,
  type PageOptions,
} from '../../lib/cards/render/index.js'
import { identifier } from '../../lib/core/ids.js'
import { Languages, type Component, type Message } from '../../lib/text/index.js'

/** Counts the sentences that are made. */
class CountingLanguages extends Languages {
  made = 0

  override render(message: Message, lang: string): Component {
    this.made += 1
    return super.render(message, lang)
  }
}

const TEXTS = {
  'test.line': 'line {at}',
  'test.title': 'A list',
  'test.button': 'Go',
  'system.card.button': '{label} {command}',
}
const languages = (): CountingLanguages => new CountingLanguages(new Map([['en_us', TEXTS]]))

const press = (at: number): CardAction => ({
  kind: 'server',
  module: identifier('test:module'),
  params: { at: String(at) },
})
const cardOf = (): CardView => ({
  title: { key: 'test.title' },
  lines: Array.from({ length: 200 }, (_, at): CardLine => ({
    kind: 'entry',
    title: { key: 'test.line', params: { at } },
    action: press(at),
  })),
  buttons: [{ label: { key: 'test.button' }, action: press(-1) }],
})

const RENDERERS: Readonly<Record<string, (view: CardView, options: PageOptions) => unknown>> = {
  chat: renderChat,
  book: renderBook,
  plain: renderPlain,
  window: (view, options) => {
    const { window, pages } = renderWindow(view, options)
    return { ...window, slots: [...window.slots], pages }
  },
}

/** A drawing with the actions its tokens stand for. */
function draw(render: (typeof RENDERERS)[string], view: CardView, options: Partial<PageOptions>): unknown {
  const tokens: CardAction[] = []
  const token = (action: CardAction): string => `t${tokens.push(action)}`
  const drawn = render?.(view, { lang: 'en_us', languages: languages(), ...options, token })
  return { drawn, tokens }
}

for (const [name, render] of Object.entries(RENDERERS))
  void t.test(name, (t) => {
    const view = cardOf()
    const texts = languages()
    draw(render, view, { languages: texts })
    const first = texts.made
    t.ok(first >= 200)
    for (const page of [1, 2, 3, 0])
      t.strictSame(
        draw(render, { ...view, buttons: [...view.buttons] }, { languages: texts, page }),
        draw(render, cardOf(), { page }),
        `page ${page}`,
      )
    t.ok(texts.made - first < 100, 'the lines were not made again')

    texts.overlay(new Map([['en_us', { 'test.line': 'changed {at}' }]]))
    t.match(JSON.stringify(draw(render, view, { languages: texts })), /changed 0/, 'other sentences')
    texts.overlay(new Map([['de_de', { 'test.line': 'Zeile {at}' }]]))
    t.match(JSON.stringify(draw(render, view, { languages: texts })), /line 0/)
    t.match(JSON.stringify(draw(render, view, { languages: texts, lang: 'de_de' })), /Zeile 0/)
    const button = { label: { key: 'test.title' }, action: press(-7) }
    t.match(
      JSON.stringify(draw(render, { ...view, buttons: [button] }, { languages: texts })),
      /"at":"-7"/,
      'other buttons beside the same lines',
    )
    t.end()
  })
