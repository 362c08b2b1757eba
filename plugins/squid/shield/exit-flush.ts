import type { Clock } from '../../../lib/core/clock.js'

/** All that is written at the exit of a process has so long in all. */
const EXIT_MS = 2_000

/** Writes on the calling thread, until that moment of the clock's monotonic time. */
export interface ExitFlush {
  readonly clock: Clock
  readonly flush: (untilMs: number) => void
}

/** Of all servers of this process, which has one listener for them. */
const flushes = new Set<ExitFlush>()

/** Runs a flush when the process ends, by whatever but a kill; the answer takes it back. */
export function flushAtExit(flush: ExitFlush): () => void {
  if (flushes.size === 0) process.on('exit', run)
  flushes.add(flush)
  return () => {
    if (flushes.delete(flush) && flushes.size === 0) process.removeListener('exit', run)
  }
}

function run(): void {
  const left = EXIT_MS / Math.max(1, flushes.size)
  for (const { clock, flush } of flushes) flush(clock.monotonic() + left)
}
