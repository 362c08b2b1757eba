import { TimeSlice } from './time-slice.js'

/** Longest time that other work waits for a slice, as long as single steps are short. */
const SLICE_MS = 2

/**
 * Runs a computation to its end in slices of about 2 ms; in between the event loop takes a turn. Resolves with what it
 * returns, or with undefined as soon as it isn't wanted any more. Rejects with what it throws.
 */
export async function inSlices<T>(
  steps: Generator<void, T>,
  isWanted: () => boolean = () => true,
): Promise<T | undefined> {
  const slice = new TimeSlice(undefined, SLICE_MS)
  for (;;) {
    await slice.next()
    if (!isWanted()) return undefined
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (!slice.isOver())
  }
}
