import type { Identifier } from '../core/ids.js'
import type { Decoded, DecodedType, Decoding } from './decoding.js'
import { pointerOf } from './reasons.js'
import type { Reference } from './registry-type.js'

/** More than any author writes: what names more is a generator without an end. */
const MAX_REFERENCES = 100_000
/** References to what the game itself has: packs hold their tags alone. */
const GAME = 'minecraft:'

/** One entry of one type. */
interface Spot {
  readonly type: DecodedType
  readonly id: Identifier
}

/** That an entry names another one. */
interface Edge {
  readonly from: Spot
  readonly reference: Reference
}

/**
 * Takes out entries that name a missing one, then those that name these, until nothing changes: each entry and each
 * reference is looked at once. Gives how many were taken out.
 */
export async function checkReferences(types: readonly DecodedType[], decoding: Decoding): Promise<number> {
  const check = new ReferenceCheck(types, decoding)
  for (const type of types) {
    if (type.type.references === undefined) continue
    for (const [id, entry] of type.entries) {
      check.look({ type, id }, entry)
      await decoding.options.yield()
    }
  }
  return check.takeOut()
}

class ReferenceCheck {
  readonly #types: ReadonlyMap<string, DecodedType>
  readonly #decoding: Decoding
  /** Who names an entry. */
  readonly #named = new Map<string, Edge[]>()
  readonly #bad = new Map<string, Spot>()

  constructor(types: readonly DecodedType[], decoding: Decoding) {
    this.#types = new Map(types.map((type) => [type.type.id, type]))
    this.#decoding = decoding
  }

  /** Notes what an entry names; one that names something missing is found bad. */
  look(spot: Spot, { holder }: Decoded): void {
    const { type } = spot.type
    try {
      let count = 0
      for (const reference of type.references?.(holder.value) ?? []) {
        count += 1
        if (count > MAX_REFERENCES) throw new RangeError(`more than ${MAX_REFERENCES} references`)
        const reason = reference.required === false ? null : this.#missing(reference)
        if (reason !== null) return this.#spoil(spot, pointerOf(reference.pointer), reason)
        if (reference.required !== false) this.#note({ from: spot, reference })
      }
    } catch (thrown) {
      this.#decoding.options.onThrown?.(type, spot.id, thrown)
      this.#spoil(spot, '', `what it names as ${type.id} could not be read`)
    }
  }

  async takeOut(): Promise<number> {
    // grows while it is walked
    for (const { type, id } of this.#bad.values()) {
      type.entries.delete(id)
      for (const { from, reference } of this.#named.get(keyOf(type.type.id, id)) ?? [])
        this.#spoil(from, pointerOf(reference.pointer), `names ${id} of ${type.type.id}, which was left out`)
      await this.#decoding.options.yield()
    }
    return this.#bad.size
  }

  #note(edge: Edge): void {
    const { registry, ref } = edge.reference
    if (ref.startsWith('#') || !this.#types.has(registry)) return
    const key = keyOf(registry, ref)
    const list = this.#named.get(key)
    if (list === undefined) this.#named.set(key, [edge])
    else list.push(edge)
  }

  /** The first reason holds. */
  #spoil(spot: Spot, pointer: string, reason: string): void {
    const key = keyOf(spot.type.type.id, spot.id)
    const source = spot.type.entries.get(spot.id)?.source
    if (source === undefined || this.#bad.has(key)) return
    this.#bad.set(key, spot)
    this.#decoding.problems.add({ pack: source.pack, file: source.file, pointer, reason })
  }

  /** Why the reference leads nowhere; null: it leads somewhere, or to what packs don't hold. */
  #missing({ registry, ref }: Reference): string | null {
    const { data } = this.#decoding
    const target = this.#types.get(registry)
    if (target === undefined && !registry.startsWith(GAME))
      return `names ${ref} of ${registry}, which is no registry`
    if (ref.startsWith('#')) {
      const tags = data.tags.get(target?.type.folder ?? registry.slice(GAME.length))
      // ids come from packs: a tag's is one or isn't there
      return tags?.has(ref.slice(1) as Identifier) === true
        ? null
        : `names the tag ${ref} of ${registry}, which does not exist`
    }
    if (target === undefined || target.entries.has(ref as Identifier)) return null
    return data.entries.get(target.type.folder)?.has(ref as Identifier) === true
      ? `names ${ref} of ${registry}, which was left out`
      : `names ${ref} of ${registry}, which does not exist`
  }
}

const keyOf = (registry: string, id: string): string => `${registry} ${id}`
