import { performance } from 'node:perf_hooks'

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
  for (;;) {
    await nextTurn()
    if (!isWanted()) return undefined
    const end = performance.now() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (performance.now() < end)
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
