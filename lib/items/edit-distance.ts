/** Longest text compared, UTF-16 units: above the longest item name. */
const MAX_LENGTH = 128
const WIDTH = MAX_LENGTH + 1
/** The last three rows of the table, kept between calls. */
const rows = new Uint8Array(3 * WIDTH)

/**
 * Edits (insert, delete, replace, swap of neighbours) that turn one text into the other, or `limit + 1` as soon as
 * more than `limit` are certain or a text is longer than 128.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit || Math.max(a.length, b.length) > MAX_LENGTH) return limit + 1
  for (let column = 0; column <= b.length; column += 1) rows[column] = column
  for (let row = 1; row <= a.length; row += 1) if (fillRow(a, b, row) > limit) return limit + 1
  return rows[(a.length % 3) * WIDTH + b.length] ?? limit + 1
}

/** Fills row `row` from the two before it and returns its least value. */
function fillRow(a: string, b: string, row: number): number {
  const own = (row % 3) * WIDTH
  const above = ((row + 2) % 3) * WIDTH
  const before = ((row + 1) % 3) * WIDTH
  rows[own] = row
  let least = row
  for (let column = 1; column <= b.length; column += 1) {
    const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1)
    let cost = Math.min(
      at(above + column) + 1,
      at(own + column - 1) + 1,
      at(above + column - 1) + (same ? 0 : 1),
    )
    const isSwap =
      row > 1 &&
      column > 1 &&
      a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
      a.charCodeAt(row - 2) === b.charCodeAt(column - 1)
    if (isSwap) cost = Math.min(cost, at(before + column - 2) + 1)
    rows[own + column] = cost
    if (cost < least) least = cost
  }
  return least
}

const at = (place: number): number => rows[place] ?? 0
