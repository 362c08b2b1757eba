import type { Clock } from '../core/clock.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Usage } from '../pool/index.js'
import type { ExecutionPolicy } from './policy.js'

/** What a request has spent so far. */
export interface Spent {
  readonly modelCalls: number
  readonly toolCalls: number
  readonly writeSteps: number
  readonly steps: number
  /** Tokens: actual where a provider said so, else the reservation. */
  readonly tokens: number
}

/** Where every budget begins. */
export const NOTHING_SPENT: Spent = { modelCalls: 0, toolCalls: 0, writeSteps: 0, steps: 0, tokens: 0 }

/** Where a budget begins. */
export interface BudgetStart {
  /** Monotonic milliseconds; the deadline counts from here. */
  readonly acceptedAt: number
  /** What routing spent before: its calls and tokens count against the module's own totals. */
  readonly carried?: Spent
  /** What earlier runs of the same task spent: all of it counts. */
  readonly resumed?: Spent
  /** The budget that everything is taken from too. */
  readonly outer?: Budget
}

/** Field by field the smaller of both: a nested policy never widens the outer one. */
export function tightened(outer: ExecutionPolicy, inner: ExecutionPolicy): ExecutionPolicy {
  const fields = Object.entries(outer) as [keyof ExecutionPolicy, number][]
  const smaller = fields.map(([name, limit]) => [name, Math.min(limit, inner[name])] as const)
  // the same fields with numbers again
  return Object.fromEntries(smaller) as ExecutionPolicy
}

/**
 * The ten-field policy as it is used up. Everything is taken before it is done, in one synchronous step, and only
 * corrected afterwards; an attempt that failed stays counted.
 */
export class Budget {
  readonly policy: ExecutionPolicy
  readonly #clock: Clock
  readonly #acceptedAt: number
  readonly #outer: Budget | null
  #spent: Spent
  /** Write steps that were taken and whose end isn't known. */
  #openWrites = 0

  constructor(policy: ExecutionPolicy, clock: Clock, start: BudgetStart) {
    this.policy = policy
    this.#clock = clock
    this.#acceptedAt = start.acceptedAt
    this.#outer = start.outer ?? null
    const carried = start.carried ?? NOTHING_SPENT
    this.#spent = start.resumed ?? {
      ...NOTHING_SPENT,
      modelCalls: carried.modelCalls,
      steps: carried.modelCalls,
      tokens: carried.tokens,
    }
  }

  /** A budget inside of this one: what it takes is taken here too, and neither of the two is passed. */
  nested(policy: ExecutionPolicy): Budget {
    const inner = tightened(this.policy, policy)
    return new Budget(inner, this.#clock, { acceptedAt: this.#clock.monotonic(), outer: this })
  }

  spent(): Spent {
    return this.#spent
  }

  /** Milliseconds until the deadline, never below 0. */
  remainingMs(): number {
    const own = Math.max(0, this.#acceptedAt + this.policy.ttlMillis - this.#clock.monotonic())
    return Math.min(own, this.#outer?.remainingMs() ?? own)
  }

  /** Whether no further model call could be made after the ones already taken and a tool call between them. */
  isLastCall(): boolean {
    const { modelCalls, steps } = this.#spent
    const isOwnLast = modelCalls >= this.policy.modelCalls || steps + 1 >= this.policy.steps
    return isOwnLast || this.#outer?.isLastCall() === true
  }

  /** Takes one model call: its attempt, and its worst case of tokens. */
  takeModelCall(inputBytes: number, outputTokens: number): Result<number> {
    const { policy } = this
    const spent = this.#spent
    const reserved = inputBytes + outputTokens
    if (spent.modelCalls >= policy.modelCalls) return fail('system:budget_model_calls')
    if (spent.steps >= policy.steps) return fail('system:budget_steps')
    if (inputBytes > policy.inputBytes) return fail('system:budget_input_bytes')
    if (outputTokens > policy.outputTokens) return fail('system:budget_tokens')
    if (spent.tokens + reserved > policy.totalTokens) return fail('system:budget_tokens')
    const outer = this.#outer?.takeModelCall(inputBytes, outputTokens)
    if (outer?.ok === false) return outer
    this.#spent = {
      ...spent,
      modelCalls: spent.modelCalls + 1,
      steps: spent.steps + 1,
      tokens: spent.tokens + reserved,
    }
    return ok(reserved)
  }

  /** Corrects a taken call by its actual usage; without usage the reservation stays charged. */
  settleModelCall(reserved: number, usage: Usage | null): void {
    if (usage === null) return
    this.#outer?.settleModelCall(reserved, usage)
    this.#spent = { ...this.#spent, tokens: this.#spent.tokens - reserved + usage.prompt + usage.output }
  }

  /** Takes one attempt to call a tool. */
  takeToolCall(kind: 'read' | 'write'): Result<void> {
    const { policy } = this
    const spent = this.#spent
    const writes = kind === 'write' ? 1 : 0
    if (spent.toolCalls >= policy.toolCalls) return fail('system:budget_tool_calls')
    if (spent.steps >= policy.steps) return fail('system:budget_steps')
    if (writes > 0 && spent.writeSteps >= policy.writeSteps) return fail('system:budget_write_steps')
    const outer = this.#outer?.takeToolCall(kind)
    if (outer?.ok === false) return outer
    this.#openWrites += writes
    this.#spent = {
      ...spent,
      toolCalls: spent.toolCalls + 1,
      writeSteps: spent.writeSteps + writes,
      steps: spent.steps + 1,
    }
    return ok(undefined)
  }

  /** A write step of `takeToolCall` has ended, whatever its end. */
  closeWrite(): void {
    this.#openWrites--
    this.#outer?.closeWrite()
  }

  /**
   * What is to be kept of a task that may be resumed. A write step under way isn't in it: it is taken again unless its
   * receipt is there. `committed`: so many of those under way are durable together with this.
   */
  toKeep(committed = 0): Spent {
    if (this.#outer !== null) return this.#outer.toKeep(committed)
    const open = this.#openWrites - committed
    const { toolCalls, writeSteps, steps } = this.#spent
    return {
      ...this.#spent,
      toolCalls: toolCalls - open,
      writeSteps: writeSteps - open,
      steps: steps - open,
    }
  }
}
