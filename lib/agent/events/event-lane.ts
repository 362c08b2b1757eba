import type { CancelTimer } from '../../core/clock.js'
import { failure, FailureError, type Failure } from '../../core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../../core/ids.js'
import { fail, ok, type Result } from '../../core/result.js'
import { within } from '../../core/within.js'
import type { Kernel } from '../kernel.js'
import { Lane, type LanePlace } from '../lane.js'
import type { AgentResult } from '../module.js'
import type { LiveRequest } from '../live-request.js'
import type { RequestLog } from '../request-log.js'
import { failedResult } from '../result.js'
import type { Session } from '../sessions.js'
import { traceAccepted, traceEnded, traceRouted } from '../trace/index.js'
import { STOP_GRACE_MS, Workflows } from '../workflows.js'
import { admitted, type Admitted } from './admission.js'
import { BackgroundRun, type BackgroundAsk } from './background.js'
import type { EventState, EventSubmission } from './event-settings.js'
import { isForEvents, newTask } from './task-record.js'
import { TaskRun, type Fate, type TaskToRun } from './task-run.js'

/** Pause before the second run of a task whose first one lost its thread. */
const AGAIN_MS = 5_000
/** Tasks of players who are away that are counted. */
const MAX_LEFT = 4_096

/** A task that the lane has, from its admission until it is over or kept for later. */
interface Hold {
  readonly player: PlayerId
  /** Null while it pauses before its second run. */
  run: TaskRun | null
  cancelPause: CancelTimer
}

/**
 * The lane of tasks that are kept before they run and until they are over, and of reading in the background. Tasks run while
 * their player is here; after a logout, a crash or a stop they go on at the next login, with the policy, budget and
 * deadline they began with.
 */
export class EventLane {
  readonly #kernel: Kernel
  readonly #log: RequestLog
  readonly #isInteractive: (task: string) => boolean
  readonly #lane: Lane
  readonly #workflows: Workflows
  readonly #holds = new Map<RequestId, Hold>()
  readonly #background = new Set<BackgroundRun>()
  readonly #runs = new Set<Promise<unknown>>()
  /** Players whose tasks found no place, with their number. */
  readonly #parked = new Map<PlayerId, number>()
  /** Tasks of players who have gone. */
  readonly #left = new Map<RequestId, PlayerId>()
  #done = 0
  #failed = 0
  #stopping = false

