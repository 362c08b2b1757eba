import { z } from 'zod'

/** Version of the files that this program reads. */
export const VERSION = 1

export const version = z.literal(VERSION).default(VERSION)

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
