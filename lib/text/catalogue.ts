import { z } from 'zod'
import { fail, ok, type Result } from '../core/result.js'
import { plainText } from './plain.js'

/** Bounds of one language file; ours have a few hundred short sentences. */
const MAX_KEYS = 20_000
const MAX_KEY_LENGTH = 256
const MAX_TEMPLATE_LENGTH = 4_096
const keySchema = z
  .string()
  .max(MAX_KEY_LENGTH)
  .regex(/^[A-Za-z0-9_.:/-]+$/)
const templateSchema = z.string().max(MAX_TEMPLATE_LENGTH)

/** One language file: sentences by key. */
export const catalogueSchema = z.record(keySchema, templateSchema)

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
    const problem = catalogueProblem(key, template)
    if (problem !== null) return refused(`${shown(key)} ${problem}`)
    templates.push([key, String(template)])
  }
  // fromEntries defines own properties: a key such as __proto__ is data like any other
  return ok(Object.fromEntries(templates))
}

/** Why a sentence can't be used; null: it can, and is a string. */
export function catalogueProblem(key: string, template: unknown): string | null {
  if (!keySchema.safeParse(key).success) return 'is no key of a text'
  if (typeof template !== 'string') return 'is not a string'
  return templateSchema.safeParse(template).success ? null : 'is too long'
}

const shown = (key: string): string => JSON.stringify(plainText(key, { limit: 64 }))
const refused = (problem: string): Result<never> =>
  fail('system:protocol', {}, new Error(`language file: ${problem}`))
