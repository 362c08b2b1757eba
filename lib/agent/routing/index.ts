/** Local lexical routing, engine `lexical-tfidf-v1`: from a sentence to a module without a model. */
export { complexPhrasing, type ComplexPhrasing } from './complex-phrasing.js'
export { createRouteJobs, type RouteJob } from './compute-jobs.js'
export { clarifyCard } from './clarify-card.js'
export { IntentCache } from './intent-cache.js'
export {
  LOCAL_THRESHOLDS,
  buildLocalIndex,
  isAccepted,
  type LocalIndex,
  type LocalProfile,
} from './local-index.js'
export { LocalRouter } from './local-router.js'
export { nearestCard } from './nearest-card.js'
export { routingFeature } from './routing-feature.js'
