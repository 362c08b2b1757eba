import { AI_SWITCHES } from './ai-level.js'

/** What a player turns on and off for itself. */
export const OWN_SWITCHES = [...AI_SWITCHES, 'notifications', 'sounds'] as const
export type OwnSwitch = (typeof OWN_SWITCHES)[number]

/** What a player chooses for itself, among what the server has. */
export const OWN_CHOICES = ['surface', 'language'] as const
export type OwnChoice = (typeof OWN_CHOICES)[number]

/** Stands for no choice: what everybody has. */
export const NO_CHOICE = 'default'

/** Where cards are shown. `plain`: text alone, for programs and for who asked for it. */
export const CARD_SURFACES = ['chat', 'book', 'window', 'plain'] as const
export type CardSurface = (typeof CARD_SURFACES)[number]

/** A change of an own setting, as it is typed or pressed: what `to` means is looked at when it is made. */
export interface OwnChange {
  readonly name: OwnSwitch | OwnChoice
  /** `on` or `off`, a surface, a language, or `NO_CHOICE`. */
  readonly to: string
}
