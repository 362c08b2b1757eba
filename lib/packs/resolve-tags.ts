import type { Identifier } from '../core/ids.js'
import type { TimeSlice } from '../core/time-slice.js'
import { PACK_LIMITS } from './limits.js'
import { count, listed } from './problems.js'
import { inOrderOfUse } from './tag-order.js'
import { tagOf, type TagDraft } from './tags.js'

/** Members that are looked at, over those that are kept: the same id may come by many ways. */
const LOOKS = 8 * PACK_LIMITS.tagMembers

/** What is wrong with tags of one file, for one problem. */
export interface TagProblem<F> {
  readonly file: F
  readonly pointer: string
  readonly reason: string
  readonly warning?: true
}

interface ResolveOptions<F> {
  /** Whether an entry is there, in registries whose entries are known; null: they aren't. */
  known(registry: string): ((id: Identifier) => boolean) | null
  /** Whether any pack has something of the namespace. */
  hasNamespace(namespace: string): boolean
  report(problem: TagProblem<F>): void
  readonly slice: TimeSlice
}

/** What a file names that isn't there. */
interface Dangling {
  readonly first: number
  readonly names: string[]
}

/**
 * Puts in place of each `#tag` the members of that tag. A required reference that leads nowhere is left out and named,
 * the tag stays: vanilla drops the whole tag, and all that name it, for one missing pack. Tags that lead to themselves
 * are named once, and what they name of each other is left out. Time and members are bounded for all tags together.
 */
export class TagResolver<F> {
  readonly #options: ResolveOptions<F>
  #membersLeft: number = PACK_LIMITS.tagMembers
  #looksLeft = LOOKS
  #cut = 0

  constructor(options: ResolveOptions<F>) {
    this.#options = options
  }

  /** Resolves the tags of one registry. */
  async resolve(
    registry: string,
    drafts: ReadonlyMap<Identifier, TagDraft<F>>,
  ): Promise<Map<Identifier, readonly Identifier[]>> {
    const edges = new Map<Identifier, Identifier[]>()
    for (const [id, { members }] of drafts) {
      const named = members.map(tagOf).filter((tag) => tag !== null && drafts.has(tag))
      edges.set(id, [...new Set(named)] as Identifier[])
      if (this.#options.slice.isOver()) await this.#options.slice.next()
    }
    const resolved = new Map<Identifier, readonly Identifier[]>()
    const cut = new Set<Identifier>()
    const isKnown = this.#options.known(registry)
    for (const group of await inOrderOfUse(edges, this.#options.slice)) {
      const [first] = group
      if (first !== undefined && (group.length > 1 || edges.get(first)?.includes(first) === true))
        this.#reportCycle(group, drafts)
      const together = new Set(group)
      for (const id of group) {
        const draft = drafts.get(id)
        const members = draft && this.#membersOf(draft, { resolved, together, isKnown })
        if (members === null) cut.add(id)
        resolved.set(id, members ?? [])
        if (this.#options.slice.isOver()) await this.#options.slice.next()
      }
    }
    this.#cut += cut.size
    // in the order in which packs brought them
    const kept = [...drafts.keys()].filter((id) => !cut.has(id))
    return new Map(kept.map((id) => [id, resolved.get(id) ?? []]))
  }

  /** Says once, when all are resolved, that tags were too large. */
  finish(file: F): void {
    if (this.#cut === 0) return
    const reason = `the tags hold or repeat more than ${count(PACK_LIMITS.tagMembers)} ids together; ${count(this.#cut)} tags are left out`
    this.#options.report({ file, pointer: '', reason })
  }

  /** Null: it has no room. */
  #membersOf(
    draft: TagDraft<F>,
    {
      resolved,
      together,
      isKnown,
    }: {
      readonly resolved: ReadonlyMap<Identifier, readonly Identifier[]>
      readonly together: ReadonlySet<Identifier>
      readonly isKnown: ((id: Identifier) => boolean) | null
    },
  ): readonly Identifier[] | null {
    const members = new Set<Identifier>()
    const dangling = new Map<number, Dangling>()
    for (const member of draft.members) {
      const tag = tagOf(member)
      if (tag !== null && together.has(tag)) continue
      const id = member.name as Identifier
      const found = tag === null ? (isKnown === null || isKnown(id) ? [id] : undefined) : resolved.get(tag)
      if (found === undefined && member.isRequired) note(dangling, member)
      this.#looksLeft -= 1 + (found?.length ?? 0)
      if (this.#looksLeft < 0) break
      for (const each of found ?? []) members.add(each)
    }
    this.#reportDangling(draft, dangling)
    // a tag without members crosses to another thread too
    this.#membersLeft -= members.size + 1
    if (this.#looksLeft >= 0 && this.#membersLeft >= 0) return [...members]
    this.#membersLeft += members.size + 1
    return null
  }

  #reportDangling({ files }: TagDraft<F>, dangling: ReadonlyMap<number, Dangling>): void {
    for (const [at, { first, names }] of dangling) {
      const file = files[at]
      if (file === undefined) continue
      // the game's own pack is usually not installed, and packs rest on others
      const isElsewhere = names.every(
        (name) => name.startsWith('#') && !this.#options.hasNamespace(namespaceOf(name)),
      )
      const reason = `names ${listed(names)}, which no pack has; left out of the tag`
      const problem = { file, pointer: `/values/${first}`, reason }
      this.#options.report(isElsewhere ? { ...problem, warning: true } : problem)
    }
  }

  #reportCycle(group: readonly Identifier[], drafts: ReadonlyMap<Identifier, TagDraft<F>>): void {
    const ids = [...group].sort()
    const file = drafts.get(ids[0] as Identifier)?.files[0]
    if (file === undefined) return
    const reason = `tags lead to themselves: ${listed(ids.map((id) => `#${id}`))}; what they name of each other is left out`
    this.#options.report({ file, pointer: '', reason })
  }
}

const namespaceOf = (name: string): string => name.slice(1, name.indexOf(':'))

function note(
  dangling: Map<number, Dangling>,
  { file, at, name }: TagDraft<unknown>['members'][number],
): void {
  const known = dangling.get(file)
  if (known === undefined) dangling.set(file, { first: at, names: [name] })
  else known.names.push(name)
}
