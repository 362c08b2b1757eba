import { fail, ok, type Result } from '../../core/result.js'
import type { RecordWrite } from '../driver.js'
import { CEILING_BYTES } from '../limits.js'
import { areDistinctIds } from './record-path.js'

/** The longest name of a part, characters. */
const NAME_CHARS = 512

/** What a write makes of the record. */
export interface WritePlan<P> {
  readonly parts: ReadonlyMap<string, Uint8Array>
  readonly spared: readonly string[]
  /** The form that was measured. */
  readonly packed: P
}

/** A record before a write; null when there is none. */
export type Before = { readonly parts: ReadonlyMap<string, Uint8Array>; readonly sizeBytes: number } | null

/**
 * A form of the parts as it is kept, with its size: Infinity when no reader with that limit would take it. A failure when
 * they have none.
 */
export type Measure<P> = (
  parts: ReadonlyMap<string, Uint8Array>,
  maxBytes: number,
) => Result<{ readonly packed: P; readonly sizeBytes: number }>

/**
 * Applies a write to the parts of a record by the rules of the port; null when it is skipped. `system:storage_full` as
 * the port says; what `measure` fails with.
 */
export function planWrite<P>(
  before: Before,
  write: RecordWrite,
  measure: Measure<P>,
): Result<WritePlan<P> | null> {
  const parts = new Map(before?.parts)
  for (const name of write.drop) parts.delete(name)
  for (const [name, bytes] of write.put) parts.set(name, bytes)
  const spare = (write.spare ?? []).filter((name) => parts.has(name))
  // the fewest that have to go, by halves: one round less is a whole compression less
  let best: WritePlan<P> | null = null
  for (let [fewest, most] = [0, spare.length], count = 0; fewest <= most;) {
    const spared = spare.slice(0, count)
    const kept = spared.length === 0 ? parts : without(parts, spared)
    const measured = measure(kept, write.maxBytes)
    if (!measured.ok) return measured
    if (measured.value.sizeBytes <= write.maxBytes) {
      best = { parts: kept, spared, packed: measured.value.packed }
      most = count - 1
    } else fewest = count + 1
    count = Math.floor((fewest + most) / 2)
  }
  if (best !== null) return ok(best)
  return write.spare === undefined ? planSmaller(before, parts, { write, measure }) : ok(null)
}

/** Above the limit; the record may have been so before, and must not be locked then. */
function planSmaller<P>(
  before: Before,
  parts: ReadonlyMap<string, Uint8Array>,
  { write, measure }: { readonly write: RecordWrite; readonly measure: Measure<P> },
): Result<WritePlan<P>> {
  if (before === null || unpackedBytes(parts) > unpackedBytes(before.parts))
    return fail('system:storage_full')
  const measured = measure(parts, CEILING_BYTES)
  if (!measured.ok) return measured
  const { packed, sizeBytes } = measured.value
  // a few bytes more may come of a part less, as compression has it
  const most = write.put.size === 0 ? CEILING_BYTES : before.sizeBytes
  return sizeBytes <= most ? ok({ parts, spared: [], packed }) : fail('system:storage_full')
}

/** Names and tags together. */
export function unpackedBytes(parts: ReadonlyMap<string, Uint8Array>): number {
  let bytes = 0
  for (const [name, part] of parts) bytes += name.length + part.length
  return bytes
}

/** Whether the writes can mean anything: records each of their own, names that can be kept, tags that are there. */
export const areWritable = (writes: readonly RecordWrite[]): boolean =>
  areDistinctIds(writes.map(({ key }) => key)) &&
  writes.every(({ put }) =>
    // an array whose buffer was given away before is empty; sent to a thread it would never be answered
    [...put].every(([name, tag]) => isPartName(name) && tag.length > 1),
  )

/** `version` and `revision` are the record's own. */
const isPartName = (name: string): boolean =>
  name.length > 0 && name.length <= NAME_CHARS && name !== 'version' && name !== 'revision'

function without(
  parts: ReadonlyMap<string, Uint8Array>,
  names: readonly string[],
): ReadonlyMap<string, Uint8Array> {
  const fewer = new Map(parts)
  for (const name of names) fewer.delete(name)
  return fewer
}
