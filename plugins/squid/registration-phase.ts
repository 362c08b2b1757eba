import { LATE, RegistrationError } from '../../lib/agent/index.js'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** So many ids are named in the log. */
const SHOWN = 8

/** Where registration stands, who registers now, and who has registered what. */
export class RegistrationPhase {
  #step: 'ours' | 'extensions' | 'ended' = 'ours'
  /** By kind and id: the name of whoever registered it. */
  readonly #owners = new Map<string, string>()
  #position = ''
  #name: string | null = null
  /** What the present extension has registered, with its kind. */
  #taken: { readonly key: string; readonly id: string }[] = []

  /** The built-in features register. */
  get isOurs(): boolean {
    return this.#step === 'ours'
  }

  /** What the present extension is called: its own word, else the namespace of its first id, else its position. */
  get name(): string {
    if (this.isOurs) return 'system'
    const first = this.#taken.find(({ id }) => /^(?!system:)[a-z0-9_.-]+:/.test(id))
    return this.#name ?? first?.id.split(':')[0] ?? this.#position
  }

  /** The name, and what it has registered. */
  describe(): string {
    const ids = this.#taken.slice(0, SHOWN).map(({ id }) => id)
    const more = this.#taken.length > SHOWN ? ', …' : ''
    return ids.length === 0 ? this.name : `${this.name} (${ids.join(', ')}${more})`
  }

  /** The next extension registers. */
  begin(position: string): void {
    if (this.isOurs) this.keep()
    this.#step = 'extensions'
    this.#position = position
    this.#name = null
    this.#taken = []
  }

  /** The present extension stays. */
  keep(): void {
    const name = this.isOurs ? 'the System' : `extension ${this.name}`
    for (const { key } of this.#taken) this.#owners.set(key, name)
  }

  /** Nobody registers any more. */
  end(): void {
    this.#step = 'ended'
  }

  /** The present extension says what it is called. Throws a RegistrationError. */
  call(name: string): void {
    this.check('an extension')
    if (typeof name !== 'string' || !NAME.test(name) || name === 'system')
      throw new RegistrationError(
        'this cannot be the name of an extension',
        'letters, digits, dot, underline and dash, 64 at most, and not system',
      )
    this.#name = name
  }

  /** Throws a RegistrationError when registration has ended. */
  check(what: string): void {
    if (this.#step === 'ended')
      throw new RegistrationError(
        `${what} comes too late: registration ended when the server was ready`,
        LATE,
      )
  }

  /** Something is about to be registered. Throws a RegistrationError for what is late, ours, or there already. */
  take(kind: string, given: unknown): void {
    const id = typeof given === 'string' ? given.slice(0, 256) : 'no id'
    this.check(id)
    const key = `${kind} ${id}`
    const before = this.#owners.get(key) ?? (this.#has(key) ? 'this extension' : undefined)
    this.#taken.push({ key, id })
    if (!this.isOurs && id.startsWith('system:'))
      throw new RegistrationError(`${key}: the namespace is ours`, 'use one of your own')
    // of what has no id the table itself complains
    if (before !== undefined && typeof given === 'string')
      throw new RegistrationError(
        `${key} is registered twice: ${before} has it already`,
        'give yours another id, in a namespace of your own',
      )
  }

  #has(key: string): boolean {
    return this.#taken.some((taken) => taken.key === key)
  }
}
