import type { Identifier } from '../core/ids.js'

/** Between the id of a table and the key of a row. An id has no `#`, a key may. */
export const ROW_MARK = '#'

/** With the longest id a key of this length is still the name of a part, UTF-16 units. */
const KEY_UNITS = 240

/** Whether the text can be the key of a row, of a player's record or of a database: 1 to 240 UTF-16 units, no half character. */
export const isRowKey = (key: string): boolean =>
  key.length > 0 && key.length <= KEY_UNITS && !/\p{Surrogate}/u.test(key)

/** The name of a part in its record; null for a type that is one part. */
export const partName = (id: Identifier, key: string | null): string =>
  key === null ? id : `${id}${ROW_MARK}${key}`
