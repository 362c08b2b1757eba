import { clipCodePoints } from '../core/code-points.js'
import type { Clock } from '../core/clock.js'
import { failure, isAuthorization, toFailure } from '../core/failure.js'
import { isIdentifier, type Identifier, type PlayerId, type RequestId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { ok, type Result } from '../core/result.js'
import { within } from '../core/within.js'
import { AuthorTime } from './author-time.js'
import type { ExecutionContext } from './context.js'
import { ANSWER_CHARACTERS } from './dialogue/judge.js'
import { RegistrationError } from './registration-error.js'

/** A provider that hasn't answered after so long is passed over. */
const ANSWER_MS = 10_000
const LATE = Symbol('late')
const OVER = Symbol('over')

/** What a provider learns of who talks. */
export interface ChatContext {
  readonly requestId: RequestId
  readonly player: PlayerId
  readonly playerName: string
  /** Such as `en_us`. */
  readonly language: string
  /** Aborted when the request ends, and when the time for an answer is over. */
  readonly signal: AbortSignal
}

/**
 * Answers free chat in place of the model: once, without a loop and without tools. It runs on the main thread: it may wait,
 * and compute for 5 ms at most.
 */
export interface ChatProvider {
  readonly id: Identifier
  /** The answer, shown literally; null: not for me. */
  answer(context: ChatContext, text: string): string | null | Promise<string | null>
}

/** An answer that a provider gave. */
export interface ProvidedAnswer {
  readonly provider: Identifier
  readonly text: string
}

/** The chat providers of extensions, asked in the order in which they were registered. */
export class ChatProviders {
  readonly #clock: Clock
  readonly #logger: Logger
  #providers = new Map<string, ChatProvider>()

  constructor(parts: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = parts.clock
    this.#logger = parts.logger
  }

  /** Throws a RegistrationError. */
  add(provider: ChatProvider): void {
    const id = String(provider.id)
    if (!isIdentifier(id))
      throw new RegistrationError(`chat provider ${id} has no id of the form namespace:path`)
    if (typeof provider.answer !== 'function')
      throw new RegistrationError(`chat provider ${id}: answer must be a function`)
    if (this.#providers.has(id)) throw new RegistrationError(`chat provider ${id} is registered twice`)
    this.#providers.set(id, provider)
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const before = new Map(this.#providers)
    return () => {
      this.#providers = before
    }
  }

  /**
   * The answer of the first provider that has one; null when none has, and a model may be asked. A provider that throws,
   * gives something else than a text or takes too long is named in the log and passed over; when no other has an answer
   * that is `system:tool_failed`. Throws as `context.check` does once the request may not go on.
   */
  async answer(context: ExecutionContext, text: string): Promise<Result<ProvidedAnswer> | null> {
    let failed: Result<ProvidedAnswer> | null = null
    for (const provider of this.#providers.values()) {
      context.check()
      const answer = await this.#ask(provider, context, text)
      context.check()
      if (answer.ok && answer.value === null) continue
      if (answer.ok && answer.value !== null)
        return ok({ provider: provider.id, text: clipCodePoints(answer.value, ANSWER_CHARACTERS) })
      if (!answer.ok) failed ??= answer
    }
    return failed
  }

  /** Null also when the request ends meanwhile: whoever asks looks whether it may go on. */
  async #ask(
    provider: ChatProvider,
    { requestId, player, playerName, language, signal: request }: ExecutionContext,
    text: string,
  ): Promise<Result<string | null>> {
    const controller = new AbortController()
    const { signal } = controller
    const over = new Promise<typeof OVER>((resolve) => {
      signal.addEventListener('abort', () => resolve(OVER))
    })
    const end = (): void => controller.abort()
    request.addEventListener('abort', end)
    const context: ChatContext = { requestId, player, playerName, language, signal }
    const time = new AuthorTime(`chat provider ${provider.id}`, { clock: this.#clock, logger: this.#logger })
    try {
      time.begin()
      const asked = (async () => provider.answer(context, text))()
      time.stop()
      const first = Promise.race([asked, over])
      const given: unknown = await within(first, { clock: this.#clock, ms: ANSWER_MS, late: LATE })
      if (given === LATE) throw new Error(`no answer within ${ANSWER_MS} ms`)
      if (given === null || given === OVER) return ok(null)
      if (typeof given === 'string' && given.trim() !== '') return ok(given)
      throw new TypeError('the answer of a chat provider must be a text or null')
    } catch (thrown) {
      const { code, cause } = toFailure(thrown)
      // a right that the provider says is missing is none of ours: it has answered, badly
      const shown = isAuthorization(code) || code === 'system:internal' ? 'system:tool_failed' : code
      this.#logger.error(`chat provider ${provider.id} failed`, cause ?? thrown)
      return { ok: false, failure: failure(shown, { tool: provider.id }, cause) }
    } finally {
      request.removeEventListener('abort', end)
      controller.abort()
    }
  }
}
