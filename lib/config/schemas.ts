import { z } from 'zod'
import { timeZone, version } from './fields.js'
import {
  FIRST_MODEL_PRICES,
  FIRST_SEARCH_PRICES,
  modelPricingConfigSchema,
  searchPricingConfigSchema,
} from './pricing.js'

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

const KIB = 1_024
const MIB = 1_048_576

const bytes = (initial: number, most: number) =>
  z
    .int()
    .min(16 * KIB)
    .max(most)
    .default(initial)

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
  /** Cost of the whole server a day, in the currency of `system-model-pricing`; null: no limit. */
  dailyCost: z.number().min(0).max(1_000_000).nullable().default(null),
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

/** `system-storage.json`: how much is kept, in bytes of the file unless a name says otherwise. */
export const storageConfigSchema = z.object({
  version,
  /** Business state of a player. */
  businessBytes: bytes(4 * MIB, 64 * MIB),
  /** Conversations and the results of requests, of a player. */
  chatBytes: bytes(2 * MIB, 32 * MIB),
  /** Rounds of conversation kept of a player. */
  chatRounds: z.int().min(0).max(10_000).default(200),
  /** Conversations kept of a player. */
  conversations: z.int().min(1).max(1_000).default(20),
  /** A conversation without a word for longer is dropped. */
  conversationDays: z.int().min(1).max(3_650).default(90),
  /** Receipts of steps of a player; never more than the business state may have. */
  receiptBytes: bytes(768 * KIB, 64 * MIB),
  /** Event tasks of a player; never more than the business state may have. */
  eventTaskBytes: bytes(256 * KIB, 64 * MIB),
  /** Seconds between two saves of a player who is online and whose state changed. */
  playerSaveSeconds: z.int().min(1).max(3_600).default(30),
  /** What happens to a player whose saved state can't be read: not let in, or a new start with the file put aside. */
  onUnreadable: z.enum(['refuse', 'fresh']).default('refuse'),
})
export type StorageConfig = z.infer<typeof storageConfigSchema>

/** The configuration files of this version, by name without `.json`. */
export const CONFIG_SCHEMAS = {
  'system-model': modelConfigSchema,
  'system-agent': agentConfigSchema,
  'system-storage': storageConfigSchema,
  'system-model-pricing': modelPricingConfigSchema,
  'system-search-pricing': searchPricingConfigSchema,
  'system-access': accessConfigSchema,
  'system-surface': surfaceConfigSchema,
} as const
export type ConfigName = keyof typeof CONFIG_SCHEMAS

/** What a file is first written with where that is more than its defaults, which hold when the file is broken. */
export const FIRST_CONTENTS: Readonly<Partial<Record<ConfigName, object>>> = {
  'system-model-pricing': { prices: FIRST_MODEL_PRICES },
  'system-search-pricing': { prices: FIRST_SEARCH_PRICES },
}

/** Everything configured, effective values. */
export type SystemConfig = { readonly [N in ConfigName]: z.infer<(typeof CONFIG_SCHEMAS)[N]> }
