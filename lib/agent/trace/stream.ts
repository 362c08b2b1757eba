import type { Clock } from '../../core/clock.js'
import type { Logger } from '../../core/logger.js'
import type { TraceEvent, TraceReport } from './event.js'

/** Hears each event in the turn in which it happens: it must do little and wait for nothing. */
export type TraceListener = (event: TraceEvent) => void

/** Reports an event; a function is only called when somebody listens. Never throws. */
export type Trace = (report: TraceReport | (() => TraceReport)) => void

/** A listener that computes longer than this is named in the log, once. */
const LISTENER_MS = 5

interface Listening {
  readonly listener: TraceListener
  isNamed: boolean
}

/** The one stream of what happens in the agent runtime. Listeners are strangers: none of them can hurt a request. */
export class TraceStream {
  readonly #clock: Clock
  readonly #logger: Logger
  #listeners: readonly Listening[] = []

  constructor(parts: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = parts.clock
    this.#logger = parts.logger
  }

  /** Listens until the returned function is called, or until the listener throws. */
  on(listener: TraceListener): () => void {
    if (typeof listener !== 'function') throw new TypeError('a listener of the trace must be a function')
    const listening = { listener, isNamed: false }
    this.#listeners = [...this.#listeners, listening]
    return () => this.#remove(listening)
  }

  readonly report: Trace = (report) => {
    if (this.#listeners.length === 0) return
    const event = this.#made(report)
    if (event === null) return
    for (const listening of this.#listeners) this.#tell(listening, event)
  }

  /** Nobody listens any more. */
  close(): void {
    this.#listeners = []
  }

  #made(report: TraceReport | (() => TraceReport)): TraceEvent | null {
    try {
      const event = { at: this.#clock.now(), ...(typeof report === 'function' ? report() : report) }
      if ('tokens' in event) Object.freeze(event.tokens)
      return Object.freeze(event)
    } catch (thrown) {
      this.#logger.error('an event of the trace could not be made', thrown)
      return null
    }
  }

  #tell(listening: Listening, event: TraceEvent): void {
    const began = this.#clock.monotonic()
    try {
      const given: unknown = listening.listener(event)
      // an async listener: its rejection must not become an unhandled one
      if (given instanceof Promise) given.catch((thrown: unknown) => this.#drop(listening, thrown))
    } catch (thrown) {
      this.#drop(listening, thrown)
    }
    const tookMs = this.#clock.monotonic() - began
    if (tookMs <= LISTENER_MS || listening.isNamed) return
    listening.isNamed = true
    this.#logger.warn(
      `a listener of the trace${nameOf(listening)} computed for ${tookMs.toFixed(1)} ms (at most ${LISTENER_MS} ms)`,
    )
  }

  #drop(listening: Listening, thrown: unknown): void {
    if (!this.#listeners.includes(listening)) return
    this.#remove(listening)
    this.#logger.error(
      `a listener of the trace${nameOf(listening)} failed and hears nothing any more`,
      thrown,
    )
  }

  #remove(listening: Listening): void {
    this.#listeners = this.#listeners.filter((other) => other !== listening)
  }
}

/** A name may be anything, and a getter that throws. */
function nameOf({ listener }: Listening): string {
  try {
    const name: unknown = listener.name
    return typeof name === 'string' && name !== '' ? ` (${name})` : ''
  } catch {
    return ''
  }
}
