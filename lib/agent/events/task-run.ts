import { failure, FailureError, type Failure, type FailureCode } from '../../core/failure.js'
import type { RequestId } from '../../core/ids.js'
import { orThrow, type Result } from '../../core/result.js'
import { EVENT_TASKS, type EventTask } from '../../storage/index.js'
import { Budget } from '../budget.js'
import { Execution } from '../execution.js'
import type { Kernel } from '../kernel.js'
import type { LanePlace } from '../lane.js'
import { LiveRequest } from '../live-request.js'
import type { AgentResult } from '../module.js'
import { failedResult } from '../result.js'
import { brokenRun, runModule } from '../run-module.js'
import type { Session } from '../sessions.js'
import { outcomeOf, type Workflows } from '../workflows.js'
import { toRunnable } from './task-record.js'

/** How a run of a task ended. */
export type Fate =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The player has gone, or the server stops. */
  | { readonly kind: 'away' }
  /** To be run once more after a pause. */
  | { readonly kind: 'again' }
  /** There is nothing to run any more. */
  | { readonly kind: 'gone' }

/** What ends a run without ending its task. */
const AWAY: ReadonlySet<FailureCode> = new Set([
  'system:disconnected',
  'system:stopping',
  'system:system_missing',
])
/** What a second run may get past: a thread was lost, or the disk refused. */
const AGAIN: ReadonlySet<FailureCode> = new Set([
  'system:worker_lost',
  'system:storage_failed',
  'system:storage_unknown',
  'system:storage_conflict',
])
const RUNS = 2
/** An end that can't be kept is tried again so often, after so long. */
const KEEP_AGAIN = { times: 2, pauseMs: 5_000 }

/** A task as it was read when the player came, or as it was submitted. */
export interface TaskToRun {
  readonly id: RequestId
  readonly task: EventTask
  readonly session: Session
}

/** One run of one task, from its place in the lane to what is kept of its end. */
export class TaskRun {
  readonly request: LiveRequest
  readonly #kernel: Kernel
  readonly #id: RequestId
  readonly #task: EventTask
  #attempts: number
  #isGone = false
  #hasStarted = false
  #budget: Budget | null = null

  constructor(kernel: Kernel, { id, task, session }: TaskToRun) {
    this.#kernel = kernel
    this.#id = id
    this.#task = task
    this.#attempts = task.attempts
    const { clock } = kernel
    const ttlMillis = task.deadline - task.createdAt
    // a clock that was set back makes no deadline later than a new task's
    const leftMs = Math.min(task.deadline - clock.now(), ttlMillis)
    const start = { kind: 'event', acceptedAt: clock.monotonic() + leftMs - ttlMillis } as const
    this.request = new LiveRequest(id, session, { ...kernel, start })
    this.request.source = 'event'
    this.request.module = task.module
    this.request.armDeadline(ttlMillis)
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Never rejects. */
  async run(place: LanePlace, workflows: Workflows): Promise<{ fate: Fate; result: AgentResult }> {
    const { request } = this
    const executed = this.#execute(place)
    const result = outcomeOf(request, await workflows.track(request, executed, { taken: place }))
    const fate = this.#fateOf(result)
    this.#kernel.events.fault?.('task.ending')
    await this.#keepEnd(fate)
    this.#kernel.events.fault?.('task.ended')
    return { fate, result }
  }

  async #execute(place: LanePlace): Promise<AgentResult> {
    const { request } = this
    try {
      const may = await Promise.race([place.start, request.whenEnded.then(() => false)])
      request.check()
      if (!may) throw new FailureError(failure('system:stopping'))
      this.#hasStarted = true
      return await this.#start()
    } catch (thrown) {
      const { module } = this.#task
      const line = `event task ${this.#id} of module ${module} failed`
      return failedResult(brokenRun(this.#kernel, request, { thrown, module, line }))
    } finally {
      place.leave()
    }
  }

  async #start(): Promise<AgentResult> {
    const { request } = this
    const { registry, clock, journal, store, events } = this.#kernel
    // timers come late where the machine was asleep
    if (clock.now() >= this.#task.deadline) throw new FailureError(failure('system:deadline'))
    this.#authorize()
    const update = await store.update(request.player, (tx) => {
      request.check()
      const kept = tx.row(EVENT_TASKS, this.#id)
      if (kept === undefined || kept.over !== 0) return null
      journal.move(tx, this.#id, { state: 'RUNNING', now: clock.now() })
      return kept
    })
    const begun = orThrow(update)
    if (begun === null) this.#isGone = true
    request.check()
    if (begun === null) return failedResult(failure('system:cancelled'))
    this.#attempts = begun.attempts
    events.fault?.('task.running')
    const { module, action, policy, spent } = orThrow(toRunnable(begun, registry))
    request.needs = module.needs
    const budget = new Budget(policy, clock, { acceptedAt: request.acceptedAt, resumed: spent })
    this.#budget = budget
    request.keepSpent = async () => {
      const kept = await this.#keep({ spent: { ...budget.toKeep() } })
      return kept.ok ? null : kept.failure
    }
    return runModule(new Execution(this.#kernel, { request, module, budget }), module, action)
  }

  #authorize(): void {
    const { events, logger } = this.#kernel
    const { rule, module, input } = this.#task
    const { player } = this.request
    if (!events.rules.allows(rule, { player, module, input }, logger))
      throw new FailureError(failure('system:no_permission', {}, `${rule} doesn't authorize it`))
  }

  #fateOf({ status, failure: reason }: AgentResult): Fate {
    if (this.#isGone) return { kind: 'gone' }
    if (status !== 'failed') return { kind: 'done' }
    const code = reason?.code ?? 'system:incomplete'
    if (AWAY.has(code) && this.#isAway()) return { kind: 'away' }
    if (AGAIN.has(code) && ++this.#attempts < RUNS) return { kind: 'again' }
    return { kind: 'failed', failure: reason ?? failure(code) }
  }

  /** Whether it was the stay or the server that ended: a workflow that only says so while its player is here has failed. */
  #isAway(): boolean {
    const { player, session, ended } = this.request
    if (ended !== null || this.#budget === null) return true
    return this.#kernel.sessions.check(player, session.generation) !== null
  }

  async #keepEnd(fate: Fate): Promise<void> {
    if (fate.kind === 'gone') return
    const state = { done: 'DONE', failed: 'FAILED', away: 'WAITING', again: 'WAITING' } as const
    const spent = this.#budget === null ? {} : { spent: { ...this.#budget.toKeep() } }
    const end = { state: state[fate.kind], attempts: this.#attempts, ...spent }
    let kept = await this.#keep(end)
    for (let times = 0; !kept.ok && times < KEEP_AGAIN.times; times++) {
      if (kept.failure.code === 'system:stopping') return
      this.#kernel.logger.error(`the end of event task ${this.#id} is not kept: ${kept.failure.code}`)
      await new Promise<void>((resolve) => this.#kernel.clock.after(KEEP_AGAIN.pauseMs, resolve))
      kept = await this.#keep(end)
    }
  }

  /** A task that went with all that is kept of its player stays gone. */
  #keep(next: Partial<Pick<EventTask, 'state' | 'spent' | 'attempts'>>): Promise<Result<void>> {
    const { store, journal, clock } = this.#kernel
    return store.update(this.request.player, (tx) => {
      if (tx.row(EVENT_TASKS, this.#id)?.over === 0) journal.move(tx, this.#id, { ...next, now: clock.now() })
    })
  }
}
