/** The number of Unicode code points of the text: what input and output limits count. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The text, cut to `limit` code points (1 or more) of which the last is then an ellipsis; a surrogate pair is never split. */
export function clipCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text
  let kept = ''
  let count = 0
  for (const character of text) {
    if (count === limit - 1) return codePoints(text) <= limit ? text : `${kept}…`
    kept += character
    count++
  }
  return text
}
