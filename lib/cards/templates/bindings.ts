import { z } from 'zod'
import { TEMPLATE_LIMITS } from './limits.js'

/** A template that can't be filled with what a card has. Its message is English, for the log. */
export class TemplateError extends Error {}

/** What the names in a template stand for: those of lists around, then the parameters of the card. */
export interface Scope {
  readonly parameters: unknown
  readonly names: ReadonlyMap<string, unknown>
}

const STEP = '[A-Za-z0-9_]{1,64}'
const PATH = `${STEP}(?:\\.${STEP}){0,15}`
const BINDING = new RegExp(`\\{(${PATH})\\}`, 'g')

/** Names a value: `food.points`, `matches.0.name`. */
export const pathSchema = z.string().regex(new RegExp(`^${PATH}$`), 'is no path such as food.points')
/** A condition: that the value is there and is not false, 0 or empty; with `!`, that it isn't so. */
export const whenSchema = z.string().regex(new RegExp(`^!?${PATH}$`), 'is no path such as !food.points')
/** Text in which `{path}` stands for a value. */
export const textSchema = z.string().max(TEMPLATE_LIMITS.textUnits)
/** A number, or the path of one. */
export const numberSchema = z.union([z.number(), pathSchema])

/** The value, or undefined; own members alone are looked at. */
export function valueAt(path: string, { parameters, names }: Scope): unknown {
  const [first = '', ...rest] = path.split('.')
  let value = names.has(first) ? names.get(first) : memberOf(parameters, first)
  for (const step of rest) value = memberOf(value, step)
  return value
}

const memberOf = (value: unknown, step: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string, unknown>>)[step]
    : undefined

/** The text with the values in it, none of which is looked at again. */
export function filled(text: string, scope: Scope): string {
  let whole = ''
  // one capture group: literals at even, paths at odd places
  for (const [index, part] of text.split(BINDING).entries()) {
    whole += index % 2 === 0 ? part : wordsAt(part, scope)
    if (whole.length > TEMPLATE_LIMITS.filledUnits)
      throw new TemplateError(`a text is longer than ${TEMPLATE_LIMITS.filledUnits} characters`)
  }
  return whole
}

function wordsAt(path: string, scope: Scope): string {
  const value = valueAt(path, scope)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new TemplateError(`{${path}} is ${nounOf(value)}, not a text or a number`)
}

/** The number. */
export function numberAt(given: number | string, scope: Scope): number {
  const value = typeof given === 'number' ? given : valueAt(given, scope)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new TemplateError(`${given} is ${nounOf(value)}, not a number`)
}

/** The elements. */
export function listAt(path: string, scope: Scope): readonly unknown[] {
  const value = valueAt(path, scope)
  if (Array.isArray(value)) return value as readonly unknown[]
  throw new TemplateError(`${path} is ${nounOf(value)}, not a list`)
}

export function holds(when: string, scope: Scope): boolean {
  const value = valueAt(when.replace('!', ''), scope)
  const isThere = Array.isArray(value) ? value.length > 0 : Boolean(value)
  return when.startsWith('!') ? !isThere : isThere
}

function nounOf(value: unknown): string {
  if (value === undefined) return 'not there'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `of the type ${typeof value}`
}
