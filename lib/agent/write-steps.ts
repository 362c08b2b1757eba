import { z } from 'zod'
import { failure, FailureError, type Failure } from '../core/failure.js'
import { fail, ok, orThrow, type Result } from '../core/result.js'
import { synchronous } from '../core/synchronous.js'
import type { Transaction } from '../storage/index.js'
import type { Budget } from './budget.js'
import { fingerprintOf } from './fingerprint.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { ToolOwners } from './ownership.js'
import type { RegisteredTool, ToolCall } from './tool.js'

/** `<step name>[/<n>]`: with the task's id in front of it still the key of a row. */
const STEP_NAME = /^[a-z0-9][a-z0-9_.-]{0,63}(\/[1-9][0-9]{0,3})?$/
const STEP_LETTERS = 64

/** A step before it is made: what it is recognized by. */
export interface PlannedStep {
  readonly task: string
  readonly name: string
  readonly fingerprint: string
}

/** One write step that is being made. */
export interface WriteStep {
  readonly commit: ToolCall['commit']
  /** What was committed, decoded, or why it can't be told though it was made; null: nothing was committed (yet). */
  readonly committed: Result<unknown> | null
  /** The call has ended, whatever its end. */
  close(): void
}

/** One call of a write tool. */
export interface WriteCall {
  /** Whose the tool was when it was called: asked again before anything is made. */
  readonly owners: ToolOwners
  /** What the workflow calls the step. */
  readonly name?: string | undefined
}

/** The run that steps belong to. */
export interface StepDoor {
  readonly request: LiveRequest
  readonly budget: Budget
  /** Throws when the request may not go on; asked again inside of each transaction. */
  check(): void
  decode(tool: RegisteredTool, input: unknown): Result<unknown>
  /** Runs a decoded call and looks at the rights behind it. */
  run(
    tool: RegisteredTool,
    input: unknown,
    call: WriteCall & { readonly step: WriteStep },
  ): Promise<Result<unknown>>
  /** The call isn't possible at all, by a mistake of an author: logs it and gives the failure in its place. */
  broken(tool: RegisteredTool, cause: unknown): Failure
}

/** Hash of what a step is about: its tool and its decoded input. Throws a TypeError for what JSON can't hold. */
export const stepFingerprint = (tool: string, input: unknown): string => fingerprintOf({ tool, input })

/** The write steps of one run: their names, their receipts, and how change and receipt become one commit. */
export class WriteSteps {
  readonly #kernel: Kernel
  readonly #door: StepDoor
  readonly #request: LiveRequest
  readonly #budget: Budget
  readonly #calls = new Map<string, number>()

  constructor(kernel: Kernel, door: StepDoor) {
    this.#kernel = kernel
    this.#door = door
    this.#request = door.request
    this.#budget = door.budget
  }

  /**
   * Calls a write tool whose rights were looked at. A step that was made before gives what it gave then, and takes nothing
   * of the budget. Without a name a step is called after its tool, and the second such call of a run ends in `/2`: a
   * workflow that makes its calls in another order when it runs again is refused, never run twice.
   */
  async call(tool: RegisteredTool, input: unknown, call: WriteCall): Promise<Result<unknown>> {
    const decoded = this.#door.decode(tool, input)
    const planned = decoded.ok ? this.#plan(tool, decoded.value, call.name) : decoded
    if (!decoded.ok || !planned.ok) {
      const entered = this.#budget.takeToolCall('write')
      if (entered.ok) this.#budget.closeWrite()
      return entered.ok ? planned : entered
    }
    const before = await this.#find(tool, planned.value)
    this.#door.check()
    if (before !== null) return before
    call.owners.check(tool)
    const entered = this.#budget.takeToolCall('write')
    if (!entered.ok) return entered
    const step = this.#open(tool, planned.value, call)
    try {
      return await this.#door.run(tool, decoded.value, { ...call, step })
    } finally {
      step.close()
    }
  }

  #plan(tool: RegisteredTool, input: unknown, given: string | undefined): Result<PlannedStep> {
    try {
      const name = given ?? this.#numbered(tool.id)
      if (!STEP_NAME.test(name)) throw new TypeError(`${name} is no name of a step`)
      return ok({ task: this.#request.id, name, fingerprint: stepFingerprint(tool.id, input) })
    } catch (cause) {
      return { ok: false, failure: this.#door.broken(tool, cause) }
    }
  }

  /** The decoded output of a step that was made before, null for one that wasn't. */
  async #find(tool: RegisteredTool, step: PlannedStep): Promise<Result<unknown> | null> {
    const { store, journal } = this.#kernel
    const found = await store.update(this.#request.player, (tx) => {
      this.#door.check()
      return journal.made(tx, step)
    })
    if (!found.ok) return found
    if (found.value === null) return null
    this.#trace(tool, step, { isRepeat: true })
    return this.#told(tool, found.value.outcome)
  }

