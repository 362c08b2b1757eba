import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'

/** An entry of a registry at run time. */
export interface Holder<T> {
  readonly id: Identifier
  /** Deeply frozen. */
  readonly value: T
}

/**
 * What is saved of a holder: what was bought, promised or signed keeps its value when the pack changes later. The
 * schema of the value must also take what it gave.
 */
export const persistHolderSchema = <T>(value: z.ZodType<T>): z.ZodType<Holder<T>> =>
  z.strictObject({ id: identifierSchema, value })
