import { isIdentifier, type Identifier, type PlayerId } from '../../core/ids.js'
import type { Logger } from '../../core/logger.js'
import { synchronous } from '../../core/synchronous.js'
import { RegistrationError } from '../registration-error.js'

/** A task as what authorizes it sees it. */
export interface AuthorizedTask {
  readonly player: PlayerId
  readonly module: Identifier
  /** As it was decoded when the task was submitted. */
  readonly input: unknown
}

/** Whether a task may (still) run. Synchronous, without effects. */
export type EventRule = (task: AuthorizedTask) => boolean

/** What authorizes event tasks, by id. Filled at start-up. */
export class EventRules {
  #rules = new Map<string, EventRule>()

  /** One function per id; unless `isOurs` not in our namespace. Throws a RegistrationError. */
  add(id: Identifier, rule: EventRule, isOurs = false): void {
    if (!isIdentifier(String(id)))
      throw new RegistrationError(`rule ${String(id)} has no id of the form namespace:path`)
    if (!isOurs && id.startsWith('system:')) throw new RegistrationError(`${id}: the namespace is ours`)
    if (typeof rule !== 'function') throw new RegistrationError(`rule ${id} is no function`)
    if (this.#rules.has(id)) throw new RegistrationError(`rule ${id} is registered twice`)
    this.#rules.set(id, rule)
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const before = new Map(this.#rules)
    return () => {
      this.#rules = before
    }
  }

  /** Whether the rule is there and says yes; one that throws, or gives anything but true, says no. */
  allows(id: string, task: AuthorizedTask, logger: Logger): boolean {
    const rule = this.#rules.get(id)
    if (rule === undefined) return false
    try {
      return synchronous<unknown>(rule(task)) === true
    } catch (thrown) {
      logger.error(`the rule ${id} failed, and authorizes nothing`, thrown)
      return false
    }
  }
}
