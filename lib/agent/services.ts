import { isIdentifier, type Identifier } from '../core/ids.js'
import { RegistrationError } from './registration-error.js'

declare const implementation: unique symbol

/** Names a service and its type. Keys with one id are the same key: each plugin may have its own constant. */
export interface ServiceKey<T> {
  readonly id: Identifier
  /** Of types only: no key has it. */
  readonly [implementation]?: (given: T) => T
}

/** A key for what one plugin offers to others; its id is `namespace:path`, and the namespace is the offering plugin's. */
export function serviceKey<T>(id: string): ServiceKey<T> {
  if (!isIdentifier(id)) throw new TypeError(`service ${id} has no id of the form namespace:path`)
  return Object.freeze({ id })
}

/** What plugins offer to each other: one implementation for each key. Filled at start-up. */
export class Services {
  #services = new Map<string, unknown>()

  /** Throws a RegistrationError for a key that is none or is taken. */
  add<T>(key: ServiceKey<T>, service: T): void {
    const id = String(key.id)
    if (!isIdentifier(id))
      throw new RegistrationError(
        `service ${id} has no id of the form namespace:path`,
        'make its key with serviceKey',
      )
    if (service === undefined)
      throw new RegistrationError(`service ${id} is undefined`, 'give the implementation beside the key')
    if (this.#services.has(id))
      throw new RegistrationError(
        `service ${id} is registered twice`,
        'a key has one implementation: offer yours under a key of your own',
      )
    this.#services.set(id, service)
  }

  /** The implementation. Throws a RegistrationError that names the key and who wanted it. */
  get<T>({ id }: ServiceKey<T>, who: string): T {
    if (!this.#services.has(id))
      throw new RegistrationError(
        `there is no service ${String(id)}, which ${who} wants`,
        'load the plugin that offers it, before this one',
      )
    // its key's type is that of the implementation it was registered with
    return this.#services.get(id) as T
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const before = new Map(this.#services)
    return () => {
      this.#services = before
    }
  }
}
