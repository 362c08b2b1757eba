import type { CardTone } from '../../lib/cards/index.js'
import type { LiveConfig, Reload } from '../../lib/config/index.js'
import { failure, type Failure } from '../../lib/core/failure.js'
import type { Logger } from '../../lib/core/logger.js'
import {
  faultsOf,
  newProblems,
  problemLine,
  type Content,
  type Problematic,
} from '../../lib/registry/index.js'
import { failureMessage, type Message } from '../../lib/text/index.js'
import { countsOf, logProblems } from './packs/index.js'
import type { Runtime } from './runtime.js'

/** So many names are shown of a list; the log has all that went wrong. */
const SHOWN = 12
/** So many faults of packs are shown. */
const SHOWN_FAULTS = 3

/** One line of the answer. */
interface Line {
  readonly message: Message
  readonly tone: CardTone
}

/** Reading packs and configuration again while the server runs. Whoever calls has checked the right. */
export class Reloading {
  readonly #live: LiveConfig
  readonly #runtime: Runtime
  readonly #logger: Logger
  readonly #onChange: () => void
  #isRunning = false

  /** `onChange` is called when something was taken. */
  constructor(parts: { live: LiveConfig; runtime: Runtime; logger: Logger; onChange: () => void }) {
    this.#live = parts.live
    this.#runtime = parts.runtime
    this.#logger = parts.logger
    this.#onChange = parts.onChange
  }

  /**
   * Reads everything, then takes all of it in one step, or nothing: packs with a fault that those in use haven't are taken
   * by force alone. The lines are for whoever asked: names of fields, never what they hold.
   */
  async run({ force }: { readonly force: boolean }): Promise<readonly Line[]> {
    if (this.#isRunning) return [bad({ key: 'system.admin.reload_running' })]
    this.#isRunning = true
    try {
      return await this.#run(force)
    } finally {
      this.#isRunning = false
    }
  }

  async #run(force: boolean): Promise<readonly Line[]> {
    const { packs } = this.#runtime
    const read = await packs.read()
    if (!read.ok) return [this.#unread(read.failure)]
    const content = read.value
    const news = newProblems(packs.current, content)
    logProblems(this.#logger, news)
    const faults = faultsOf(news)
    if (!force && countOf(faults) > 0) return refusal(faults)
    const before = packs.current
    let isTaken = false
    let policies: readonly string[] = []
    const reload = await this.#live.reload(() => {
      isTaken = packs.take(content)
      if (isTaken) policies = this.#runtime.reconfigure()
    })
    if (!isTaken) return [this.#unread(failure('system:stopping'))]
    this.#onChange()
    const languages = await this.#runtime.loadNames()
    return [
      ...configured(reload, policies),
      packLine(content),
      ...this.#gone(before, content),
      ...nameLine(languages),
    ]
  }

  /** Systems that were there and are there no more: who has one waits for it. */
  #gone(before: Content, now: Content): readonly Line[] {
    const { registries, sessions, bindings } = this.#runtime
    const { definitions } = registries
    const gone = before
      .registry(definitions)
      .ids()
      .filter((id) => now.registry(definitions).get(id) === undefined)
    return gone.map((system) => {
      const count = [...sessions.all()].filter(({ player }) => bindings.boundTo(player) === system).length
      this.#logger.warn(`reload: no pack defines ${system} any more; players here who have it: ${count}`)
      return bad({ key: 'system.admin.reload_gone', params: { system, count } })
    })
  }

  #unread(reason: Failure): Line {
    this.#logger.warn(`reload: the packs were not read: ${reason.code}`)
    return bad({ key: 'system.admin.reload_failed', params: { reason: failureMessage(reason) } })
  }
}

const good = (message: Message): Line => ({ message, tone: 'good' })
const bad = (message: Message): Line => ({ message, tone: 'bad' })
const countOf = ({ problems, more }: Problematic): number => problems.length + more

/** Why nothing was taken, with the first faults. */
function refusal(faults: Problematic): readonly Line[] {
  const shown = faults.problems.slice(0, SHOWN_FAULTS)
  const rest = countOf(faults) - shown.length
  return [
    bad({ key: 'system.admin.reload_refused', params: { count: countOf(faults) } }),
    ...shown.map((problem) => bad({ key: 'system.admin.line', params: { line: problemLine(problem) } })),
    ...(rest > 0 ? [bad({ key: 'system.admin.reload_more', params: { count: rest } })] : []),
    bad({ key: 'system.admin.reload_force' }),
  ]
}

function configured({ changed, restart, problems }: Reload, policies: readonly string[]): readonly Line[] {
  const held = [
    ...problems,
    ...policies.map(
      (name) => `system-agent.json: ${name === 'routing' ? 'routingPolicy' : `policies.${name}`}`,
    ),
  ]
  return [
    changed.length === 0
      ? good({ key: 'system.admin.reload_same' })
      : good({ key: 'system.admin.reload_changed', params: listed(changed) }),
    ...(restart.length === 0 ? [] : [good({ key: 'system.admin.reload_restart', params: listed(restart) })]),
    ...(held.length === 0 ? [] : [good({ key: 'system.admin.reload_held', params: listed(held) })]),
  ]
}

function packLine(content: Content): Line {
  const { read, refused, entries, skipped } = countsOf(content)
  return good({ key: 'system.admin.reload_packs', params: { read, refused, entries, skipped } })
}

const nameLine = (languages: number | null): readonly Line[] =>
  languages === null ? [] : [good({ key: 'system.admin.reload_names', params: { count: languages } })]

function listed(names: readonly string[]): { readonly count: number; readonly names: string } {
  const more = names.length > SHOWN ? ', …' : ''
  return { count: names.length, names: names.slice(0, SHOWN).join(', ') + more }
}
