/** The cards of a player's own settings, and what their buttons and the command stand for. */
import t from 'tap'
import { CardTypes, type CardAction, type CardData, type CardEntry } from '../../lib/cards/index.js'
import { renderChat, renderPlain, renderWindow, type WindowSlot } from '../../lib/cards/render/index.js'
import { componentText } from '../../lib/text/index.js'
import { CARD_SURFACES, OWN_CHOICES, OWN_SWITCHES } from '../../lib/core/own-settings.js'
import { SWITCHES, type AiState } from '../../lib/preferences/index.js'
import {
  changesOf,
  choiceCard,
  settingLine,
  settingsCard,
  settingsFeature,
  settingsPress,
} from '../../lib/settings/index.js'
import type { Registration } from '../../lib/agent/index.js'
import { shippedLanguages } from '../support/catalogues.js'

const types = new CardTypes([], (type, cause) => t.fail(`${type}: ${String(cause)}`))
settingsFeature(() => {
  throw new TypeError('no card asks for it')
})({ cardType: (type) => types.register(type), module: () => {} } as Pick<
  Registration,
  'cardType' | 'module'
> as Registration)

const languages = shippedLanguages()
const LANGUAGES = new Map([
  ['zh_cn', '简体中文'],
  ['en_us', 'English'],
  ['xx_xx', 'xx_xx'],
])
const WORLD = { worldSurface: 'chat', languages: LANGUAGES } as const
const STATE: AiState = { admin: null, own: SWITCHES.empty, level: 'route' }

const entriesOf = (card: CardData): readonly CardEntry[] =>
  types.view(card).lines.flatMap((line) => (line.kind === 'entry' ? [line] : []))
const paramsOf = (action: CardAction | undefined) => (action?.kind === 'server' ? action.params : {})
const nameOf = (slot: WindowSlot | undefined): string => (slot === undefined ? '' : componentText(slot.name))
const textOf = (card: CardData, lang = 'en_us'): string =>
  renderPlain(types.view(card), { lang, languages, token: () => 'T', page: 'all' }).join('\n')

void t.test('each setting is an entry with an icon, its meaning, and a press that changes it', async (t) => {
  const entries = entriesOf(settingsCard(STATE, WORLD))
  t.equal(entries.length, OWN_SWITCHES.length + OWN_CHOICES.length)
  t.equal(new Set(entries.map(({ icon }) => icon?.item)).size, entries.length, 'icons of their own')
  for (const entry of entries) {
    t.equal(entry.about?.length, 1)
    t.not(settingsPress(paramsOf(entry.action)), null)
  }
  for (const [at, name] of OWN_SWITCHES.entries()) {
    for (const isOn of [true, false]) {
      const own = { ...SWITCHES.empty, [name]: isOn }
      const entry = entriesOf(settingsCard({ ...STATE, own }, WORLD))[at]
      const press = settingsPress(paramsOf(entry?.action))
      t.ok(press?.kind === 'change')
      if (press?.kind === 'change') t.same(changesOf(press.change, LANGUAGES), { [name]: !isOn })
      t.equal(entry?.isMarked, isOn)
    }
  }
})

void t.test('what is chosen is shown, or what everybody has', async (t) => {
  t.match(textOf(settingsCard(STATE, WORLD)), /Cards appear: in the chat \(as the server has it\)/)
  t.match(textOf(settingsCard(STATE, WORLD)), /Language: that of your game/)
  const own = { ...SWITCHES.empty, surface: 'book', language: 'zh_cn', sounds: false } as const
  const text = textOf(settingsCard({ ...STATE, own }, WORLD))
  t.match(text, /Cards appear: as a book {2}\[choose\]/)
  t.match(text, /Language: 简体中文/)
  t.match(text, /Sounds: off {2}\[turn on\]/)
  const gone = textOf(settingsCard({ ...STATE, own: { ...own, language: 'de_de' } }, WORLD))
  t.match(gone, /Language: that of your game/, 'no pack has it any more')
  t.notMatch(textOf(settingsCard({ ...STATE, own }, WORLD), 'zh_cn'), /system\./, 'in both languages')
})

