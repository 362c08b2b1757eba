import { z } from 'zod'
import { canonicalJson, parseJson } from '../core/json.js'
import { fail, ok, type Result } from '../core/result.js'

export interface Codec<T> {
  encode(value: T): Result<Uint8Array>
  decode(tag: Uint8Array): Result<T>
}

export const codecOf = <T>(schema: z.ZodType<T>): Codec<T> => ({
  encode: (value) => ok(Buffer.from(canonicalJson(value))),
  decode(tag) {
    const parsed = schema.safeParse(parseJson(Buffer.from(tag).toString()))
    return parsed.success ? ok(parsed.data) : fail('system:storage_unreadable', {}, parsed.error)
  },
})
