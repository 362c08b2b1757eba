import { z } from 'zod'
import { fail, ok, type Result } from '../../core/result.js'
import { synonymsSchema } from '../../lexical/index.js'
import { calibrate, holdOut } from './calibration.js'
import { buildLocalIndex, LOCAL_THRESHOLDS, type LocalIndex, type LocalThresholds } from './local-index.js'

const id = z.string().min(1).max(256)
const version = z.int().min(1)
/** UTF-16 units of a sentence that is looked up. */
export const QUERY_UNITS = 1_000

/** Queries that one job may carry. */
export const QUERIES_PER_JOB = 64

/** Folded sentences, the item masked. */
const textsSchema = z.array(z.string().max(QUERY_UNITS)).max(QUERIES_PER_JOB)

/** UTF-16 units of an example, and examples of a module. */
export const EXAMPLE_UNITS = 500
export const EXAMPLES_PER_MODULE = 1_000

const profileSchema = z.strictObject({
  id,
  examples: z.array(z.string().max(EXAMPLE_UNITS)).max(EXAMPLES_PER_MODULE),
})
export type RouteProfile = z.infer<typeof profileSchema>

/** Hands the example sentences to the thread that is to answer queries. */
const indexJobSchema = z.strictObject({
  kind: z.literal('route.index'),
  version,
  profiles: z.array(profileSchema).max(256),
  synonyms: z.array(synonymsSchema).max(64),
  targetPrecision: z.number().gt(0).max(1),
  /** Queries to answer at once: a group of several threads might give the next job to another one. */
  texts: textsSchema,
})
const queryJobSchema = z.strictObject({
  kind: z.literal('route.query'),
  version,
  texts: textsSchema.min(1),
})
export type RouteJob = z.infer<typeof indexJobSchema> | z.infer<typeof queryJobSchema>

/** Labels that a query names beside its match: more than are shown, since some may not be open to the player. */
const NEAREST_LABELS = 6

/** What the index knows of one sentence. */
const queryAnswerSchema = z.strictObject({
  match: z
    .strictObject({ id, confidence: z.number(), coverage: z.number(), second: id.nullable() })
    .nullable(),
  nearest: z.array(id).max(NEAREST_LABELS),
})
export type QueryAnswer = z.infer<typeof queryAnswerSchema>

/** Answers in the order of the sentences, or the version that this thread does not have. */
export const routeAnswerSchema = z.union([
  z.strictObject({
    /** Limits of a match, calibrated on what the index holds: the same in every thread. */
    limits: z.strictObject({
      confidence: z.number().min(LOCAL_THRESHOLDS.confidence),
      coverage: z.number().min(LOCAL_THRESHOLDS.coverage),
    }),
    answers: z.array(queryAnswerSchema).max(QUERIES_PER_JOB),
  }),
  z.strictObject({ missing: version }),
])
export type RouteAnswer = z.infer<typeof routeAnswerSchema>

/** A pure function of the compute group: plain data in, plain data out. A job of another shape is `system:protocol`. */
export type RouteJobHandler = (job: unknown) => Result<RouteAnswer>

/** A reload leaves requests on the version before it for a moment. */
const KEPT_VERSIONS = 2

/** The compute group's routing jobs by kind. The indexes of the latest two versions live in the closure. */
export function createRouteJobs(): ReadonlyMap<RouteJob['kind'], RouteJobHandler> {
  const indexes = new Map<number, Calibrated>()
  return new Map<RouteJob['kind'], RouteJobHandler>([
    [
      'route.index',
      (job) => {
        const parsed = indexJobSchema.safeParse(job)
        if (!parsed.success) return fail('system:protocol')
        const { profiles, synonyms, version, targetPrecision, texts } = parsed.data
        const index = buildLocalIndex(profiles, synonyms)
        const built = { index, limits: calibrate(holdOut(index), targetPrecision) }
        indexes.set(version, built)
        for (const old of [...indexes.keys()].sort((a, b) => b - a).slice(KEPT_VERSIONS)) indexes.delete(old)
        return ok(answer(built, texts))
      },
    ],
    [
      'route.query',
      (job) => {
        const parsed = queryJobSchema.safeParse(job)
        if (!parsed.success) return fail('system:protocol')
        const built = indexes.get(parsed.data.version)
        return ok(built === undefined ? { missing: parsed.data.version } : answer(built, parsed.data.texts))
      },
    ],
  ])
}

interface Calibrated {
  readonly index: LocalIndex
  readonly limits: LocalThresholds
}

const answer = ({ index, limits }: Calibrated, texts: readonly string[]): RouteAnswer => ({
  limits,
  answers: texts.map((text) => ({ match: index.query(text), nearest: index.nearest(text, NEAREST_LABELS) })),
})
