import type { CardRef } from '../../lib/cards/index.js'
import type { AiSwitch } from '../../lib/core/ai-level.js'
import type { CardAction } from '../../lib/cards/index.js'
import { settingsCard, settingsPress, SETTINGS_MODULE } from '../../lib/settings/index.js'
import type { Asker } from './requests.js'
import type { Runtime } from './runtime.js'
import type { Surface } from './surface/index.js'

/** What a player switches. */
export interface SettingsChange {
  readonly name: AiSwitch
  readonly isOn: boolean
}

/** A player's own settings. They need no place among requests: one that runs can be ended by them. */
export class OwnSettings {
  readonly #runtime: Runtime
  readonly #surface: Surface

  constructor(runtime: Runtime, surface: Surface) {
    this.#runtime = runtime
    this.#surface = surface
  }

  /** What a button of the settings card asks for; null: another button. */
  pressed(action: CardAction): SettingsChange | null {
    if (action.kind !== 'server' || action.module !== SETTINGS_MODULE) return null
    return settingsPress(action.params)
  }

  /**
   * Shows the switches, after the change if there is one: what is shown is what is kept. `card`: the one whose button was
   * pressed, with the revision reserved for its replacement. Says whether that was done.
   */
  async run(asker: Asker, change: SettingsChange | null, card: CardRef | null = null): Promise<boolean> {
    const { access, preferences, sessions } = this.#runtime
    const generation = sessions.get(asker.id)?.generation ?? -1
    const denied = access.check(asker.id, SETTINGS_MODULE)
    const state =
      denied !== null
        ? { ok: false as const, failure: denied }
        : change === null
          ? { ok: true as const, value: preferences.state(asker.id) }
          : await preferences.switch(asker.id, change.name, change.isOn)
    if (sessions.check(asker.id, generation) !== null) return false
    if (!state.ok) {
      this.#surface.failure(asker.player, state.failure)
      return false
    }
    const shown = settingsCard(state.value)
    this.#surface.result(asker.player, asker.id, {
      status: 'succeeded',
      message: null,
      cards: [card === null ? { mode: 'SHOW', card: shown } : { mode: 'REPLACE', ref: card, card: shown }],
    })
    return true
  }
}