  /** Begins a step whose budget was taken. */
  #open(tool: RegisteredTool, step: PlannedStep, { owners }: WriteCall): WriteStep {
    let isOpen = true
    let committed: Result<unknown> | null = null
    const close = (): void => {
      if (!isOpen) return
      isOpen = false
      this.#budget.closeWrite()
    }
    const commit = async <T>(change: (tx: Transaction) => T): Promise<T> => {
      committed = await this.#commit(tool, step, {
        owners,
        change,
        closing: isOpen ? 1 : 0,
      })
      close()
      // what came out of the tool's own schema is what the change gave
      return orThrow(committed) as T
    }
    return {
      commit<T>(change: (tx: Transaction) => T): Promise<T> {
        const running = commit(change)
        // a handler that doesn't wait for it must not end the server
        running.catch(() => {})
        return running
      },
      get committed() {
        return committed
      },
      close,
    }
  }

  /** Receipt and change in one transaction; the receipt's output if there is one. Throws a FailureError if nothing was made. */
  async #commit(
    tool: RegisteredTool,
    step: PlannedStep,
    {
      owners,
      change,
      closing,
    }: { owners: ToolOwners; change: (tx: Transaction) => unknown; closing: number },
  ): Promise<Result<unknown>> {
    const { store, journal, clock, events } = this.#kernel
    const { player, kind } = this.#request
    events.fault?.('step.committing')
    let isRepeat = true
    let output: unknown
    const made = await store.update(player, (tx) => {
      this.#door.check()
      const now = clock.now()
      isRepeat = true
      const outcome = journal.once(tx, { ...step, now, output: z.unknown() }, () => {
        isRepeat = false
        owners.check(tool)
        const encoded = orThrow(tool.encodeOutput(synchronous(change(tx))))
        // what its own schema can't read is refused while nothing is made yet
        output = orThrow(tool.decodeOutput(encoded))
        return encoded
      })
      // before it is durable: who ends the request meanwhile ends this receipt, in a commit behind this one
      this.#request.hasReceipts = true
      // a task that is resumed knows that this step was taken, exactly if it was made
      if (kind === 'event') journal.move(tx, step.task, { spent: { ...this.#budget.toKeep(closing) }, now })
      return outcome
    })
    const outcome = orThrow(made)
    this.#trace(tool, step, { isRepeat })
    events.fault?.('step.committed')
    return isRepeat ? this.#told(tool, outcome) : ok(output)
  }

  /** The output of a receipt. One that its schema can't read (any more) changes nothing about what was made. */
  #told(tool: RegisteredTool, outcome: unknown): Result<unknown> {
    try {
      const decoded = tool.decodeOutput(outcome)
      if (decoded.ok) return decoded
      this.#door.broken(tool, decoded.failure.cause)
    } catch (cause) {
      this.#door.broken(tool, cause)
    }
    return fail('system:result_gone')
  }

  #trace(tool: RegisteredTool, { name }: PlannedStep, { isRepeat }: { isRepeat: boolean }): void {
    const { id } = this.#request
    this.#kernel.trace({ kind: 'receipt-committed', request: id, tool: tool.id, step: name, isRepeat })
  }

  #numbered(tool: string): string {
    const name = tool
      .toLowerCase()
      .replace(/[^a-z0-9_.-]/g, '.')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, STEP_LETTERS)
    const count = (this.#calls.get(name) ?? 0) + 1
    this.#calls.set(name, count)
    return count === 1 ? name : `${name}/${count}`
  }
}

/** In place of `commit` for tools that say that they write nothing. */
export async function noCommit(): Promise<never> {
  throw new FailureError(failure('system:internal', {}, new TypeError('only a write tool can commit')))
}

/** An interactive request is over: it never runs again, so its receipts are kept for their time and no longer. */
export async function endReceipts(kernel: Kernel, request: LiveRequest): Promise<void> {
  if (!request.hasReceipts) return
  await kernel.store.update(request.player, (tx) =>
    kernel.journal.endTask(tx, request.id, kernel.clock.now()),
  )
}
