import { z } from 'zod'
import { namedSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import { isJsonObject } from '../core/json.js'

/** An id's units and the sign of a tag. */
const MEMBER_UNITS = 257
const nameSchema = namedSchema.refine((name) => name.length <= MEMBER_UNITS)
const memberSchema = z.union([
  nameSchema.transform((name) => ({ name, isRequired: true })),
  z
    .object({ id: nameSchema, required: z.boolean().default(true) })
    .transform(({ id, required }) => ({ name: id, isRequired: required })),
])
const replaceSchema = z.boolean().default(false)

/** A tag's file. It is read member by member, so that a bad one costs itself alone. */
export const tagSchema = z.object({ replace: replaceSchema, values: z.array(memberSchema) })

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
  const replaces = replaceSchema.safeParse(value['replace'])
  if (!replaces.success) return { pointer: '/replace', reason: 'is neither true nor false' }
  if (replaces.data) draft.members = []
  const index = draft.files.push(file) - 1
  const bad: number[] = []
  list.forEach((element: unknown, at) => {
    const member = memberSchema.safeParse(element)
    if (member.success) draft.members.push({ ...member.data, file: index, at })
    else bad.push(at)
  })
  const [first] = bad
  if (first === undefined) return null
  const more = bad.length === 1 ? '' : `, and ${bad.length - 1} more are not`
  return { pointer: `/values/${first}`, reason: `is neither an id nor a #tag${more}; left out of the tag` }
}

/** The tag that a member names; null: it names no tag. */
export const tagOf = (member: Member): Identifier | null =>
  member.name.startsWith('#') ? (member.name.slice(1) as Identifier) : null
