import type { Feature } from '../agent/index.js'
import { catalogueType, type CommerceRegistries } from '../commerce/index.js'
import type { ModuleType } from '../systems/index.js'
import { CHOOSE_MODULE, PICK_MODULE, signinCardType, SIGNIN_MODULE } from './signin-card.js'
import { chooseModule, pickModule, signinModule } from './signin-modules.js'
import { candidateCount, Signins, type SigninParts } from './signin-tools.js'

export { candidatesOf } from './candidates.js'
export { repaired, SIGNIN, todayOf } from './days.js'
export { signinCardType, SIGNIN_MODULE, type SigninCard } from './signin-card.js'

/** What packs configure: `rewards` names what can be had, `candidates` how many of them there are to choose from. */
export const signinModuleType = (registries: CommerceRegistries): ModuleType =>
  catalogueType(
    { type: SIGNIN_MODULE, member: 'rewards', registry: registries.rewards },
    { modules: [SIGNIN_MODULE, PICK_MODULE, CHOOSE_MODULE], parameters: { candidates: candidateCount } },
  )

/** Daily sign-ins: one reward a day, chosen from a few. */
export function signinFeature(parts: SigninParts): Feature {
  return (registration) => {
    const signins = new Signins(parts)
    registration.registry(parts.market.registries.rewards)
    registration.moduleType(signinModuleType(parts.market.registries))
    registration.tool(signins.tool)
    registration.cardType(signinCardType)
    registration.module(signinModule(signins))
    registration.module(pickModule(signins))
    registration.module(chooseModule(signins))
  }
}
