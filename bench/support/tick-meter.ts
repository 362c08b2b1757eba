import type { EventEmitter } from 'node:events'
import { performance } from 'node:perf_hooks'
import { z } from 'zod'
import type { MainThread } from './main-thread.js'

/** One interval between the beginnings of two ticks. */
export const tickSchema = z.strictObject({ gapMs: z.number(), cpuMs: z.number(), waitMs: z.number() })
export type TickSample = z.infer<typeof tickSchema>

/** Milliseconds from tick to tick that flying-squid wants. */
export const TICK_MS = 50

/** Samples so many ticks of a server, beginning with the next one. */
export function sampleTicks(serv: EventEmitter, thread: MainThread, count: number): Promise<TickSample[]> {
  return new Promise((resolve) => {
    const samples: TickSample[] = []
    let before: { at: number; cpuMs: number; waitMs: number } | null = null
    const onTick = (): void => {
      const at = performance.now()
      const { cpuMs, waitMs } = thread.read()
      if (before !== null) {
        samples.push({ gapMs: at - before.at, cpuMs: cpuMs - before.cpuMs, waitMs: waitMs - before.waitMs })
      }
      before = { at, cpuMs, waitMs }
      if (samples.length < count) return
      serv.removeListener('tick', onTick)
      resolve(samples)
    }
    // first, so that no other listener of the tick is counted as lateness of this one
    serv.prependListener('tick', onTick)
  })
}

/** How late the tick came, as the clock on the wall shows. */
export const rawJitterMs = ({ gapMs }: TickSample): number => Math.max(0, gapMs - TICK_MS)

/** How late it came by the process's own doing: without the time in which the main thread waited for a core. */
export const selfJitterMs = ({ gapMs, waitMs }: TickSample): number => Math.max(0, gapMs - TICK_MS - waitMs)
