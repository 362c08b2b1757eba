/** What a host sets for routing; read at each use, so that a change counts from the next sentence on. */
export interface RoutingSettings {
  /** `OFF`: the index is never asked for a route. `SHADOW`: it is, but only the log hears of it. */
  readonly mode: 'OFF' | 'SHADOW' | 'ENFORCE'
  /** Share of right answers that calibration must find, above 0, at most 1. */
  readonly targetPrecision: number
  /** Sentences remembered of one player; 0: none. */
  readonly cacheSize: number
  readonly cacheMinutes: number
  /** Undecoded: lists of sentences by language by module id. */
  readonly examples: Readonly<Record<string, unknown>>
  /** Undecoded: synonym tables by language. */
  readonly synonyms: Readonly<Record<string, unknown>>
}

export const DEFAULT_ROUTING: RoutingSettings = {
  mode: 'ENFORCE',
  targetPrecision: 0.98,
  cacheSize: 32,
  cacheMinutes: 30,
  examples: {},
  synonyms: {},
}
