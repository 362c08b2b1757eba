import type { ChatOutcome, ChatRequest, ChatTransport } from '../agent/models/index.js'

/**
 * One step of a scripted model: the text it answers with, an object that is sent as JSON text, a whole outcome
 * (anything with a boolean `ok`), or a function that decides when it sees the request. A function may return a
 * promise and so hold the answer back.
 */
export type ModelStep =
  | string
  | Readonly<Record<string, unknown>>
  | ChatOutcome
  | ((request: ChatRequest, signal: AbortSignal) => ModelStep | Promise<ModelStep>)

/** Usage of a step that names none: fixed, so that budgets can be asserted. */
const STEP_USAGE = { prompt: 100, cached: 0, output: 20, reasoning: 0 } as const

const isOutcome = (step: object): step is ChatOutcome => 'ok' in step && typeof step.ok === 'boolean'

/**
 * A model without a network, for tests of loops and workflows. It answers from a script in order, records every
 * request, and fails loudly (a rejected `send`) when it is asked more often than the script foresees.
 *
 * ```ts
 * const model = new ScriptedModel({ type: 'player.info', input: {} }, { type: 'answer', text: 'You are Alice.' })
 * // … run what is tested with `model` as its transport …
 * model.assertOver()
 * ```
 */
export class ScriptedModel implements ChatTransport {
  private readonly steps: ModelStep[]
  private readonly seen: ChatRequest[] = []

  constructor(...steps: readonly ModelStep[]) {
    this.steps = [...steps]
  }

  /** What was asked so far, oldest first. */
  get requests(): readonly ChatRequest[] {
    return this.seen
  }

  /** Appends further steps. */
  script(...steps: readonly ModelStep[]): void {
    this.steps.push(...steps)
  }

  /** Throws when steps are left: the tested code asked less often than foreseen. */
  assertOver(): void {
    if (this.steps.length > 0)
      throw new Error(`scripted model: ${this.steps.length} step(s) were never asked for`)
  }

  async send(request: ChatRequest, signal: AbortSignal): Promise<ChatOutcome> {
    this.seen.push(request)
    let step = this.steps.shift()
    if (step === undefined)
      throw new Error(`scripted model: the script is over (request ${this.seen.length})`)
    const cancelled = new Promise<ChatOutcome>((resolve) => {
      const cancel = (): void =>
        resolve({ ok: false, code: 'system:cancelled', usage: null, httpStatus: 0, unbilled: false })
      if (signal.aborted) cancel()
      else signal.addEventListener('abort', cancel, { once: true })
    })
    while (typeof step === 'function') {
      // A held step must not outlive the cancellation of its request.
      step = await Promise.race([step(request, signal), cancelled])
    }
    if (signal.aborted) return cancelled
    if (typeof step === 'object' && isOutcome(step)) return step
    const text = typeof step === 'string' ? step : JSON.stringify(step)
    return { ok: true, text, finish: 'stop', usage: STEP_USAGE, httpStatus: 200 }
  }
}
