import { fail, ok, type Result } from '../core/result.js'
import { plainText } from './plain.js'

/** Bounds of one language file; ours have a few hundred short sentences. */
const MAX_KEYS = 20_000
const MAX_KEY_LENGTH = 256
const MAX_TEMPLATE_LENGTH = 4_096
const KEY = /^[A-Za-z0-9_.:/-]+$/

/**
 * A language file's JSON as a table of templates. Anything else than an object of short strings is
 * `system:protocol`, whose cause names the first bad key for the log.
 */
export function parseCatalogue(json: unknown): Result<Record<string, string>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return refused('not an object')
  const entries: readonly [string, unknown][] = Object.entries(json)
  if (entries.length > MAX_KEYS) return refused(`more than ${MAX_KEYS} keys`)
  const templates: [string, string][] = []
  for (const [key, template] of entries) {
    if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) return refused(`bad key ${shown(key)}`)
    if (typeof template !== 'string') return refused(`${shown(key)} is not a string`)
    if (template.length > MAX_TEMPLATE_LENGTH) return refused(`${shown(key)} is too long`)
    templates.push([key, template])
  }
  // fromEntries defines own properties: a key such as __proto__ is data like any other
  return ok(Object.fromEntries(templates))
}

const shown = (key: string): string => JSON.stringify(plainText(key, { limit: 64 }))
const refused = (problem: string): Result<never> =>
  fail('system:protocol', {}, new Error(`language file: ${problem}`))
