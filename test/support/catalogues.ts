import { readFileSync } from 'node:fs'
import { Languages, parseCatalogue } from '../../lib/text/index.js'

/** The source of a shipped language file. */
export const catalogueSource = (lang: string): string =>
  readFileSync(new URL(`../../../datapacks/default/data/system/lang/${lang}.json`, import.meta.url), 'utf8')

/** A shipped language file, decoded as the product does. */
export function catalogue(lang: string): Readonly<Record<string, string>> {
  const parsed = parseCatalogue(JSON.parse(catalogueSource(lang)))
  if (!parsed.ok) throw new Error(`${lang} is refused`, { cause: parsed.failure.cause })
  return parsed.value
}

/** The shipped languages; a missing key fails the test that asked for it. */
export function shippedLanguages(): Languages {
  const catalogues = new Map(['en_us', 'zh_cn'].map((lang) => [lang, catalogue(lang)]))
  return new Languages(catalogues, 'en_us', (key) => {
    throw new Error(`no text for ${key}`)
  })
}
