import { PACK_LIMITS, type PackData } from '../packs/index.js'
import type { ContentParts } from './content.js'
import type { DecodeOptions } from './decoding.js'

/** Prompt and catalogue of a model call together may have 24 KiB. */
export const MAX_PROMPT_BYTES = PACK_LIMITS.promptBytes

/** Texts as they are looked up. The thread that read them has left out what can't be used. */
export async function decodeTexts(
  { lang, synonyms, prompts }: PackData['texts'],
  options: Pick<DecodeOptions, 'yield'>,
): Promise<Pick<ContentParts, 'languages' | 'synonyms' | 'prompts'>> {
  const languages = new Map<string, Readonly<Record<string, string>>>()
  for (const [language, chunks] of lang) {
    // without a prototype __proto__ is a key like any other
    const sentences = Object.create(null) as Record<string, string>
    for (const chunk of chunks) {
      Object.assign(sentences, JSON.parse(chunk))
      await options.yield()
    }
    languages.set(language, sentences)
  }
  return { languages, synonyms, prompts }
}
