import type { ExecutionPolicy } from '../../lib/agent/index.js'

/** A policy with room in every field. */
export const WIDE: ExecutionPolicy = {
  modelCalls: 9,
  toolCalls: 9,
  steps: 18,
  writeSteps: 9,
  inputBytes: 1_000,
  outputTokens: 100,
  totalTokens: 100_000,
  ttlMillis: 10_000,
  modelTimeoutMillis: 5_000,
  reactIterations: 3,
}
