import {
  CARD_SURFACES,
  NO_CHOICE,
  OWN_CHOICES,
  OWN_SWITCHES,
  type OwnChange,
  type OwnChoice,
} from '../core/own-settings.js'
import type { Switches } from '../preferences/index.js'

/** What a button of the cards of settings asks for. */
export type SettingsPress =
  | { readonly kind: 'change'; readonly change: OwnChange }
  /** The card with what there is to choose from. */
  | { readonly kind: 'choose'; readonly name: OwnChoice }
  /** Back to the settings. */
  | { readonly kind: 'show' }

/** What the parameters of a button stand for; null: nothing that there is. */
export function settingsPress(params: Readonly<Record<string, string>>): SettingsPress | null {
  const name = [...OWN_SWITCHES, ...OWN_CHOICES].find((known) => known === params['name'])
  const to = params['to']
  if (name !== undefined && to !== undefined) return { kind: 'change', change: { name, to } }
  const choice = OWN_CHOICES.find((known) => known === params['choose'])
  if (choice !== undefined) return { kind: 'choose', name: choice }
  return params['show'] === 'settings' ? { kind: 'show' } : null
}

/** What a change sets; null: nothing that there is. `languages`: those that can be chosen. */
export function changesOf(
  { name, to }: OwnChange,
  languages: Pick<ReadonlyMap<string, string>, 'has'>,
): Partial<Switches> | null {
  if (name === 'surface') {
    const surface = CARD_SURFACES.find((known) => known === to)
    return surface === undefined && to !== NO_CHOICE ? null : { surface: surface ?? null }
  }
  if (name === 'language') {
    if (to === NO_CHOICE) return { language: null }
    return languages.has(to) ? { language: to } : null
  }
  return to === 'on' || to === 'off' ? { [name]: to === 'on' } : null
}
