import type { Feature } from '../agent/index.js'
import { orderCardType } from './order-card.js'

/** What everything that sells shares. */
export const commerceFeature: Feature = (registration) => {
  registration.cardType(orderCardType)
}
