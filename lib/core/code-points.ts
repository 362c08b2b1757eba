/** The number of Unicode code points of the text: what input and output limits count. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Whether the text has more code points than the limit; looks at no more of a huge text than it must. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > limit && headPoints(text, limit).length < text.length

/** The first `count` code points; never half of a surrogate pair. */
export function headPoints(text: string, count: number): string {
  let end = 0
  for (let taken = 0; taken < count && end < text.length; taken += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** The text, or its first `limit` − 1 code points and an ellipsis; empty for a limit of 0. */
export function clipCodePoints(text: string, limit: number): string {
  if (!isLongerThan(text, limit)) return text
  return limit < 1 ? '' : `${headPoints(text, limit - 1)}…`
}
