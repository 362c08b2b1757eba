export { packJobs } from './pack-jobs.js'
export {
  EMPTY_PACK_DATA,
  type PackData,
  type PackEntry,
  type PackProblem,
  type RawEntries,
  type ReadPack,
} from './pack-data.js'
