import { failure, isFailureCode, type Failure } from '../core/failure.js'
import { isUuid, type PlayerId, type RequestId } from '../core/ids.js'
import { canonicalJson } from '../core/json.js'
import { clipCodePoints } from '../core/code-points.js'
import type { Ask, Outcome } from './engine.js'
import { fingerprintOf } from './fingerprint.js'
import type { Kernel } from './kernel.js'
import type { KeptOutcome } from './memory.js'
import type { Registry } from './registry.js'
import { failedResult } from './result.js'

/** Longest text that a round keeps of what was asked, code points. */
const ASKED_LIMIT = 1_000

/** An execution that has ended, and what of it is still being kept. */
export interface Executed {
  readonly outcome: Outcome
  readonly saved: Promise<void>
}

/** A request whose asker gave its id. */
export interface NamedRequest {
  readonly player: PlayerId
  readonly id: RequestId
  readonly ask: Ask
}

interface Running {
  readonly fingerprint: string
  readonly outcome: Promise<Outcome>
}

/**
 * Executes a request with an id of the asker's once: asked again it has the outcome of the first time, also while that is
 * still under way; with other content it is refused. What was refused before it began, or ended from outside, leaves no
 * trace and runs anew.
 */
export class Replays {
  readonly #kernel: Pick<Kernel, 'registry' | 'memory'>
  readonly #running = new Map<string, Running>()

  constructor(kernel: Pick<Kernel, 'registry' | 'memory'>) {
    this.#kernel = kernel
  }

  /** `run` executes it; it gets the fingerprint, null where nothing can be compared. Never rejects unless `run` does. */
  async once(
    { player, id, ask }: NamedRequest,
    run: (fingerprint: string | null) => Promise<Executed>,
  ): Promise<Outcome> {
    if (!isUuid(id)) return refused(failure('system:internal', {}, new TypeError('not a request id')))
    const fingerprint = askFingerprint(this.#kernel.registry, ask)
    const key = `${player} ${id}`
    const running = this.#running.get(key)
    if (running !== undefined)
      return running.fingerprint === fingerprint
        ? running.outcome
        : refused(failure('system:receipt_mismatch'))
    const kept = this.#kernel.memory.find(player, id)
    if (kept !== null)
      return kept.fingerprint === fingerprint ? again(id, kept) : refused(failure('system:receipt_mismatch'))
    // what can't be decoded runs into its own refusal, again and again
    if (fingerprint === null) return (await run(null)).outcome
    const executed = run(fingerprint)
    const entry = { fingerprint, outcome: executed.then(({ outcome }) => outcome) }
    this.#running.set(key, entry)
    // until it is kept nobody else knows that it was executed
    void executed
      .then(({ saved }) => saved)
      .then(
        () => this.#running.delete(key),
        () => this.#running.delete(key),
      )
    return entry.outcome
  }
}

/** Hash of what is asked for; null for an action that doesn't decode. */
export function askFingerprint(registry: Pick<Registry, 'findModule'>, ask: Ask): string | null {
  const content = ask.kind === 'text' ? ['text', ask.text] : actionContent(registry, ask)
  return content === null ? null : fingerprintOf(content)
}

function actionContent(
  registry: Pick<Registry, 'findModule'>,
  ask: Extract<Ask, { kind: 'action' }>,
): readonly unknown[] | null {
  const module = registry.findModule(ask.module)
  if (module === undefined) return null
  try {
    const action = module.decode(ask.input)
    return action.ok ? ['action', module.id, module.version, canonicalJson(action.value)] : null
  } catch {
    // a schema of an author's, or an action that JSON can't hold
    return null
  }
}

/** What a round remembers of what was asked: the player's words where there are any. */
export function askedText(ask: Ask, said: string | undefined): string {
  if (ask.kind === 'text') return clipCodePoints(ask.text, ASKED_LIMIT)
  if (said !== undefined) return clipCodePoints(said, ASKED_LIMIT)
  try {
    const input = canonicalJson(ask.input ?? {})
    return clipCodePoints(input === '{}' ? ask.module : `${ask.module} ${input}`, ASKED_LIMIT)
  } catch {
    return ask.module
  }
}

/** A receipt without a result says that it was done; it is never done again. */
function again(id: RequestId, { outcome, replay }: KeptOutcome): Outcome {
  if (replay !== null) return { requestId: id, ...replay }
  const reason = isFailureCode(outcome) ? failure(outcome) : failure('system:result_gone')
  return { requestId: id, source: null, module: null, result: failedResult(reason) }
}

const refused = (reason: Failure): Outcome => ({
  requestId: null,
  source: null,
  module: null,
  result: failedResult(reason),
})
