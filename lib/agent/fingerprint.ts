import { createHash } from 'node:crypto'
import { canonicalJson } from '../core/json.js'

/** SHA-256 of the value's canonical JSON, in hex. Throws a TypeError for what JSON can't hold. */
export const fingerprintOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex')
