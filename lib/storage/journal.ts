import { z } from 'zod'
import { failure, FailureError } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { identifierSchema } from '../codec/index.js'
import type { StoreLimits } from './limits.js'
import type { StorageTable } from './storage-type.js'
import type { Reading, Transaction } from './transaction.js'

/** How long receipts and tasks are kept after their task is over. */
const KEPT_MS = 7 * 86_400_000

const receiptSchema = z.strictObject({
  /** Hash of the step's input. */
  fingerprint: z.string().min(1).max(128),
  /** Epoch milliseconds. */
  at: z.int().min(0),
  /** When the task was over, epoch milliseconds; 0 while it is not. */
  over: z.int().min(0),
  /** What the step gave; plain JSON, checked against the step's own schema when it is given again. */
  outcome: z.unknown(),
})

/** Receipts of write steps by step id: `<task>/<step name>[/<n>]`. */
export const STEP_RECEIPTS: StorageTable<z.infer<typeof receiptSchema>> = {
  id: identifier('system:step_receipts'),
  version: 1,
  schema: receiptSchema,
  rows: 'business',
}

const numbers = z.record(z.string().max(64), z.number())
const eventTaskSchema = z.strictObject({
  module: identifierSchema,
  moduleVersion: z.int().min(1),
  /** What authorized it; a rule that is gone authorizes nothing. */
  rule: z.string().max(256),
  /** The decoded input; plain JSON. */
  input: z.unknown(),
  /** The policy of its first run, and what of it is used up. */
  policy: numbers,
  spent: numbers,
  state: z.enum(['QUEUED', 'RUNNING', 'WAITING', 'DONE', 'FAILED']),
  attempts: z.int().min(0),
  /** Epoch milliseconds. */
  deadline: z.int().min(0),
  createdAt: z.int().min(0),
  /** When it was DONE or FAILED, 0 before. */
  over: z.int().min(0),
})
export type EventTask = z.infer<typeof eventTaskSchema>

/** Event tasks by task id. */
export const EVENT_TASKS: StorageTable<EventTask> = {
  id: identifier('system:event_tasks'),
  version: 1,
  schema: eventTaskSchema,
  rows: 'business',
}

/** One write step of a task. */
export interface Step<T> {
  /** Stable over all runs of the task; without a slash. */
  readonly task: string
  /** `<step name>[/<n>]`. */
  readonly name: string
  readonly fingerprint: string
  readonly output: z.ZodType<T>
}

/**
 * Tasks of a player and the receipts of their write steps. All methods work inside a transaction, so a receipt and what it
 * stands for are committed together or not at all. Refusals are thrown, which ends the transaction.
 */
export class AgentJournal {
  readonly #limits: () => StoreLimits

  constructor(limits: () => StoreLimits) {
    this.#limits = limits
  }

  /**
   * Makes the change of a step once. The same step with the same fingerprint again gives the recorded outcome, with
   * another one it throws `system:receipt_mismatch`; `system:journal_full` when receipts of tasks that aren't over, or
   * haven't been for 7 days, leave no room.
   */
  once<T>(tx: Transaction, step: Step<T> & { readonly now: number }, change: () => T): T {
    const before = this.made(tx, step)
    if (before !== null) return step.output.parse(before.outcome)
    const outcome = change()
    const receipt = { fingerprint: step.fingerprint, at: step.now, over: 0, outcome }
    tx.put(STEP_RECEIPTS, keyOf(step), receipt)
    this.#keepWithin(tx, step.now)
    return outcome
  }

  /** What a step gave that was made before, null for a new one; throws `system:receipt_mismatch` as `once` does. */
  made(kept: Reading, step: Omit<Step<unknown>, 'output'>): { readonly outcome: unknown } | null {
    const receipt = kept.row(STEP_RECEIPTS, keyOf(step))
    if (receipt === undefined) return null
    if (receipt.fingerprint !== step.fingerprint) throw new FailureError(failure('system:receipt_mismatch'))
    return receipt
  }

  /** Persists a task before it runs; throws `system:journal_full` like `once`. */
  add(tx: Transaction, id: string, task: EventTask): void {
    tx.put(EVENT_TASKS, id, task)
    this.#keepWithin(tx, task.createdAt)
  }

  /** Moves a task on; one that becomes DONE or FAILED is over, with its receipts. */
  move(
    tx: Transaction,
    id: string,
    next: Partial<Pick<EventTask, 'state' | 'spent' | 'attempts'>> & { readonly now: number },
  ): void {
    const task = tx.row(EVENT_TASKS, id)
    if (task === undefined) throw new FailureError(failure('system:internal', {}, new Error(`no task ${id}`)))
    const { now, ...moved } = next
    const isOver = moved.state === 'DONE' || moved.state === 'FAILED'
    tx.put(EVENT_TASKS, id, { ...task, ...moved, over: isOver ? now : 0 })
    if (isOver) this.endTask(tx, id, now)
  }

  /** The task won't run again: its receipts are kept for 7 more days. Lets go of those whose time has come. */
  endTask(tx: Transaction, task: string, now: number): void {
    for (const [key, receipt] of tx.rows(STEP_RECEIPTS))
      if (receipt.over === 0 && key.startsWith(`${task}/`))
        tx.put(STEP_RECEIPTS, key, { ...receipt, over: now })
    sweep(tx, now)
  }

  /**
   * At login: interactive tasks of an earlier run never go on, so receipts of tasks that are neither open here nor running
   * now are over.
   */
  recover(tx: Transaction, now: number, isRunning: (task: string) => boolean): void {
    const open = new Set(this.openTasks(tx).map(([id]) => id))
    for (const [key, receipt] of tx.rows(STEP_RECEIPTS)) {
      const task = key.slice(0, key.indexOf('/'))
      if (receipt.over === 0 && !open.has(task) && !isRunning(task))
        tx.put(STEP_RECEIPTS, key, { ...receipt, over: now })
    }
    sweep(tx, now)
  }

  /** Tasks that have to go on, the oldest first. */
  openTasks(kept: Reading): readonly (readonly [string, EventTask])[] {
    return [...kept.rows(EVENT_TASKS)]
      .filter(([, { over }]) => over === 0)
      .sort(([, a], [, b]) => a.createdAt - b.createdAt)
  }

  /** Both budgets lie inside the business record, so that the journal alone can never fill it. */
  #keepWithin(tx: Transaction, now: number): void {
    const { businessBytes, receiptBytes, eventTaskBytes } = this.#limits()
    const isFull = (): boolean =>
      tx.bytes(STEP_RECEIPTS) > Math.min(receiptBytes, businessBytes / 2) ||
      tx.bytes(EVENT_TASKS) > Math.min(eventTaskBytes, businessBytes / 4)
    if (!isFull()) return
    sweep(tx, now)
    if (isFull()) throw new FailureError(failure('system:journal_full'))
  }
}

function keyOf({ task, name }: Pick<Step<unknown>, 'task' | 'name'>): string {
  if (task.includes('/')) throw new TypeError('a task id has no slash')
  return `${task}/${name}`
}

function sweep(tx: Transaction, now: number): void {
  for (const table of [STEP_RECEIPTS, EVENT_TASKS])
    for (const [key, { over }] of tx.rows<{ readonly over: number }>(table))
      if (over > 0 && now - over > KEPT_MS) tx.remove(table, key)
}
