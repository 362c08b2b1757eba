import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong with a value, and where. */
export interface Fault {
  readonly path: readonly PropertyKey[]
  /** English, one line. */
  readonly reason: string
}

const SHOWN_VALUES = 8

/** The one thing to be said of a value that doesn't decode. */
export function faultOf(issues: readonly Issue[]): Fault {
  const [first] = issues
  return first === undefined ? { path: [], reason: 'is not valid' } : deepest(first, [])
}

/** Of a union the branch that went furthest into the value, then with the fewest faults: its author meant that one. */
function deepest(issue: Issue, above: readonly PropertyKey[]): Fault {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.flatMap((issues) => {
      const faults = issues.map((inner) => deepest(inner, path))
      const depth = faults.reduce((deep, fault) => Math.max(deep, fault.path.length), 0)
      return faults[0] === undefined ? [] : [{ fault: faults[0], depth, count: faults.length }]
    })
    const [best] = branches.sort((a, b) => b.depth - a.depth || a.count - b.count)
    // all stopped at the value itself: none of them is more likely than another
    if (best === undefined || best.depth <= path.length) return { path, reason: unionReason(issue) }
    return best.fault
  }
  if ((issue.code === 'invalid_key' || issue.code === 'invalid_element') && issue.issues[0] !== undefined) {
    const inner = deepest(issue.issues[0], [])
    return issue.code === 'invalid_key'
      ? { path, reason: `its name ${inner.reason}` }
      : { path: [...path, ...inner.path], reason: inner.reason }
  }
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, ...issue.keys.slice(0, 1)], reason: 'is not a known field' }
  return { path, reason: reasonOf(issue) }
}

function unionReason(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const options = 'options' in issue && Array.isArray(issue.options) ? (issue.options as unknown[]) : []
  if (options.length > 0) return `must be ${oneOf(options)}`
  const reasons = new Set(
    issue.errors.flatMap((issues) => issues.slice(0, 1).map((inner) => deepest(inner, []).reason)),
  )
  return reasons.size === 0 ? 'is not valid' : [...reasons].slice(0, SHOWN_VALUES).join(', or ')
}

function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith(' received undefined')
        ? 'is missing'
        : `must be ${article(issue.expected)}`
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`
    case 'too_small':
      return `must ${measure(issue.origin)} at least ${String(issue.minimum)}`.trim()
    case 'too_big':
      return `must ${measure(issue.origin)} at most ${String(issue.maximum)}`.trim()
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue.divisor)}`
    case 'custom':
    case 'invalid_format':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'unrecognized_keys':
      return issue.message
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  nan: 'a number',
}
const article = (kind: string): string => NOUNS[kind] ?? `a ${kind}`

const measure = (origin: string): string => {
  if (origin === 'string') return 'have a length of'
  return origin === 'array' || origin === 'set' || origin === 'map' || origin === 'object'
    ? 'have a size of'
    : 'be'
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map((value) => JSON.stringify(value) ?? String(value))
  const more = values.length > SHOWN_VALUES ? ', …' : ''
  return shown.length === 1 && more === '' ? (shown[0] ?? '') : `one of ${shown.join(', ')}${more}`
}

/** The same in one line, behind the place. */
export function faultText(issues: readonly Issue[]): string {
  const { path, reason } = faultOf(issues)
  return `${pointerOf(path)} ${reason}`.trim()
}

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
