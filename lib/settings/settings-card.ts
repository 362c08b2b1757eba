import { z } from 'zod'
import {
  cardOf,
  type CardAction,
  type CardData,
  type CardItem,
  type CardLine,
  type CardType,
} from '../cards/index.js'
import { AI_LEVELS } from '../core/ai-level.js'
import { identifier } from '../core/ids.js'
import {
  CARD_SURFACES,
  NO_CHOICE,
  OWN_CHOICES,
  OWN_SWITCHES,
  type CardSurface,
  type OwnChoice,
  type OwnSwitch,
} from '../core/own-settings.js'
import type { AiState, Switches } from '../preferences/index.js'
import type { Message } from '../text/index.js'

/** The module of `/system settings`; a press of its cards' buttons is a change, which needs no request. */
export const SETTINGS_MODULE = identifier('system:settings')

const settingsSchema = z.strictObject({
  externalAi: z.boolean(),
  freeChat: z.boolean(),
  history: z.boolean(),
  notifications: z.boolean(),
  sounds: z.boolean(),
  surface: z.enum(CARD_SURFACES).nullable(),
  /** What the chosen language calls itself. */
  language: z.string().nullable(),
  /** What the player may have of a model. */
  level: z.enum(AI_LEVELS),
  /** Where the server shows cards. */
  worldSurface: z.enum(CARD_SURFACES),
})
type SettingsData = z.infer<typeof settingsSchema>
/** What of the server settings are shown beside. */
interface World {
  readonly worldSurface: CardSurface
  readonly languages: ReadonlyMap<string, string>
}

/** How the language files name each, and what it looks like in a window. */
const LOOKS: Readonly<Record<OwnSwitch | OwnChoice, { readonly word: string; readonly icon: CardItem }>> = {
  externalAi: { word: 'external_ai', icon: icon('ender_eye', 'Eye of Ender') },
  freeChat: { word: 'free_chat', icon: icon('writable_book', 'Book and Quill') },
  history: { word: 'history', icon: icon('bookshelf', 'Bookshelf') },
  notifications: { word: 'notifications', icon: icon('bell', 'Bell') },
  sounds: { word: 'sounds', icon: icon('note_block', 'Note Block') },
  surface: { word: 'surface', icon: icon('painting', 'Painting') },
  language: { word: 'language', icon: icon('oak_sign', 'Oak Sign') },
}
const SURFACE_ICONS: Readonly<Record<string, CardItem>> = {
  chat: icon('paper', 'Paper'),
  book: icon('written_book', 'Written Book'),
  window: icon('chest', 'Chest'),
  plain: icon('feather', 'Feather'),
} satisfies Record<CardSurface, CardItem>
// a barrier is what closes a window
const UNSET_ICON = icon('command_block', 'Command Block')

const BACK_ICON = identifier('minecraft:arrow')

function icon(path: string, name: string): CardItem {
  return { item: identifier(`minecraft:${path}`), name }
}

const text = (word: string): Message => ({ key: `system.settings.${word}` })
const surfaceName = (surface: string): Message => text(`surface_${surface}`)
const press = (params: Readonly<Record<string, string>>): CardAction => ({
  kind: 'server',
  module: SETTINGS_MODULE,
  params,
})

/** What a setting is, in words. */
function valueOf(name: OwnSwitch | OwnChoice, data: SettingsData): Message | string {
  if (name === 'language') return data.language ?? text('as_client')
  if (name !== 'surface') return text(data[name] ? 'on' : 'off')
  if (data.surface !== null) return surfaceName(data.surface)
  return { key: 'system.settings.as_server', params: { value: surfaceName(data.worldSurface) } }
}

function entryOf(name: OwnSwitch | OwnChoice, data: SettingsData): CardLine {
  const { word, icon } = LOOKS[name]
  const isChoice = name === 'surface' || name === 'language'
  const isOff = !isChoice && !data[name]
  const does = isChoice ? text('choose') : text(isOff ? 'turn_on' : 'turn_off')
  return {
    kind: 'entry',
    icon,
    title: { key: 'system.settings.entry', params: { name: text(word), value: valueOf(name, data), does } },
    about: [text(`about_${word}`)],
    action: press(isChoice ? { choose: name } : { name, to: isOff ? 'on' : 'off' }),
    tone: isOff ? 'muted' : 'normal',
    isMarked: !isOff,
  }
}

/** A player's own settings: each can be pressed. */
export const settingsCardType: CardType<SettingsData> = {
  id: identifier('system:settings'),
  schema: settingsSchema,
  build: (data) => ({
    title: text('title'),
    lines: [
      ...[...OWN_SWITCHES, ...OWN_CHOICES].map((name) => entryOf(name, data)),
      { kind: 'row', label: text('level'), value: { key: `system.ai.level.${data.level}` }, tone: 'muted' },
    ],
    buttons: [],
  }),
}

const dataOf = ({ own, level }: AiState, { worldSurface, languages }: World): SettingsData => ({
  ...own,
  level,
  worldSurface,
  language: own.language === null ? null : (languages.get(own.language) ?? null),
})

/** The card that shows this. */
export const settingsCard = (state: AiState, world: World): CardData =>
  cardOf(settingsCardType, dataOf(state, world))

/** What one setting is now, in a line. */
export const settingLine = (name: OwnSwitch | OwnChoice, state: AiState, world: World): Message => ({
  key: 'system.card.row',
  params: { label: text(LOOKS[name].word), value: valueOf(name, dataOf(state, world)) },
})

const choiceSchema = z.strictObject({
  name: z.enum(OWN_CHOICES),
  /** Null: none. */
  chosen: z.string().nullable(),
  /** What there is; of languages with what each calls itself. */
  options: z.array(z.strictObject({ id: z.string(), name: z.string().nullable() })),
})

/** What there is to choose from. */
export const choiceCardType: CardType<z.infer<typeof choiceSchema>> = {
  id: identifier('system:settings_choice'),
  schema: choiceSchema,
  build: ({ name, chosen, options }) => ({
    title: text(LOOKS[name].word),
    lines: [...options.map(optionOf), { to: NO_CHOICE, title: text(`no_${name}`), icon: UNSET_ICON }].map(
      ({ to, title, ...rest }) => {
        const isMarked = to === (chosen ?? NO_CHOICE)
        return {
          ...rest,
          kind: 'entry' as const,
          title: isMarked ? { key: 'system.settings.chosen', params: { value: title } } : title,
          action: press({ name, to }),
          isMarked,
        }
      },
    ),
    buttons: [{ id: 'back', icon: BACK_ICON, label: text('back'), action: press({ show: 'settings' }) }],
  }),
}

/** A surface has no name of its own, a language calls itself something. */
function optionOf({ id, name }: z.infer<typeof choiceSchema>['options'][number]): {
  readonly to: string
  readonly title: Message | string
  readonly icon: CardItem
  readonly about?: readonly (Message | string)[]
} {
  if (name !== null)
    return { to: id, title: name, icon: LOOKS.language.icon, ...(name === id ? {} : { about: [id] }) }
  const icon = SURFACE_ICONS[id] ?? UNSET_ICON
  return { to: id, title: surfaceName(id), icon, about: [text(`about_surface_${id}`)] }
}

/** The card to choose with. */
export function choiceCard(name: OwnChoice, own: Switches, languages: ReadonlyMap<string, string>): CardData {
  const options =
    name === 'surface'
      ? CARD_SURFACES.map((id) => ({ id, name: null }))
      : [...languages.keys()].sort().map((id) => ({ id, name: languages.get(id) ?? id }))
  return cardOf(choiceCardType, { name, chosen: own[name], options })
}
