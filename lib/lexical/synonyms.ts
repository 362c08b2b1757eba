import { z } from 'zod'
import { foldText, scanUnits, type Unit } from './analysis.js'

/** UTF-16 units of a phrase. */
export const PHRASE_UNITS = 64
/** Variants of one phrase. */
export const MAX_VARIANTS = 64
const phrase = z.string().min(1).max(PHRASE_UNITS)

/** One `synonyms/<language>.json` of a data pack: a canonical phrase with the variants that stand for it. */
export const synonymsSchema = z.record(phrase, z.array(phrase).min(1).max(MAX_VARIANTS))
export type Synonyms = z.infer<typeof synonymsSchema>

/** Whether something can be a phrase or a variant of one. */
export const isPhrase = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= PHRASE_UNITS

/** Puts canonical phrases in place of their variants. */
export interface SynonymReplacer {
  apply(units: readonly Unit[]): readonly Unit[]
}

interface Rule {
  readonly variant: readonly string[]
  readonly canonical: readonly string[]
}

const textsOf = (text: string): string[] => scanUnits(foldText(text)).map((unit) => unit.text)

/**
 * Compiles synonym tables. At each place the longest variant wins, replacements are not replaced again, and of two
 * tables that give the same variant the first holds. A variant without letters is ignored.
 */
export function compileSynonyms(tables: readonly Synonyms[]): SynonymReplacer {
  const rules = new Map<string, Rule[]>()
  const taken = new Set<string>()
  for (const table of tables)
    for (const [canonicalText, variants] of Object.entries(table))
      for (const variantText of variants) {
        const rule = { variant: textsOf(variantText), canonical: textsOf(canonicalText) }
        const [first] = rule.variant
        const key = rule.variant.join(' ')
        if (first === undefined || rule.canonical.length === 0 || taken.has(key)) continue
        taken.add(key)
        const list = rules.get(first) ?? []
        list.push(rule)
        rules.set(first, list)
      }
  for (const list of rules.values()) list.sort((a, b) => b.variant.length - a.variant.length)
  return { apply: (units) => (rules.size === 0 ? units : replaceAll(units, rules)) }
}

function replaceAll(units: readonly Unit[], rules: ReadonlyMap<string, readonly Rule[]>): readonly Unit[] {
  const output: Unit[] = []
  for (let at = 0; at < units.length;) {
    const unit = units[at]
    if (unit === undefined) break
    const rule = rules.get(unit.text)?.find((candidate) => standsAt(units, at, candidate.variant))
    if (rule === undefined) {
      output.push(unit)
      at += 1
      continue
    }
    const last = units[at + rule.variant.length - 1] ?? unit
    rule.canonical.forEach((text, index) =>
      output.push({ text, start: unit.start, end: last.end, joined: index > 0 || unit.joined }),
    )
    at += rule.variant.length
  }
  return output
}

function standsAt(units: readonly Unit[], at: number, variant: readonly string[]): boolean {
  return variant.every((text, index) => {
    const unit = units[at + index]
    return unit?.text === text && (index === 0 || unit.joined)
  })
}
