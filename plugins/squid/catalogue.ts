import { catalogueState, type CatalogueState, type Market } from '../../lib/commerce/index.js'
import type { Failure } from '../../lib/core/failure.js'
import type { Logger } from '../../lib/core/logger.js'
import type { Content } from '../../lib/registry/index.js'

/** So many entries get a line of their own. */
const LINES = 20

/** A content never changes, so it is looked at once. */
const states = new WeakMap<Content, CatalogueState>()

/** What a content has to give, sell and draw. */
export function catalogueOf({ registries, trade }: Market, content: Content): CatalogueState {
  const state =
    states.get(content) ?? catalogueState(content, registries, (rewards) => trade.promise(rewards))
  states.set(content, state)
  return state
}

/** Tells the host of entries that players can't have, and why. */
export function logUnusable(logger: Logger, { unusable }: CatalogueState): void {
  for (const { registry, id, failure } of unusable.slice(0, LINES))
    logger.warn(`packs: ${registry} ${id} can't be given on this server: ${reasonOf(failure)}`)
  const rest = unusable.length - LINES
  if (rest > 0) logger.warn(`packs: and ${rest} more that can't be given`)
}

/** What a reward's own kind has found, which is wrapped in a failure for players. */
function reasonOf({ code, params, cause }: Failure): string {
  if (typeof cause === 'object' && cause !== null && 'code' in cause && 'params' in cause)
    return reasonOf(cause as Failure)
  if (typeof cause === 'string') return cause
  const facts = Object.entries(params).map(([name, value]) => ` ${name}=${String(value)}`)
  return `${code}${facts.join('')}`
}
