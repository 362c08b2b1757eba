import type { z } from 'zod'
import type { Result } from '../core/result.js'

/** Values of one schema as tag bytes and back. */
export interface ValueCodec<T> {
  encode(value: T): Result<Uint8Array>
  decode(tag: Uint8Array): Result<T>
}

export type CodecOf = <T>(schema: z.ZodType<T>) => ValueCodec<T>