void t.test('a setting in a line', async (t) => {
  const line = (own: Partial<AiState['own']>, name: Parameters<typeof settingLine>[0], lang = 'en_us') =>
    languages.text(settingLine(name, { ...STATE, own: { ...STATE.own, ...own } }, WORLD), lang)
  t.equal(line({ sounds: false }, 'sounds'), 'Sounds: off')
  t.equal(line({ surface: 'book' }, 'surface'), 'Cards appear: as a book')
  t.equal(line({}, 'surface', 'zh_cn'), '卡片显示：在聊天栏中（由服务器决定）')
  t.equal(line({ language: 'zh_cn' }, 'language'), 'Language: 简体中文')
})

void t.test('in a window: a slot for each, which can be pressed; one page, in the chat too', async (t) => {
  const own = { ...SWITCHES.empty, language: 'zh_cn', sounds: false } as const
  const cards = [
    settingsCard({ ...STATE, own }, WORLD),
    choiceCard('surface', own, LANGUAGES),
    choiceCard('language', own, LANGUAGES),
  ]
  for (const card of cards)
    for (const lang of ['en_us', 'zh_cn']) {
      const view = types.view(card)
      const tokens = new Map<string, CardAction>()
      const options = {
        lang,
        languages,
        token: (action: CardAction) => (tokens.set(`T${tokens.size}`, action), `T${tokens.size - 1}`),
      }
      const { window, pages } = renderWindow(view, options)
      t.equal(pages, 1)
      t.equal(renderChat(view, options).pages, 1)
      const slots = [...window.slots.values()]
      for (const entry of view.lines.flatMap((line) => (line.kind === 'entry' ? [line] : []))) {
        const slot = slots.find(({ token }) => tokens.get(token ?? '') === entry.action)
        t.equal(slot?.icon, entry.icon?.item)
        t.equal(slot?.isMarked, entry.isMarked)
        t.ok(nameOf(slot).length > 1 && (slot?.lore.length ?? 0) >= (entry.about?.length ?? 0))
      }
      for (const { action } of view.buttons)
        t.ok(
          slots.some(({ token }) => tokens.get(token ?? '') === action),
          'the way back',
        )
      const closing = slots.filter(({ icon }) => icon === 'minecraft:barrier')
      t.equal(closing.length, 1, 'nothing else looks like what closes it')
    }
})

void t.test('the choices: all there is, the chosen one marked, and the way back', async (t) => {
  for (const [name, chosen, expected] of [
    ['surface', null, [...CARD_SURFACES, 'default']],
    ['surface', 'window', [...CARD_SURFACES, 'default']],
    ['language', 'zh_cn', ['en_us', 'xx_xx', 'zh_cn', 'default']],
  ] as const) {
    const card = choiceCard(name, { ...SWITCHES.empty, [name]: chosen }, LANGUAGES)
    const entries = entriesOf(card)
    t.same(
      entries.map(({ action }) => paramsOf(action)['to']),
      expected,
    )
    t.same(
      entries.filter(({ isMarked }) => isMarked).map(({ action }) => paramsOf(action)['to']),
      [chosen ?? 'default'],
    )
    for (const { action } of entries) {
      const press = settingsPress(paramsOf(action))
      const changes = press?.kind === 'change' ? changesOf(press.change, LANGUAGES) : null
      t.same(Object.keys(changes ?? {}), [name])
    }
    t.same(settingsPress(paramsOf(types.view(card).buttons[0]?.action)), { kind: 'show' })
    for (const lang of ['en_us', 'zh_cn']) t.notMatch(textOf(card, lang), /system\./)
  }
})

void t.test('what is no setting, or has no such value, is nothing', async (t) => {
  for (const params of [{}, { name: 'constructor', to: 'on' }, { choose: 'sounds' }, { show: 'me' }])
    t.equal(settingsPress(params), null, JSON.stringify(params))
  for (const change of [
    { name: 'sounds', to: 'loud' },
    { name: 'sounds', to: 'default' },
    { name: 'surface', to: 'on' },
    { name: 'surface', to: '__proto__' },
    { name: 'language', to: 'de_de' },
    { name: 'language', to: '../x' },
  ] as const)
    t.equal(changesOf(change, LANGUAGES), null, JSON.stringify(change))
  t.same(changesOf({ name: 'surface', to: 'default' }, LANGUAGES), { surface: null })
  t.same(changesOf({ name: 'language', to: 'default' }, LANGUAGES), { language: null })
})
