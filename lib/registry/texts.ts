import { PACK_LIMITS, type PackData } from '../packs/index.js'
import type { ContentParts } from './content.js'
import type { DecodeOptions } from './decoding.js'

/** Prompt and catalogue of a model call together may have 24 KiB. */
export const MAX_PROMPT_BYTES = PACK_LIMITS.promptBytes

/** Texts as they are looked up. The thread that read them has left out what can't be used. */
export async function decodeTexts(
  { lang, synonyms, prompts, brokenPrompts }: PackData['texts'],
  options: Pick<DecodeOptions, 'yield'>,
): Promise<Pick<ContentParts, 'languages' | 'synonyms' | 'prompts' | 'brokenPrompts'>> {
  const languages = await together<string>(lang, options)
  return { languages, synonyms: await together<string[]>(synonyms, options), prompts, brokenPrompts }
}

/** Objects by language that came in parts. */
async function together<T>(
  parts: ReadonlyMap<string, readonly string[]>,
  { yield: pause }: Pick<DecodeOptions, 'yield'>,
): Promise<Map<string, Record<string, T>>> {
  const whole = new Map<string, Record<string, T>>()
  for (const [language, texts] of parts) {
    // without a prototype __proto__ is a key like any other
    const members = Object.create(null) as Record<string, T>
    for (const text of texts) {
      Object.assign(members, JSON.parse(text))
      await pause()
    }
    whole.set(language, members)
  }
  return whole
}
