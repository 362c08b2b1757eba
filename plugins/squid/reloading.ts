import type { LiveConfig } from '../../lib/config/index.js'
import type { Message } from '../../lib/text/index.js'
import type { Runtime } from './runtime.js'

/** So many names are shown of a list; the log has all that went wrong. */
const SHOWN = 12

/** Reading the configuration and item names again while the server runs. Whoever calls has checked the right. */
export class Reloading {
  readonly #live: LiveConfig
  readonly #runtime: Runtime
  readonly #onChange: () => void

  /** `onChange` is called when a field has another value. */
  constructor(parts: { live: LiveConfig; runtime: Runtime; onChange: () => void }) {
    this.#live = parts.live
    this.#runtime = parts.runtime
    this.#onChange = parts.onChange
  }

  /** The messages are for whoever asked: names of fields, never what they hold. */
  async run(): Promise<readonly Message[]> {
    const { changed, restart, problems } = await this.#live.reload()
    const policies = this.#runtime
      .reconfigure()
      .map((name) => `system-agent.json: ${name === 'routing' ? 'routingPolicy' : `policies.${name}`}`)
    if (changed.length > 0) this.#onChange()
    const languages = await this.#runtime.loadNames()
    const held = [...problems, ...policies]
    return [
      changed.length === 0
        ? { key: 'system.admin.reload_same' }
        : { key: 'system.admin.reload_changed', params: listed(changed) },
      ...(languages === null ? [] : [{ key: 'system.admin.reload_names', params: { count: languages } }]),
      ...(restart.length === 0 ? [] : [{ key: 'system.admin.reload_restart', params: listed(restart) }]),
      ...(held.length === 0 ? [] : [{ key: 'system.admin.reload_held', params: listed(held) }]),
    ]
  }
}

function listed(names: readonly string[]): { readonly count: number; readonly names: string } {
  const more = names.length > SHOWN ? ', …' : ''
  return { count: names.length, names: names.slice(0, SHOWN).join(', ') + more }
}