  /** `isInteractive`: whether a request of this id runs outside of this lane. */
  constructor(kernel: Kernel, parts: { log: RequestLog; isInteractive: (task: string) => boolean }) {
    this.#kernel = kernel
    this.#log = parts.log
    this.#isInteractive = parts.isInteractive
    this.#lane = new Lane(() => kernel.events.limits())
    this.#workflows = new Workflows(kernel)
    kernel.sessions.onEnd((player, reason) => this.#end(player, reason))
  }

  /**
   * Keeps a task and lets it run; resolves with its id once it is durable. Refused, with nothing kept:
   * `system:disconnected`, `unknown_module` (or one that isn't for events), `not_understood` (the input), `no_permission`
   * (the rule is gone or says no), `busy` (the lane is full), `journal_full`, `internal` (the schema threw), `stopping`, and as access and store fail.
   */
  async submit(submission: EventSubmission): Promise<Result<RequestId>> {
    const { player, rule } = submission
    const admitted = this.#admit(submission)
    if (!admitted.ok) return admitted
    const { session, module, action, place } = admitted.value
    const { clock, ids, journal, sessions, store, events } = this.#kernel
    const id = ids.requestId()
    const policy = this.#kernel.settings().policy(module.id, module.policy)
    const task = newTask({ module, action, rule, policy, now: clock.now() })
    const kept = await store.update(player, (tx) => {
      const ended = sessions.check(player, session.generation)
      if (ended !== null) throw new FailureError(ended)
      journal.add(tx, id, task)
    })
    if (!kept.ok) {
      place.leave()
      this.#pump()
      return kept
    }
    events.fault?.('task.queued')
    this.#start({ id, task, session }, place)
    return ok(id)
  }

  /** Login: receipts of what never goes on are over, and open tasks go on, the oldest first. Never rejects. */
  async resume(player: PlayerId): Promise<void> {
    const { clock, journal, sessions, store, logger } = this.#kernel
    const session = sessions.get(player)
    // without a System nothing runs; what is kept stays
    if (this.#stopping || session === undefined || this.#kernel.access(player, null) !== null) return
    const open = await store.update(player, (tx) => {
      journal.recover(tx, clock.now(), (task) => this.#isRunning(task))
      return journal.openTasks(tx)
    })
    if (!open.ok) return logger.warn(`event tasks of ${player} do not go on: ${open.failure.code}`)
    if (this.#stopping || sessions.check(player, session.generation) !== null) return
    this.#parked.delete(player)
    for (const [id, task] of open.value) this.#goOn({ id: id as RequestId, task, session })
  }

  /** Runs a read-only module in the background; see `AgentEngine.background`. */
  async background(player: PlayerId, ask: BackgroundAsk): Promise<AgentResult> {
    if (this.#stopping) return failedResult(failure('system:stopping'))
    const run = BackgroundRun.begin(this.#kernel, { player, ask, lane: this.#lane })
    if (!run.ok) return failedResult(run.failure)
    this.#background.add(run.value)
    traceBegun(this.#kernel, run.value.request, ask.module)
    const result = await run.value.run(this.#workflows)
    this.#background.delete(run.value)
    this.#log.record(run.value.request, result)
    traceEnded(this.#kernel, run.value.request, result)
    this.#pump()
    return result
  }

  /** No admission; what runs ends, and is kept to go on. Resolves when all has settled, at the latest after a second. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#lane.close()
    for (const hold of this.#holds.values()) {
      hold.cancelPause()
      hold.run?.request.end(failure('system:stopping'))
    }
    for (const { request } of this.#background) request.end(failure('system:stopping'))
    const { clock } = this.#kernel
    const settled = Promise.all([...this.#runs, this.#workflows.settled(STOP_GRACE_MS)])
    await within(settled, { clock, ms: STOP_GRACE_MS, late: undefined })
  }

  state(): EventState {
    const runs = [...this.#holds.values()].map(({ run }) => run)
    const running = runs.filter((run) => run?.hasStarted === true).length
    const pausing = runs.filter((run) => run === null).length
    const parked = [...this.#parked.values()].reduce((sum, count) => sum + count, 0)
    return {
      queued: runs.length - running - pausing + parked,
      running,
      waiting: pausing + this.#left.size,
      done: this.#done,
      failed: this.#failed,
      refused: this.#lane.state().refused,
    }
  }

  #admit(submission: EventSubmission): Result<Admitted & { readonly place: LanePlace }> {
    const { events, logger } = this.#kernel
    if (this.#stopping) return fail('system:stopping')
    const asked = admitted(this.#kernel, submission, isForEvents)
    if (!asked.ok) return asked
    const { module, action } = asked.value
    const { player, rule } = submission
    if (!events.rules.allows(rule, { player, module: module.id, input: action }, logger))
      return fail('system:no_permission')
    const place = this.#lane.enter()
    return place.ok ? ok({ ...asked.value, place: place.value }) : place
  }

  #isRunning(task: string): boolean {
    return this.#isInteractive(task) || this.#holds.has(task as RequestId)
  }

  /** Takes a place for a kept task, or remembers that there was none. */
  #goOn(task: TaskToRun): void {
    if (this.#holds.has(task.id)) return
    const { player } = task.session
    const place = this.#hasRoom() ? this.#lane.enter() : null
    if (place?.ok === true) return this.#start(task, place.value)
    this.#left.delete(task.id)
    this.#parked.set(player, (this.#parked.get(player) ?? 0) + 1)
  }

  #hasRoom(): boolean {
    const { active, waiting } = this.#lane.state()
    const limits = this.#kernel.events.limits()
    return active < limits.active || waiting < limits.waiting
  }

  #start(task: TaskToRun, taken: LanePlace): void {
    const run = new TaskRun(this.#kernel, task)
    traceBegun(this.#kernel, run.request, task.task.module)
    const place = { start: taken.start, leave: () => (taken.leave(), this.#pump()) }
    const { player } = task.session
    this.#left.delete(task.id)
    this.#holds.set(task.id, { player, run, cancelPause: () => {} })
    const running = run.run(place, this.#workflows).then(({ fate, result }) => {
      this.#over(task, fate, result)
      traceEnded(this.#kernel, run.request, result)
      if (fate.kind === 'done' || fate.kind === 'failed') this.#log.record(run.request, result)
    })
    this.#runs.add(running)
    void running.then(() => this.#runs.delete(running))
  }

  #over({ id, task, session }: TaskToRun, fate: Fate, result: AgentResult): void {
    const { player } = session
    if (fate.kind === 'again' && !this.#stopping) return this.#pause(id, player)
    this.#holds.delete(id)
    switch (fate.kind) {
      case 'done':
        this.#done++
        return this.#show(session, result)
      case 'failed': {
        this.#failed++
        const { code, cause } = fate.failure
        const why = typeof cause === 'string' ? `${code} (${cause})` : code
        return this.#kernel.logger.warn(`event task ${id} of module ${task.module} has failed: ${why}`)
      }
      case 'again':
      case 'away':
        this.#wait(id, player)
        // the player came again before this was known
        if (this.#kernel.sessions.check(player, session.generation) !== null) void this.resume(player)
        return
      case 'gone':
        return
    }
  }

  /** What a pausing task needs is read again when it goes on. */
  #pause(id: RequestId, player: PlayerId): void {
    const { clock, sessions } = this.#kernel
    if (sessions.get(player) === undefined) {
      this.#holds.delete(id)
      return this.#wait(id, player)
    }
    const cancelPause = clock.after(AGAIN_MS, () => {
      this.#holds.delete(id)
      this.#wait(id, player)
      void this.resume(player)
    })
    this.#holds.set(id, { player, run: null, cancelPause })
  }

  #show({ player, generation }: Session, result: AgentResult): void {
    const { events, logger, sessions } = this.#kernel
    if (sessions.check(player, generation) !== null) return
    try {
      events.onResult(player, result)
    } catch (thrown) {
      logger.error('the result of an event task could not be shown', thrown)
    }
  }

  /** A place is free: who was parked first goes on first. */
  #pump(): void {
    const next = this.#parked.keys().next()
    if (next.done === true || this.#stopping || !this.#hasRoom()) return
    this.#parked.delete(next.value)
    void this.resume(next.value)
  }

  #end(player: PlayerId, reason: Failure): void {
    const isRevoked = reason.code === 'system:revoked'
    this.#parked.delete(player)
    for (const [id, hold] of this.#holds) {
      if (hold.player !== player) continue
      hold.run?.request.end(reason)
      if (hold.run !== null) continue
      hold.cancelPause()
      this.#holds.delete(id)
      this.#wait(id, player)
    }
    for (const { request } of this.#background) if (request.player === player) request.end(reason)
    // what is kept goes with the System
    if (isRevoked) for (const [id, owner] of this.#left) if (owner === player) this.#left.delete(id)
  }

  /** Counts a task that waits for its player; of those who never come back the oldest are counted no more. */
  #wait(id: RequestId, player: PlayerId): void {
    this.#left.delete(id)
    this.#left.set(id, player)
    const [oldest] = this.#left.keys()
    if (this.#left.size > MAX_LEFT && oldest !== undefined) this.#left.delete(oldest)
  }
}

/** It has its module from the beginning. */
function traceBegun(kernel: Kernel, request: LiveRequest, module: Identifier): void {
  traceAccepted(kernel, request, request.kind === 'background' ? 'background' : 'event')
  traceRouted(kernel, request, { source: 'event', module: { id: module } })
}
