import type { Clock } from '../../core/clock.js'

/** Why our side ended a call. */
export type CallStop = 'cancelled' | 'timeout' | 'too_large'

/** The total deadline and the asker's cancellation of one call, as one abort signal that remembers its cause. */
export interface CallGuard {
  readonly signal: AbortSignal
  /** The first reason, or null while the call may go on. */
  stopped(): CallStop | null
  /** Of the total deadline; nothing that a server sends extends it. */
  remainingMs(): number
  stop(reason: CallStop): void
  /** Waits; false when the call was stopped meanwhile. */
  pause(delayMs: number): Promise<boolean>
  /** Must be called once, when the call is over: ends the timer and lets go of the asker's signal. */
  dispose(): void
}

/** Starts the deadline now. */
export function createCallGuard(timeoutMs: number, asker: AbortSignal, clock: Clock): CallGuard {
  const controller = new AbortController()
  const endsAt = clock.monotonic() + timeoutMs
  let stopped: CallStop | null = null

  const stop = (reason: CallStop): void => {
    if (stopped !== null) return
    stopped = reason
    controller.abort()
  }
  const cancel = (): void => stop('cancelled')
  const cancelTimer = clock.after(timeoutMs, () => stop('timeout'))
  if (asker.aborted) cancel()
  else asker.addEventListener('abort', cancel, { once: true })
  if (timeoutMs <= 0) stop('timeout')

  return {
    signal: controller.signal,
    stopped: () => stopped,
    remainingMs: () => endsAt - clock.monotonic(),
    stop,
    pause: (delayMs) =>
      new Promise((resolve) => {
        if (stopped !== null) return resolve(false)
        const end = (): void => {
          cancelPause()
          controller.signal.removeEventListener('abort', end)
          resolve(stopped === null)
        }
        const cancelPause = clock.after(delayMs, end)
        controller.signal.addEventListener('abort', end, { once: true })
      }),
    dispose() {
      cancelTimer()
      asker.removeEventListener('abort', cancel)
    },
  }
}
