import { fail, ok, type Result } from '../core/result.js'

/** Longest answer that prompts ask for, characters; much longer ones are cut. */
const ANSWER_LIMIT = 600

/** What the placeholders stand for that any prompt may have. All of it is the same for each request of a server. */
export const standardValues = (gameVersion: string) => ({
  game: `Minecraft ${gameVersion}`,
  answer_limit: String(ANSWER_LIMIT),
})

const STANDARD: readonly string[] = Object.keys(standardValues(''))

/** What a text in the place of a prompt must and may fill in. */
export interface PromptRule {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

const PLACEHOLDER = /\{\{(.*?)\}\}/gs
const NAME = /^[a-z][a-z0-9_]{0,63}$/
/** Longest part of a wrong one that is named. */
const SHOWN = 40

/** The names between `{{` and `}}`, each once, in order of appearance. */
const placeholdersOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '')),
]

/** What is wrong with the placeholders of a prompt itself; null: nothing. */
export function promptFault(text: string): string | null {
  const bad = placeholdersOf(text).find((name) => !NAME.test(name))
  return bad === undefined ? null : `{{${bad.slice(0, SHOWN)}}} is no placeholder`
}

/** The prompt declares by its own text: what stands in it is required, and the standard ones may come. */
const promptRule = (text: string): PromptRule => ({
  required: placeholdersOf(text).filter((name) => !STANDARD.includes(name)),
  optional: STANDARD,
})

/** Rules by the names of the prompts. */
export const promptRules = (
  prompts: Iterable<readonly [string, string]>,
): Readonly<Record<string, PromptRule>> =>
  Object.fromEntries([...prompts].map(([name, text]) => [name, promptRule(text)]))

/** Why a text can't stand in the prompt's place; null: it can. */
export function overrideFault(text: string, { required, optional }: PromptRule): string | null {
  const found = placeholdersOf(text)
  const unknown = found.find((name) => !required.includes(name) && !optional.includes(name))
  if (unknown !== undefined) return `has an unknown placeholder {{${unknown.slice(0, SHOWN)}}}`
  const missing = required.find((name) => !found.includes(name))
  return missing === undefined ? null : `lacks the placeholder {{${missing}}}`
}

/** The prompt with its values, put in literally and once; `system:internal` when one is missing. */
export function filledPrompt(text: string, values: Readonly<Record<string, string>>): Result<string> {
  const missing = placeholdersOf(text).find((name) => !Object.hasOwn(values, name))
  if (missing !== undefined)
    return fail('system:internal', {}, new Error(`no value for {{${missing.slice(0, SHOWN)}}} of a prompt`))
  return ok(text.replace(PLACEHOLDER, (_, name: string) => values[name] ?? ''))
}
