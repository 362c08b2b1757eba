import { randomInt } from 'node:crypto'

/** Where chance comes from; tests give a scripted one. */
export interface Chance {
  /** A whole number from 0 to `limit - 1`, each as likely; `limit` is 1 to 2^48 - 1. */
  below(limit: number): number
}

/** The system's cryptographic randomness, without bias. */
export const secureChance: Chance = { below: (limit) => randomInt(limit) }
