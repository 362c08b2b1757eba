import { namedSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import { isJsonObject } from '../core/json.js'

/** A member of a tag: an id, or a tag as `#id`. */
interface Member {
  readonly name: string
  readonly isRequired: boolean
  /** Index into the tag's files. */
  readonly file: number
  /** Index into the list of that file. */
  readonly at: number
}

/** A tag as its files say, later ones behind earlier ones. */
export interface TagDraft<F> {
  readonly files: F[]
  members: Member[]
}

/** What is wrong in a tag's file. */
export interface TagFault {
  readonly pointer: string
  readonly reason: string
}

/** Adds what one file says; a fault is what was left out of it. */
export function addTagFile<F>(draft: TagDraft<F>, file: F, value: unknown): TagFault | null {
  const list = isJsonObject(value) ? value['values'] : undefined
  if (!isJsonObject(value) || !Array.isArray(list)) return { pointer: '', reason: 'has no list "values"' }
  const replaces = value['replace'] ?? false
  if (typeof replaces !== 'boolean') return { pointer: '/replace', reason: 'is neither true nor false' }
  if (replaces) draft.members = []
  const index = draft.files.push(file) - 1
  const bad: number[] = []
  list.forEach((element: unknown, at) => {
    const member = memberOf(element)
    if (member === null) bad.push(at)
    else draft.members.push({ ...member, file: index, at })
  })
  const [first] = bad
  if (first === undefined) return null
  const more = bad.length === 1 ? '' : `, and ${bad.length - 1} more are not`
  return { pointer: `/values/${first}`, reason: `is neither an id nor a #tag${more}; left out of the tag` }
}

function memberOf(element: unknown): Pick<Member, 'name' | 'isRequired'> | null {
  const required = isJsonObject(element) ? (element['required'] ?? true) : true
  const named = namedSchema.safeParse(isJsonObject(element) ? element['id'] : element)
  if (!named.success || typeof required !== 'boolean' || named.data.length > MEMBER_UNITS) return null
  return { name: named.data, isRequired: required }
}

/** An id's units and the sign of a tag. */
const MEMBER_UNITS = 257

/** The tag that a member names; null: it names no tag. */
export const tagOf = (member: Member): Identifier | null =>
  member.name.startsWith('#') ? (member.name.slice(1) as Identifier) : null
