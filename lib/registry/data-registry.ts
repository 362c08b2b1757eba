import type { Identifier } from '../core/ids.js'
import type { Holder } from './holder.js'

/** The entries of one type in one content. Never changes. */
export class DataRegistry<T> {
  readonly #holders: ReadonlyMap<string, Holder<T>>
  readonly #tags: ReadonlyMap<string, readonly Identifier[]>
  readonly #ids: readonly Identifier[]
  readonly #values: readonly Holder<T>[]

  /** Entries in registry order. Ids of tags that have no entry are passed over. */
  constructor(holders: readonly Holder<T>[], tags: ReadonlyMap<string, readonly Identifier[]> = new Map()) {
    this.#values = Object.freeze([...holders])
    this.#ids = Object.freeze(holders.map(({ id }) => id))
    this.#holders = new Map(holders.map((holder) => [holder.id, holder]))
    this.#tags = tags
  }

  get size(): number {
    return this.#ids.length
  }

  get(id: string): Holder<T> | undefined {
    return this.#holders.get(id)
  }

  /** In order of packs, then of ids. */
  ids(): readonly Identifier[] {
    return this.#ids
  }

  /** In the order of `ids`. */
  values(): readonly Holder<T>[] {
    return this.#values
  }

  /** The entries of a tag, named without `#`, in the order of its files; undefined: there is no such tag. */
  tag(id: string): readonly Holder<T>[] | undefined {
    return this.#tags.get(id)?.flatMap((member) => this.#holders.get(member) ?? [])
  }

  tags(): readonly string[] {
    return [...this.#tags.keys()]
  }

  /** The entries that a list of ids and `#tags` names, each once, in the order in which it names them. */
  resolve(refs: readonly string[]): readonly Holder<T>[] {
    const found = new Set<Holder<T>>()
    for (const ref of refs) {
      const named = ref.startsWith('#') ? this.tag(ref.slice(1)) : [this.get(ref)]
      for (const holder of named ?? []) if (holder !== undefined) found.add(holder)
    }
    return [...found]
  }
}
