import { fail, ok, type Result } from '../../core/result.js'
import type { RecordWrite } from '../driver.js'

/** The longest name of a part, characters. */
const NAME_CHARS = 512

/** What a write makes of the record. */
export interface WritePlan<P> {
  readonly parts: ReadonlyMap<string, Uint8Array>
  readonly spared: readonly string[]
  /** The form that was measured. */
  readonly packed: P
}

/** A form of the parts as it is kept, with its size; a failure when they have none. */
export type Measure<P> = (parts: ReadonlyMap<string, Uint8Array>) => Result<{ packed: P; sizeBytes: number }>

/**
 * Applies a write to the parts of a record by the rules of the port; null when it is skipped. `system:storage_full` as
 * the port says; what `measure` fails with; `system:internal` for a part name that can't be kept.
 */
export function planWrite<P>(
  before: ReadonlyMap<string, Uint8Array>,
  write: RecordWrite,
  measure: Measure<P>,
): Result<WritePlan<P> | null> {
  const parts = new Map(before)
  for (const name of write.drop) parts.delete(name)
  for (const [name, bytes] of write.put) {
    if (!isPartName(name)) return fail('system:internal', {}, 'not a name of a part')
    parts.set(name, bytes)
  }
  const spare = (write.spare ?? []).filter((name) => parts.has(name))
  // the fewest that have to go, by halves: one round less is a whole compression less
  let best: WritePlan<P> | null = null
  for (let [fewest, most] = [0, spare.length], count = 0; fewest <= most;) {
    const spared = spare.slice(0, count)
    const kept = spared.length === 0 ? parts : without(parts, spared)
    const measured = measure(kept)
    if (!measured.ok) return measured
    if (measured.value.sizeBytes <= write.maxBytes) {
      best = { parts: kept, spared, packed: measured.value.packed }
      most = count - 1
    } else fewest = count + 1
    count = Math.floor((fewest + most) / 2)
  }
  if (best !== null) return ok(best)
  return write.spare === undefined ? fail('system:storage_full') : ok(null)
}

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
