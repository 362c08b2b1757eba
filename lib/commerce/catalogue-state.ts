import type { Failure } from '../core/failure.js'
import type { Identifier } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { Content } from '../registry/index.js'
import type { Reward } from '../rewards/index.js'
import type { CommerceRegistries } from './catalogue.js'

/** An entry that gives what this server has not: it is shown to nobody, or can't be bought. */
export interface UnusableEntry {
  readonly registry: Identifier
  readonly id: Identifier
  readonly failure: Failure
}

/** How much there is to give, sell and draw. */
export interface CatalogueState {
  /** Another one after each reading of the packs. */
  readonly version: string
  readonly signin: number
  readonly offers: number
  readonly pools: number
  readonly unusable: readonly UnusableEntry[]
}

/** Looks at what packs have put up; `promise` tells whether rewards can be given. */
export function catalogueState(
  content: Content,
  registries: CommerceRegistries,
  promise: (rewards: readonly Reward[]) => Result<unknown>,
): CatalogueState {
  const signin = content.registry(registries.rewards).values()
  const offers = content.registry(registries.offers).values()
  const pools = content.registry(registries.pools).values()
  const unusable: UnusableEntry[] = []
  const look = (registry: Identifier, id: Identifier, given: readonly (readonly Reward[])[]): void => {
    const broken = given.map(promise).find(({ ok }) => !ok)
    if (broken?.ok === false) unusable.push({ registry, id, failure: broken.failure })
  }
  for (const { id, value } of signin) look(registries.rewards.id, id, [value.rewards])
  for (const { id, value } of offers) look(registries.offers.id, id, [value.rewards])
  for (const { id, value } of pools)
    look(
      registries.pools.id,
      id,
      value.prizes.map(({ rewards }) => rewards),
    )
  return {
    version: content.version,
    signin: signin.length,
    offers: offers.length,
    pools: pools.length,
    unusable,
  }
}
