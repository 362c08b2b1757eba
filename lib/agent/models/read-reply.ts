import type { Clock } from '../../core/clock.js'
import type { CallGuard } from './call-guard.js'
import { createReplyReader, type Reply } from './reply.js'

/** Most bytes of one body. */
const BODY_BYTES = 1_048_576
/** Longest silence inside a body that has begun. Before its first byte only the total deadline counts: a model may think. */
const IDLE_MS = 10_000
/** After the finish reason only the usage and `[DONE]` can follow: no need to wait the whole idle limit. */
const TAIL_MS = 1_000
/** How long a finished body may take to close before its connection is given up instead of reused. */
const DRAIN_MS = 250

/** A body as far as it was read, and what ended the reading. */
export interface ReadReply {
  readonly reply: Reply
  /** `end`: the body or the completion is over · `cut`: the connection broke · `idle`: silence · `stopped`: by the guard. */
  readonly ending: 'end' | 'cut' | 'idle' | 'stopped'
  /** When the first byte of the body came, monotonic milliseconds; null: none came. */
  readonly firstByteAt: number | null
}

/** What a body is read with. */
export interface ReadParts {
  readonly guard: CallGuard
  readonly clock: Clock
  /** Names under which reasoning text comes. */
  readonly reasoning: readonly string[]
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/** Reads what is left after `[DONE]`, so that the connection can be reused; within bounds, then gives it up. */
async function drain(reader: BodyReader, clock: Clock): Promise<void> {
  const give = (): void => void reader.cancel().catch(() => {})
  const cancelTimer = clock.after(DRAIN_MS, give)
  try {
    for (let reads = 0; reads < 8; reads += 1) if ((await reader.read()).done) return
    give()
  } catch {
    // the answer is complete: how the connection ends does not matter
  } finally {
    cancelTimer()
  }
}

interface Silence {
  /** Restarts the timer. */
  arm(limitMs: number): void
  disarm(): void
  ran(): boolean
}

function createSilence(clock: Clock, onSilent: () => void): Silence {
  let cancel = (): void => {}
  let ran = false
  return {
    arm(limitMs) {
      cancel()
      cancel = clock.after(limitMs, () => {
        ran = true
        onSilent()
      })
    },
    disarm: () => cancel(),
    ran: () => ran,
  }
}

/**
 * Reads a successful response's body to its end, within 1 MiB, the guard's total deadline and the idle limit. Ends
 * the connection whenever it does not read to the end. Never throws.
 */
export async function readReply(response: Response, parts: ReadParts): Promise<ReadReply> {
  const { guard, clock } = parts
  const parser = createReplyReader(parts.reasoning)
  const reader = response.body?.getReader()
  if (reader === undefined) return { reply: parser.reply(), ending: 'end', firstByteAt: null }
  // Cancelling makes a pending read answer at once, whatever the connection does.
  const give = (): void => void reader.cancel().catch(() => {})
  const silence = createSilence(clock, give)
  guard.signal.addEventListener('abort', give, { once: true })
  if (guard.stopped() !== null) give()
  const decoder = new TextDecoder()
  let size = 0
  let firstByteAt: number | null = null
  let ending: ReadReply['ending'] = 'end'
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      firstByteAt ??= clock.monotonic()
      size += value.byteLength
      if (size > BODY_BYTES) guard.stop('too_large')
      if (guard.remainingMs() <= 0) guard.stop('timeout')
      if (guard.stopped() !== null) break
      parser.push(decoder.decode(value, { stream: true }))
      const { done: over, broken, error, finish } = parser.reply()
      if (over) void drain(reader, clock)
      else if (broken !== null || error !== null) give()
      if (over || broken !== null || error !== null) break
      silence.arm(finish === null ? IDLE_MS : TAIL_MS)
    }
  } catch {
    ending = 'cut'
  } finally {
    silence.disarm()
    guard.signal.removeEventListener('abort', give)
  }
  if (silence.ran()) ending = 'idle'
  if (guard.stopped() !== null) ending = 'stopped'
  parser.push(decoder.decode())
  parser.end()
  return { reply: parser.reply(), ending, firstByteAt }
}
