export {
  EMPTY_PACK_DATA,
  type PackData,
  type PackEntry,
  type PackProblem,
  type RawEntries,
  type ReadPack,
} from './pack-data.js'
export { PACK_LIMITS } from './limits.js'
export type { PackPlaces } from './find-packs.js'
export { createPackJobs, type LocateJob, type ReadPacksJob } from './pack-jobs.js'
export { packMetaSchema } from './pack-meta.js'
export { locateInPacks, readPacks, type PackWishes } from './read-packs.js'
export { tagSchema } from './tags.js'
