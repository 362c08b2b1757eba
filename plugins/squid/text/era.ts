import type { Identifier } from '../../../lib/core/ids.js'
import type { SquidServer } from '../types.js'

/** How components travel in the server's version. */
export interface TextEra {
  /** From 1.20.3: NBT instead of a JSON string. */
  readonly nbt: boolean
  /** From 1.19: a packet of its own for system messages. */
  readonly systemChat: boolean
  /** From 1.19.4: a translation's fallback is honoured. */
  readonly fallback: boolean
  /** Whether an unmodified client of the version has that translation key. */
  hasKey(key: string): boolean
}

/** The server's era, from feature flags only. */
export function textEra(serv: Pick<SquidServer, 'supportFeature' | 'registry'>): TextEra {
  const language = serv.registry.language ?? {}
  return {
    nbt: serv.supportFeature('chatPacketsUseNbtComponents'),
    systemChat: serv.supportFeature('signedChat'),
    // no flag names it; bundle packets came in the same version
    fallback: serv.supportFeature('hasBundlePacket'),
    hasKey: (key) => Object.hasOwn(language, key),
  }
}

/** The translation key of an item in the server's version: most blocks have only a block key. */
export function itemKeys(era: TextEra): (item: Identifier) => string {
  return (item) => {
    const path = item.replace(':', '.').replaceAll('/', '.')
    return !era.hasKey(`item.${path}`) && era.hasKey(`block.${path}`) ? `block.${path}` : `item.${path}`
  }
}
