import type { FailureCode } from '../../core/failure.js'
import { fail, ok, type Result } from '../../core/result.js'

/** The tag types of NBT, https://minecraft.wiki/w/NBT_format, unchanged since Java Edition 1.13. */
export const TagType = {
  End: 0,
  Byte: 1,
  Short: 2,
  Int: 3,
  Long: 4,
  Float: 5,
  Double: 6,
  ByteArray: 7,
  String: 8,
  List: 9,
  Compound: 10,
  IntArray: 11,
  LongArray: 12,
} as const
export type TagType = (typeof TagType)[keyof typeof TagType]

/** What is read at most. Checked against the bytes that are there before anything is made of them. */
export interface NbtLimits {
  /** Lists and compounds inside each other, counted from the tag (in a document: from each part). */
  readonly maxDepth: number
  /**
   * Values in one tag (in a document: in each part), and parts in one document. Eight elements of a byte or int array
   * or two of a long array count as one.
   */
  readonly maxTags: number
  /** Size of the tag or document, bytes. */
  readonly maxBytes: number
}

/** As deep as vanilla's own limit; a tree of that many tags, or as many parts, takes less than 64 MB. */
export const DEFAULT_NBT_LIMITS: NbtLimits = { maxDepth: 512, maxTags: 200_000, maxBytes: 33_554_432 }

/** What writers keep to: a little less, so that a tag wrapped once more can still be read. */
export const WRITE_LIMITS: NbtLimits = { maxDepth: 500, maxTags: 199_900, maxBytes: 33_550_000 }

/** Ends the reading or writing; never leaves lib/codec. */
export class NbtError extends Error {
  /** From the root to the value that was refused. Grows on the way out. */
  readonly path: (string | number)[] = []
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

/** Runs one reading or writing; whatever ends it becomes a failure of the code, with the path in the cause's message. */
export function guarded<T>(code: FailureCode, work: () => T): Result<T> {
  try {
    return ok(work())
  } catch (error) {
    if (!(error instanceof NbtError)) return fail(code, {}, error)
    const place = error.path.length === 0 ? '' : `${error.path.join('.')}: `
    return fail(error.isTooLarge ? 'system:storage_too_large' : code, {}, new Error(place + error.message))
  }
}
