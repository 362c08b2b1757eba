import type { Result } from '../core/result.js'
import type { Content } from '../registry/index.js'
import type { Reward } from '../rewards/index.js'
import type { CommerceRegistries } from './catalogue.js'

/** How much there is to give, sell and draw. */
export interface CatalogueState {
  /** Another one after each reading of the packs. */
  readonly version: string
  readonly signin: number
  readonly offers: number
  readonly pools: number
  /** Entries among them that give what this server has not: they are shown to nobody, or can't be bought. */
  readonly unusable: number
}

/** Counts what packs have put up; `promise` tells whether rewards can be given. */
export function catalogueState(
  content: Content,
  registries: CommerceRegistries,
  promise: (rewards: readonly Reward[]) => Result<unknown>,
): CatalogueState {
  const signin = content.registry(registries.rewards).values()
  const offers = content.registry(registries.offers).values()
  const pools = content.registry(registries.pools).values()
  const given: (readonly (readonly Reward[])[])[] = [
    ...[...signin, ...offers].map(({ value }) => [value.rewards]),
    ...pools.map(({ value }) => value.prizes.map(({ rewards }) => rewards)),
  ]
  return {
    version: content.version,
    signin: signin.length,
    offers: offers.length,
    pools: pools.length,
    unusable: given.filter((all) => all.some((rewards) => !promise(rewards).ok)).length,
  }
}
