import { shown, type AgentResult } from '../../lib/agent/index.js'
import type { CardAction, CardData, CardRef } from '../../lib/cards/index.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import {
  changesOf,
  choiceCard,
  settingLine,
  settingsCard,
  settingsPress,
  SETTINGS_MODULE,
  type SettingsPress,
} from '../../lib/settings/index.js'
import type { AnswerSurface, Asker } from './requests.js'
import type { Runtime } from './runtime.js'

/** A player's own settings. They need no place among requests: one that runs can be ended by them. */
export class OwnSettings {
  readonly #runtime: Runtime
  readonly #surface: AnswerSurface

  constructor(runtime: Runtime, surface: AnswerSurface) {
    this.#runtime = runtime
    this.#surface = surface
  }

  /** What a button of the cards of settings asks for; null: another button. */
  pressed(action: CardAction): SettingsPress | null {
    if (action.kind !== 'server' || action.module !== SETTINGS_MODULE) return null
    return settingsPress(action.params)
  }

  /**
   * Shows the settings, after the change if there is one: what is shown is what is kept, on a card, a change in a line, or
   * in the place of the card whose button was pressed, by the revision reserved for that. Says whether that was done.
   */
  async run(asker: Asker, press: SettingsPress, as: 'card' | 'line' | CardRef = 'card'): Promise<boolean> {
    const { access, sessions } = this.#runtime
    const ended = sessions.stay(asker.id)
    const denied = access.check(asker.id, SETTINGS_MODULE)
    const done =
      denied === null ? await this.#outcome(asker, press, as) : { ok: false as const, failure: denied }
    if (ended() !== null) return false
    if (!done.ok) {
      this.#surface.failure(asker.player, done.failure)
      return false
    }
    this.#surface.outcome(asker, done.value)
    return true
  }

  async #outcome(
    { id }: Asker,
    press: SettingsPress,
    as: 'card' | 'line' | CardRef,
  ): Promise<Result<AgentResult>> {
    const { preferences } = this.#runtime
    const { languages } = preferences
    const result = (card: CardData): AgentResult =>
      typeof as === 'string' ? shown(card) : { ...shown(card), cards: [{ mode: 'REPLACE', ref: as, card }] }
    if (press.kind === 'choose') return ok(result(choiceCard(press.name, preferences.of(id), languages)))
    if (press.kind === 'show') return ok(result(settingsCard(preferences.state(id), preferences)))
    const { change } = press
    const changes = changesOf(change, languages)
    // a language that a button offered may be gone by now
    if (changes === null)
      return fail(typeof as === 'string' ? 'system:not_understood' : 'system:token_outdated')
    const state = await preferences.set(id, changes)
    if (!state.ok) return state
    if (as !== 'line') return ok(result(settingsCard(state.value, preferences)))
    const message = settingLine(change.name, state.value, preferences)
    return ok({ status: 'succeeded', message, cards: [] })
  }
}
