import { z } from 'zod'

/** Version of the files that this program reads. */
export const VERSION = 1

export const version = z.literal(VERSION).default(VERSION).describe('Version of this file.')

export const timeZone = z.string().refine(isTimeZone, 'must be an IANA time zone')

/** `Intl.supportedValuesOf` lists one name of each zone only: not `Asia/Kolkata`, `Europe/Kyiv` or `GMT`. */
function isTimeZone(zone: string): boolean {
  try {
    // an offset such as `+01:00` has no days that begin at midnight the whole year
    return (
      /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions() !== null
    )
  } catch {
    return false
  }
}

/** Marks a field that is read when the server starts and then no more, and says what it is. */
export const startOnly = (description: string) => ({
  description: `${description} Read when the server starts.`,
  isStartOnly: true,
})

/** The object schema behind a field's default, if the field is an object of ours; it is read member by member. */
export function objectInside(field: unknown): z.ZodObject | null {
  if (field instanceof z.ZodObject) return field
  if (field instanceof z.ZodPrefault) return objectInside(field.def.innerType)
  return null
}

/** A place of a file that has a value of its own. */
export interface Field {
  readonly path: readonly string[]
  readonly isStartOnly: boolean
}

/** All places of a file; an object that is read at the start only is one. */
export function fieldsOf(schema: z.ZodObject, above: readonly string[] = []): readonly Field[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const path = [...above, key]
    const isStartOnly = (field as z.ZodType).meta()?.['isStartOnly'] === true
    const inner = objectInside(field)
    return inner === null || isStartOnly ? [{ path, isStartOnly }] : fieldsOf(inner, path)
  })
}
