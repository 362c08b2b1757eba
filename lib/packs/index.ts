export {
  EMPTY_PACK_DATA,
  type PackData,
  type PackEntry,
  type PackProblem,
  type RawEntries,
  type ReadPack,
} from './pack-data.js'
export { PACK_LIMITS } from './limits.js'
export type { Place } from './lenient-json.js'
export type { PackPlaces } from './find-packs.js'
export { createPackJobs, type LocateJob, type ReadPacksJob } from './pack-jobs.js'
export { locateInPacks, readPack, readPacks, type PackPointer, type PackWishes } from './read-packs.js'
