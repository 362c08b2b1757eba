import type { z } from 'zod'
import { fail, ok, type Result } from '../core/result.js'

/** Values of one schema as tag bytes and back. */
export interface ValueCodec<T> {
  encode(value: T): Result<Uint8Array>
  decode(tag: Uint8Array): Result<T>
}

// stand-in until lib/codec has it
export function codecOf<T>(schema: z.ZodType<T>): ValueCodec<T> {
  return {
    encode(value) {
      const parsed = schema.safeParse(value)
      if (!parsed.success) return fail('system:internal', {}, parsed.error)
      const text = Buffer.from(JSON.stringify(value))
      const tag = new Uint8Array(5 + text.length)
      tag[0] = 7
      new DataView(tag.buffer).setInt32(1, text.length)
      tag.set(text, 5)
      return ok(tag)
    },
    decode(tag) {
      try {
        return ok(schema.parse(JSON.parse(Buffer.from(tag.subarray(5)).toString())))
      } catch (error) {
        return fail('system:storage_unreadable', {}, error)
      }
    },
  }
}
