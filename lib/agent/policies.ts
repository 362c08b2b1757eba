import type { Logger } from '../core/logger.js'
import { executionPolicySchema, type ExecutionPolicy } from './policy.js'

/** The name under which the policy of routing stands among the overrides. */
export const ROUTING = 'routing'

/** The host's overrides, undecoded, as `system-agent.json` holds them. */
export interface PolicyOverrides {
  /** By module id. */
  readonly policies: Readonly<Record<string, unknown>>
  /** Null: none. */
  readonly routingPolicy: unknown
}

/** Gives the effective policy of a module (or of `ROUTING`): the host's override, else `fallback`. */
export type PolicyReader = (name: string, fallback: ExecutionPolicy) => ExecutionPolicy

/** Overrides that were read. */
export interface Policies {
  readonly reader: PolicyReader
  /** By name. */
  readonly overrides: ReadonlyMap<string, ExecutionPolicy>
  /** Names of those that were refused. */
  readonly refused: readonly string[]
}

/**
 * Reads the overrides. Each is one value: one that is not a whole valid policy is refused, with one line in the log, and
 * that of `before` holds, or else the fallback; only `reactIterations` may be missing or wrong, and is 3 then.
 */
export function readPolicies(given: PolicyOverrides, logger: Logger, before?: Policies): Policies {
  const overrides = new Map<string, ExecutionPolicy>()
  const refused: string[] = []
  const read = (name: string, value: unknown): void => {
    const parsed = executionPolicySchema.safeParse(value)
    if (parsed.success) return void overrides.set(name, parsed.data)
    const issue = parsed.error.issues[0]
    const problem = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`
    logger.warn(`system-agent.json: the policy of ${name} is not used: ${problem}`)
    refused.push(name)
    const held = before?.overrides.get(name)
    if (held !== undefined) overrides.set(name, held)
  }
  for (const [name, value] of Object.entries(given.policies)) read(name, value)
  if (given.routingPolicy !== null) read(ROUTING, given.routingPolicy)
  return { reader: (name, fallback) => overrides.get(name) ?? fallback, overrides, refused }
}
