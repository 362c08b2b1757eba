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

const NOTHING: Spent = { modelCalls: 0, toolCalls: 0, writeSteps: 0, steps: 0, tokens: 0 }

/**
 * The ten-field policy as it is used up. Everything is taken before it is done, in one synchronous step, and only
 * corrected afterwards; an attempt that failed stays counted.
 */
export class Budget {
  readonly policy: ExecutionPolicy
  readonly #clock: Clock
  readonly #acceptedAt: number
  #spent: Spent

  /** `carried` is what routing spent before: its calls and tokens count against the module's own totals. */
  constructor(policy: ExecutionPolicy, clock: Clock, start: { acceptedAt: number; carried?: Spent }) {
    this.policy = policy
    this.#clock = clock
    this.#acceptedAt = start.acceptedAt
    const carried = start.carried ?? NOTHING
    this.#spent = {
      ...NOTHING,
      modelCalls: carried.modelCalls,
      steps: carried.modelCalls,
      tokens: carried.tokens,
    }
  }

  spent(): Spent {
    return this.#spent
  }

  /** Milliseconds until the deadline, never below 0. */
  remainingMs(): number {
    return Math.max(0, this.#acceptedAt + this.policy.ttlMillis - this.#clock.monotonic())
  }

  /** Whether no further model call could be made after the ones already taken and a tool call between them. */
  isLastCall(): boolean {
    return this.#spent.modelCalls >= this.policy.modelCalls || this.#spent.steps + 1 >= this.policy.steps
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
    this.#spent = {
      ...spent,
      toolCalls: spent.toolCalls + 1,
      writeSteps: spent.writeSteps + writes,
      steps: spent.steps + 1,
    }
    return ok(undefined)
  }
}
