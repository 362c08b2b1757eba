import type { Identifier } from '../core/ids.js'
import type { Synonyms } from '../lexical/index.js'
import type { PackProblem, RawEntries, ReadPack } from '../packs/index.js'
import { DataRegistry } from './data-registry.js'
import type { AnyRegistryType, RegistryType } from './registry-type.js'

/** What a content consists of. */
export interface ContentParts {
  readonly version: string
  readonly registries: ReadonlyMap<AnyRegistryType, DataRegistry<unknown>>
  /** By kind: `item`, `block`, `system/system_module`, …. */
  readonly tags: ReadonlyMap<string, ReadonlyMap<Identifier, readonly Identifier[]>>
  readonly languages: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly prompts: ReadonlyMap<string, string>
  /** Names of prompts whose file can't be used. */
  readonly brokenPrompts: readonly string[]
  readonly synonyms: ReadonlyMap<string, Synonyms>
  readonly raw: ReadonlyMap<string, RawEntries>
  readonly packs: readonly ReadPack[]
  readonly problems: readonly PackProblem[]
  readonly moreProblems: number
  /** Entries that were left out. */
  readonly skipped: number
}

/** Everything that was read from packs at one time. Never changes: a reload makes another. */
export class Content implements Omit<ContentParts, 'registries' | 'tags'> {
  readonly version: string
  readonly languages: ContentParts['languages']
  readonly prompts: ContentParts['prompts']
  readonly brokenPrompts: ContentParts['brokenPrompts']
  readonly synonyms: ContentParts['synonyms']
  readonly raw: ContentParts['raw']
  readonly packs: readonly ReadPack[]
  /** What is wrong with the packs, the first 1,000. */
  readonly problems: readonly PackProblem[]
  readonly moreProblems: number
  readonly skipped: number
  readonly #parts: ContentParts
  readonly #registries: ContentParts['registries']
  readonly #tags: ContentParts['tags']
  readonly #sets = new Map<readonly Identifier[], ReadonlySet<Identifier>>()

  constructor(parts: ContentParts) {
    this.#parts = parts
    this.version = parts.version
    this.languages = parts.languages
    this.prompts = parts.prompts
    this.brokenPrompts = parts.brokenPrompts
    this.synonyms = parts.synonyms
    this.raw = parts.raw
    this.packs = parts.packs
    this.problems = parts.problems
    this.moreProblems = parts.moreProblems
    this.skipped = parts.skipped
    this.#registries = parts.registries
    this.#tags = parts.tags
  }

  /** The entries of a type. A type that wasn't registered is a programming error and throws a TypeError. */
  registry<T>(type: RegistryType<T>): DataRegistry<T> {
    const registry = this.#registries.get(type)
    if (registry === undefined) throw new TypeError(`the registry type ${type.id} is not registered`)
    // made of entries that this very type decoded
    return registry as DataRegistry<T>
  }

  /** The same with other prompts. */
  withPrompts(prompts: ReadonlyMap<string, string>): Content {
    return new Content({ ...this.#parts, prompts })
  }

  /** Every registry with its type, in order of registration. */
  registries(): ReadonlyMap<AnyRegistryType, DataRegistry<unknown>> {
    return this.#registries
  }

  /** Tags of a kind such as `item` or `entity_type`; of a registry type's folder too. */
  tags(kind: string): ReadonlyMap<Identifier, readonly Identifier[]> {
    return this.#tags.get(kind) ?? NO_TAGS
  }

  /** What a tag holds, as a set that is made once. */
  tagged(kind: string, id: Identifier): ReadonlySet<Identifier> | undefined {
    const tag = this.tags(kind).get(id)
    if (tag === undefined) return undefined
    const set = this.#sets.get(tag) ?? new Set(tag)
    this.#sets.set(tag, set)
    return set
  }

  /** Kinds there are tags of. */
  tagKinds(): readonly string[] {
    return [...this.#tags.keys()]
  }
}

const NO_TAGS: ReadonlyMap<Identifier, readonly Identifier[]> = new Map()

/** What there is before packs were read: every registry, without entries. */
export const emptyContent = (types: readonly AnyRegistryType[]): Content =>
  new Content({
    version: 'none',
    registries: new Map(types.map((type) => [type, new DataRegistry<unknown>([])])),
    tags: new Map(),
    languages: new Map(),
    prompts: new Map(),
    brokenPrompts: [],
    synonyms: new Map(),
    raw: new Map(),
    packs: [],
    problems: [],
    moreProblems: 0,
    skipped: 0,
  })
