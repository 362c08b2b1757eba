import { z } from 'zod'

const attempts = z.int().min(0)
const positive = z.int().min(1)

/** What one request may spend. All ten fields together are one value: an override replaces it whole. */
export const executionPolicySchema = z
  .strictObject({
    /** Attempts to call a model. */
    modelCalls: attempts,
    /** Attempts to call a tool. */
    toolCalls: attempts,
    /** Model and tool attempts together. */
    steps: positive,
    /** Attempts to call a tool that writes. */
    writeSteps: attempts,
    /** UTF-8 bytes of prompt and input of one call. */
    inputBytes: positive,
    /** Maximum output of one call. */
    outputTokens: positive,
    /** Whole task: input bytes plus reserved output, reserved before each call, corrected by actual usage. */
    totalTokens: positive,
    /** Deadline, from acceptance of the request. */
    ttlMillis: positive,
    /** One call; not above ttlMillis. */
    modelTimeoutMillis: positive,
    /** Model decisions of one loop including the final summary; 0 disables loops; missing or invalid is 3. */
    reactIterations: attempts.catch(3),
  })
  .refine((policy) => policy.modelTimeoutMillis <= policy.ttlMillis, {
    error: 'modelTimeoutMillis must not be above ttlMillis',
    path: ['modelTimeoutMillis'],
  })
export type ExecutionPolicy = z.infer<typeof executionPolicySchema>

/** Fast deterministic modules: no model, a few tool calls, nothing is written. */
export const FAST_POLICY: ExecutionPolicy = {
  modelCalls: 0,
  toolCalls: 4,
  steps: 6,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: 1_536,
  totalTokens: 262_144,
  ttlMillis: 14_500,
  modelTimeoutMillis: 12_000,
  reactIterations: 0,
}

/** Modules of event tasks: no model, a few steps that write, 5 minutes from the submission on, the player's absence included. */
export const EVENT_POLICY: ExecutionPolicy = {
  ...FAST_POLICY,
  toolCalls: 8,
  steps: 12,
  writeSteps: 4,
  ttlMillis: 300_000,
}

/** The one model call that routing may make. */
export const ROUTING_POLICY: ExecutionPolicy = { ...FAST_POLICY, modelCalls: 1, toolCalls: 0, steps: 1 }

/** `system:reasoning`: the explicit loop over read-only tools. */
export const REASONING_POLICY: ExecutionPolicy = {
  ...FAST_POLICY,
  modelCalls: 4,
  toolCalls: 8,
  steps: 14,
  ttlMillis: 60_000,
  reactIterations: 3,
}
