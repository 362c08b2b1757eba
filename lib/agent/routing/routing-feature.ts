import type { Feature } from '../registration.js'
import { clarifyCard } from './clarify-card.js'
import { nearestCard } from './nearest-card.js'

/** What routing itself shows. */
export const routingFeature: Feature = (registration) => {
  registration.cardType(nearestCard)
  registration.cardType(clarifyCard)
}
