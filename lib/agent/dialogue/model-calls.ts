import { isFailureCode, type FailureCode } from '../../core/failure.js'
import { NO_USAGE, type ReserveAnswer, type Usage, type WorkerMessageOf } from '../../pool/index.js'
import type { Budget } from '../budget.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest } from '../live-request.js'
import type { ModelPermit } from '../model-meter.js'
import { round } from '../trace/requests.js'

/** A call whose request is out of time is ended with it; by itself it ends so long after. */
const DEADLINE_NET_MS = 1_000

interface Reservation {
  readonly permit: ModelPermit
  readonly tokens: number
  /** For the trace: what was reserved, and when. */
  readonly reserved: { readonly prompt: number; readonly output: number; readonly at: number }
}

/** The model calls of one job: reserved before each call, settled after it, charged in full when nobody says. */
export class ModelCalls {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #budget: Budget
  readonly #open = new Map<number, Reservation>()
  #next = 1

  constructor(kernel: Kernel, request: LiveRequest, budget: Budget) {
    this.#kernel = kernel
    this.#request = request
    this.#budget = budget
  }

  /** Takes rights, budget, quota, cap and a place, in this order; gives all back when the place doesn't come in time. */
  async reserve(message: WorkerMessageOf<'reserve'>): Promise<ReserveAnswer> {
    const stopped = this.#request.stopReason()
    const denied =
      stopped ??
      this.#kernel.access(this.#request.player, this.#request.module, this.#request.settings.content)
    if (denied !== null) return { code: denied.code }
    const taken = this.#budget.takeModelCall(message.inputBytes, message.outputTokens)
    if (!taken.ok) return { code: taken.failure.code }
    // a task that is resumed must not forget a call that was paid for
    const { keepSpent } = this.#request
    const unkept = keepSpent === null ? null : await keepSpent()
    if (unkept !== null) return this.#giveUp(taken.value, unkept.code)
    const permit = await this.#kernel.meter.acquire(
      {
        player: this.#request.player,
        model: this.#request.settings.model?.name ?? '',
        inputTokens: message.inputBytes,
        outputTokens: message.outputTokens,
        isEvent: this.#request.kind !== 'interactive',
      },
      { waitMs: this.#budget.remainingMs(), signal: this.#request.signal },
    )
    if (!permit.ok) {
      return this.#giveUp(taken.value, this.#request.stopReason()?.code ?? permit.failure.code)
    }
    const late = this.#request.stopReason()
    const remainingMs = this.#budget.remainingMs()
    if (late !== null || remainingMs < 1) {
      this.#kernel.meter.refund(permit.value)
      return this.#giveUp(taken.value, late?.code ?? 'system:deadline')
    }
    this.#kernel.ai.beforeRequest(this.#request.player, this.#request.settings.model?.host ?? '')
    const reservationId = this.#next++
    const reserved = {
      prompt: message.inputBytes,
      output: message.outputTokens,
      at: this.#kernel.clock.monotonic(),
    }
    this.#open.set(reservationId, { permit: permit.value, tokens: taken.value, reserved })
    this.#request.modelCalls++
    // behind the deadline the request is over, and says so itself: a call that ends by it is no slow model
    const timeoutMs = Math.min(
      this.#budget.policy.modelTimeoutMillis,
      Math.ceil(remainingMs) + DEADLINE_NET_MS,
    )
    return { ok: true, reservationId, timeoutMs, finalOnly: this.#budget.isLastCall() }
  }

  /** What a call cost. A reservation that is not open (any more) is ignored: it was charged already. */
  settle(message: WorkerMessageOf<'settle'>): void {
    const { finish, cause } = message
    if (isFailureCode(finish)) this.#kernel.breaker.record(finish, cause)
    else this.#kernel.breaker.recordAnswer()
    this.#charge(message.reservationId, message.usage, message)
  }

  /** Nobody will say any more what the open calls cost: they are charged in full. */
  chargeOpen(): void {
    for (const id of this.#open.keys()) this.#charge(id, null)
  }

  /** The call isn't made: its tokens are given back, the attempt stays counted. */
  #giveUp(tokens: number, code: FailureCode): ReserveAnswer {
    this.#budget.settleModelCall(tokens, NO_USAGE)
    return { code }
  }

  #charge(
    id: number,
    usage: Usage | null,
    said: Pick<WorkerMessageOf<'settle'>, 'finish' | 'httpStatus'> | null = null,
  ): void {
    const reservation = this.#open.get(id)
    if (reservation === undefined) return
    this.#open.delete(id)
    this.#budget.settleModelCall(reservation.tokens, usage)
    // no request has a prompt of nothing: the provider was not reached or turned it away at the door
    const isUnused = usage !== null && usage.prompt + usage.output === 0
    if (isUnused) this.#kernel.meter.refund(reservation.permit)
    else this.#kernel.meter.release(reservation.permit, usage)
    this.#trace(reservation, usage, said)
  }

  #trace(
    { reserved }: Reservation,
    usage: Usage | null,
    said: Pick<WorkerMessageOf<'settle'>, 'finish' | 'httpStatus'> | null,
  ): void {
    const { clock, trace } = this.#kernel
    const { model } = this.#request.settings
    trace(() => ({
      kind: 'model-called',
      request: this.#request.id,
      endpoint: model?.endpoint ?? 'none',
      model: model?.name ?? '',
      finish: finishWord(said?.finish ?? ''),
      httpStatus: said === null || said.httpStatus === 0 ? null : said.httpStatus,
      tokens:
        usage === null
          ? { prompt: reserved.prompt, cached: 0, output: reserved.output, reasoning: 0, estimated: true }
          : { ...usage, estimated: false },
      ms: round(clock.monotonic() - reserved.at),
    }))
  }
}

/** The word is a provider's: one that is no plain word is not passed on. */
const finishWord = (finish: string): string => (/^[a-z_]+(:[a-z_]+)?$/.test(finish) ? finish : 'unknown')
