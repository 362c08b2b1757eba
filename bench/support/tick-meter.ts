import type { EventEmitter } from 'node:events'
import { performance } from 'node:perf_hooks'
import { z } from 'zod'
import type { ThreadStat } from './thread-stat.js'

/** One interval between the beginnings of two ticks. */
export const tickSchema = z.strictObject({
  gapMs: z.number(),
  /** Of the main thread, in the whole interval. */
  cpuMs: z.number(),
  /** In which the main thread was ready and another thread had the core, in the whole interval. */
  waitMs: z.number(),
  /** The part of it that can have made the tick late: from the last pulse before the tick was due. */
  lateWaitMs: z.number(),
  /** CPU time of the main thread from that pulse on. */
  lateCpuMs: z.number(),
})
export type TickSample = z.infer<typeof tickSchema>

/** Milliseconds from tick to tick that flying-squid wants. */
export const TICK_MS = 50
/** Pulses that are kept: more than fit between two ticks. */
const KEPT_PULSES = 64

interface Reading {
  readonly at: number
  readonly cpuMs: number
  readonly waitMs: number
}

/**
 * Measures the ticks of a server. `pulse` is to be called often: each call shows that the event loop was free then,
 * so that no waiting before it can have delayed a tick that was due after it.
 */
export class TickMeter {
  readonly #serv: EventEmitter
  readonly #thread: ThreadStat
  #pulses: Reading[] = []

  constructor(serv: EventEmitter, thread: ThreadStat) {
    this.#serv = serv
    this.#thread = thread
  }

  /** Whether waiting is known at all; without that `selfJitterMs` is the raw jitter. */
  get isExact(): boolean {
    return this.#thread.isExact
  }

  pulse(): void {
    this.#pulses.push(this.#read())
    if (this.#pulses.length > KEPT_PULSES) this.#pulses.shift()
  }

  /** Samples so many ticks, beginning with the next one. */
  sample(count: number): Promise<TickSample[]> {
    return new Promise((resolve) => {
      const samples: TickSample[] = []
      let before: Reading | null = null
      const onTick = (): void => {
        const now = this.#read()
        if (before !== null) samples.push(this.#between(before, now))
        before = now
        this.#pulses = []
        if (samples.length < count) return
        this.#serv.removeListener('tick', onTick)
        resolve(samples)
      }
      // first, so that no other listener of the tick is counted as lateness of this one
      this.#serv.prependListener('tick', onTick)
    })
  }

  #read(): Reading {
    return { at: performance.now(), ...this.#thread.read() }
  }

  #between(before: Reading, now: Reading): TickSample {
    const due = before.at + TICK_MS
    const free = this.#pulses.findLast(({ at }) => at <= due) ?? before
    return {
      gapMs: now.at - before.at,
      cpuMs: now.cpuMs - before.cpuMs,
      waitMs: now.waitMs - before.waitMs,
      lateWaitMs: now.waitMs - free.waitMs,
      lateCpuMs: now.cpuMs - free.cpuMs,
    }
  }
}

/** CPU time of the main thread in each 50 ms: a tick that another program delays has more packets to serve. */
export function cpuPerTickMs(ticks: readonly TickSample[]): number {
  const total = (of: (tick: TickSample) => number): number => ticks.reduce((sum, tick) => sum + of(tick), 0)
  return (total(({ cpuMs }) => cpuMs) / total(({ gapMs }) => gapMs)) * TICK_MS
}

/** How late the tick came, as the clock on the wall shows. */
export const rawJitterMs = ({ gapMs }: TickSample): number => Math.max(0, gapMs - TICK_MS)

/** How late it came by the process's own doing: without the time in which its main thread waited for a core. */
export const selfJitterMs = (tick: TickSample): number => Math.max(0, rawJitterMs(tick) - tick.lateWaitMs)

/**
 * The part of it in which the main thread really computed. The rest it was blocked: by a synchronous call, or, on a busy
 * machine, by a garbage collection whose helper threads got no core.
 */
export const busyJitterMs = (tick: TickSample): number => Math.min(selfJitterMs(tick), tick.lateCpuMs)
