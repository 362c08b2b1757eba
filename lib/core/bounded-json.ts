import { utf8Bytes } from './json.js'

/**
 * JSON text of at most `maxBytes` UTF-8 bytes. Where it would be longer, the longest list is shortened, again and
 * again, and its object gets `"more": n` with the number of dropped elements (added to a number that it has already);
 * a list at the root becomes `{ "items": […], "more": n }`. JSON is never cut inside, the value is not changed. Null
 * when no list is left to shorten. Throws what `JSON.stringify` throws.
 */
export function boundedJson(value: unknown, maxBytes: number): string | null {
  const whole = JSON.stringify(value)
  if (whole === undefined) return null
  if (utf8Bytes(whole) <= maxBytes) return whole
  const copy: unknown = JSON.parse(whole)
  const root: unknown = Array.isArray(copy) ? { items: copy } : copy
  for (;;) {
    const longest = longestList(root)
    if (longest === null) return null
    const { owner, key, list } = longest
    const kept = Math.floor(list.length / 2)
    const before = typeof owner['more'] === 'number' ? owner['more'] : 0
    owner[key] = list.slice(0, kept)
    owner['more'] = before + list.length - kept
    const text = JSON.stringify(root)
    if (utf8Bytes(text) <= maxBytes) return text
  }
}

interface FoundList {
  readonly owner: Record<string, unknown>
  readonly key: string
  readonly list: readonly unknown[]
  readonly size: number
}

/** A list of one goes last: what it holds may be a list that can still be shortened. */
const isBefore = (a: FoundList, b: FoundList): boolean =>
  a.list.length > 1 === b.list.length > 1 ? a.size > b.size : a.list.length > 1

/** The list with the longest JSON text that is a member of an object. */
function longestList(node: unknown): FoundList | null {
  if (typeof node !== 'object' || node === null) return null
  let best: FoundList | null = null
  const offer = (found: FoundList | null): void => {
    if (found !== null && (best === null || isBefore(found, best))) best = found
  }
  if (Array.isArray(node)) {
    for (const element of node) offer(longestList(element))
    return best
  }
  for (const [key, member] of Object.entries(node)) {
    if (Array.isArray(member) && member.length > 0) {
      offer({
        owner: node as Record<string, unknown>,
        key,
        list: member,
        size: JSON.stringify(member).length,
      })
    }
    offer(longestList(member))
  }
  return best
}
