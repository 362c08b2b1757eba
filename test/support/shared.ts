import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A path below `../shared` beside the repository, where data of others lies; null where it is absent. */
export function sharedPath(path: string): string | null {
  const found = fileURLToPath(new URL(`../../../../shared/${path}`, import.meta.url))
  return existsSync(found) ? found : null
}

/** The folder of vanilla language files, and the options of a test that needs it. */
export const VANILLA_LANGUAGES = sharedPath('data/vanilla/lang-1.21.4')
export const WITH_LANGUAGES = {
  skip: VANILLA_LANGUAGES === null ? 'no vanilla language files beside the repository' : false,
}

/** Real quest books, and the options of a test that needs them. */
export const QUEST_BOOKS = sharedPath('data/ftbquests')
export const WITH_QUEST_BOOKS = {
  skip: QUEST_BOOKS === null ? 'no quest books beside the repository' : false,
}
