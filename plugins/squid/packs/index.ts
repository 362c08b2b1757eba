export { LiveContent } from './live-content.js'
export { countsOf } from './counts.js'
export { packPlaces, type PackPlaces } from './pack-places.js'
export { logProblems } from './pack-log.js'
