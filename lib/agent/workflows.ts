import { within } from '../core/within.js'
import type { Kernel } from './kernel.js'
import type { LanePlace } from './lane.js'
import type { LiveRequest } from './live-request.js'
import type { AgentResult } from './module.js'
import { failedResult } from './result.js'

/** The stop of the server waits this long for workflows to settle. */
export const STOP_GRACE_MS = 1_000
/** A cancelled request's place in the lane is taken back after this long, whatever its workflow still does. */
const PLACE_GRACE_MS = 1_000
/** A workflow that has not settled this long after the end of its request is abandoned and named in the log. */
const ABANDON_MS = 2_000

/** The request's place in the lane, once it has one. */
export interface Place {
  taken?: LanePlace
}

/** Workflows under way, until each has settled or was abandoned. */
export class Workflows {
  readonly #kernel: Pick<Kernel, 'clock' | 'logger'>
  readonly #running = new Set<Promise<unknown>>()

  constructor(kernel: Pick<Kernel, 'clock' | 'logger'>) {
    this.#kernel = kernel
  }

  /**
   * Gives the workflow's result, or the end of its request, whichever comes first. The workflow is remembered until it
   * settles; one that outlives its request loses its place, then is named.
   */
  track(request: LiveRequest, executed: Promise<AgentResult>, place: Place): Promise<AgentResult> {
    const { clock, logger } = this.#kernel
    const settled = executed.then(() => true)
    const tracked = Promise.race([settled, request.whenEnded]).then(async (first) => {
      if (first === true) return
      let cancelTimers = (): void => {}
      const abandoned = new Promise<void>((resolve) => {
        const timers = [
          clock.after(PLACE_GRACE_MS, () => place.taken?.leave()),
          clock.after(ABANDON_MS, () => {
            logger.warn(`module ${request.module ?? 'none'} is still running after its request`)
            resolve()
          }),
        ]
        cancelTimers = () => timers.forEach((cancel) => cancel())
      })
      await Promise.race([settled, abandoned])
      cancelTimers()
    })
    this.#running.add(tracked)
    void tracked.then(() => this.#running.delete(tracked))
    return Promise.race([executed, request.whenEnded.then(failedResult)])
  }

  /** Resolves when those of now have settled, at the latest after `graceMs`. */
  async settled(graceMs: number): Promise<void> {
    const { clock } = this.#kernel
    await within(Promise.all(this.#running), { clock, ms: graceMs, late: undefined })
  }
}

/** The one outcome of a request that `track` has followed: from here on nothing ends it. Synchronous, as what follows must be. */
export function outcomeOf(request: LiveRequest, first: AgentResult): AgentResult {
  // ended in the very turn in which the workflow had its result
  const result = request.ended === null ? first : failedResult(request.ended)
  request.finish()
  return result
}
