import { z } from 'zod'

const version = z.literal(1).default(1)

const timeZone = z.string().refine(isTimeZone, 'must be an IANA time zone')

/** `Intl.supportedValuesOf` lists one name of each zone only: not `Asia/Kolkata`, `Europe/Kyiv` or `GMT`. */
function isTimeZone(zone: string): boolean {
  try {
    // an offset such as `+01:00` has no days that begin at midnight the whole year
    return (
      /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions() !== null
    )
  } catch {
    return false
  }
}

/** `system-model.json`: the endpoint that free questions go to. Keys come from environment variables only. */
export const modelConfigSchema = z.object({
  version,
  provider: z.enum(['deepseek', 'generic']).default('deepseek'),
  /** As an OpenAI SDK takes it, usually ending in `/v1`. */
  baseUrl: z.url({ protocol: /^https?$/ }).default('https://api.deepseek.com/v1'),
  model: z.string().min(1).max(256).default('deepseek-flash'),
  /** Name of the environment variable that holds the key; empty for an endpoint without one. */
  apiKeyEnv: z
    .string()
    .regex(/^([A-Za-z_][A-Za-z0-9_]*)?$/, 'must be the name of an environment variable, not a key')
    .default('SYSTEM_DEEPSEEK_API_KEY'),
  thinking: z.boolean().default(false),
  /** Further members of each request's body. */
  extra: z.record(z.string(), z.unknown()).default({}),
})
export type ModelConfig = z.infer<typeof modelConfigSchema>

const lane = (active: number, waiting: number) =>
  z
    .object({
      active: z.int().min(1).max(256).default(active),
      waiting: z.int().min(0).max(4_096).default(waiting),
    })
    .prefault({})

/** `system-agent.json`: what requests may spend, and how many run at once. */
export const agentConfigSchema = z.object({
  version,
  /** Execution policies by module id; each is one value, whole or not at all. Decoded by the engine's own schema. */
  policies: z.record(z.string(), z.unknown()).default({}),
  routingPolicy: z.unknown().default(null),
  lanes: z.object({ interactive: lane(4, 32), event: lane(2, 64), maintenance: lane(2, 32) }).prefault({}),
  threads: z
    .object({
      agent: z.int().min(1).max(16).default(1),
      storage: z.int().min(1).max(16).default(1),
      compute: z.int().min(1).max(16).default(1),
    })
    .prefault({}),
  /** Model calls of the whole server at the same time. */
  modelConcurrency: z.int().min(1).max(1_024).default(4),
  /** Model calls of one player a day. */
  dailyModelCalls: z.int().min(0).default(200),
  /** Tokens of the whole server a day. */
  dailyTokens: z.int().min(0).default(2_000_000),
  /** Where a day begins at midnight. */
  timeZone: timeZone.default('UTC'),
})
export type AgentConfig = z.infer<typeof agentConfigSchema>

/** `system-access.json`: who administers. */
export const accessConfigSchema = z.object({
  version,
  /** Names or UUIDs. */
  admins: z.array(z.string().min(1).max(64)).max(256).default([]),
  /** Operators of flying-squid administer too; never true for `everybody-op`. */
  trustOp: z.boolean().default(true),
  /** Without online mode names are free for anybody to take, so players administer only with this. */
  adminsInOfflineMode: z.boolean().default(false),
})
export type AccessConfig = z.infer<typeof accessConfigSchema>

/** `system-surface.json`: what players see, and the repairs of the host. */
export const surfaceConfigSchema = z.object({
  version,
  /** Chat lines that begin with it are requests; empty switches it off. */
  chatPrefix: z.string().max(16).default('@system '),
  /** Repairs of the host by name; on unless switched off. */
  shield: z.record(z.string().max(64), z.boolean()).default({}),
})
export type SurfaceConfig = z.infer<typeof surfaceConfigSchema>

/** The configuration files of this version, by name without `.json`. */
export const CONFIG_SCHEMAS = {
  'system-model': modelConfigSchema,
  'system-agent': agentConfigSchema,
  'system-access': accessConfigSchema,
  'system-surface': surfaceConfigSchema,
} as const

/** Everything configured, effective values. */
export interface SystemConfig {
  readonly 'system-model': ModelConfig
  readonly 'system-agent': AgentConfig
  readonly 'system-access': AccessConfig
  readonly 'system-surface': SurfaceConfig
}
export type ConfigName = keyof SystemConfig
