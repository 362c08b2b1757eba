import { z } from 'zod'
import { AI_LEVELS } from '../core/ai-level.js'
import { CARD_SURFACES } from '../core/own-settings.js'
import { CEILING_BYTES } from '../storage/index.js'
import { startOnly, timeZone, version } from './fields.js'
import {
  FIRST_MODEL_PRICES,
  FIRST_SEARCH_PRICES,
  modelPricingConfigSchema,
  searchPricingConfigSchema,
} from './pricing.js'

/** `system-model.json`: the endpoint that free questions go to. Keys come from environment variables only. */
const modelConfigSchema = z.object({
  version,
  provider: z
    .enum(['deepseek', 'qwen', 'openai', 'ollama', 'llama.cpp', 'vllm', 'generic'])
    .default('deepseek')
    .describe('How requests are put; `generic` is any endpoint with Chat Completions.'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .default('https://api.deepseek.com/v1')
    .describe('Address as an OpenAI SDK takes it, usually ending in /v1.'),
  model: z.string().min(1).max(256).default('deepseek-flash').describe('Id of the model at the provider.'),
  apiKeyEnv: z
    .string()
    .regex(/^([A-Za-z_][A-Za-z0-9_]*)?$/, 'must be the name of an environment variable, not a key')
    .default('SYSTEM_DEEPSEEK_API_KEY')
    .describe('Name of the environment variable that holds the key; empty for an endpoint without one.'),
  thinking: z.boolean().default(false).describe('Lets the model think before it answers.'),
  effort: z
    .enum(['low', 'high', 'max'])
    .nullable()
    .default(null)
    .describe('How hard it thinks where `thinking` is true; null: as the provider does by itself.'),
  extra: z.record(z.string(), z.unknown()).default({}).describe("Further members of each request's body."),
})

/** Ends the description of what is read and checked, but has no effect in this version. */
const UNUSED = 'Nothing uses it yet.'

const lane = (active: number, waiting: number, note = '') =>
  z
    .object({
      active: z.int().min(1).max(256).default(active).describe(`Requests that run at the same time.${note}`),
      waiting: z
        .int()
        .min(0)
        .max(4_096)
        .default(waiting)
        .describe(`Requests that wait; one more is refused.${note}`),
    })
    .prefault({})

const threads = () => z.int().min(1).max(16).default(1)

/** `system-agent.json`: what requests may spend, and how many run at once. */
const agentConfigSchema = z.object({
  version,
  // decoded by the engine's own schema
  policies: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Execution policies by module id; each is one value, whole or not at all.'),
  routingPolicy: z
    .unknown()
    .default(null)
    .describe('Execution policy of finding the module; null: built in.'),
  lanes: z
    .object({
      interactive: lane(4, 32),
      event: lane(2, 64),
      maintenance: lane(2, 32),
    })
    .prefault({}),
  threads: z
    .object({ agent: threads(), storage: threads(), compute: threads() })
    .prefault({})
    .meta(startOnly('Threads of each group.')),
  modelConcurrency: z
    .int()
    .min(1)
    .max(1_024)
    .default(4)
    .describe('Model calls of the whole server at the same time.'),
  dailyModelCalls: z.int().min(0).default(200).describe('Model calls of one player a day.'),
  dailyTokens: z.int().min(0).default(2_000_000).describe('Tokens of the whole server a day.'),
  dailyCost: z
    .number()
    .min(0)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('Cost of the whole server a day, in the currency of system-model-pricing; null: no limit.'),
  timeZone: timeZone.default('UTC').describe('IANA zone in which a day begins at midnight.'),
  aiDefault: z
    .enum(AI_LEVELS)
    .nullable()
    .default(null)
    .describe(
      'AI level of players of whom no admin has said anything; null: off without a model, route with one.',
    ),
})

const KIB = 1_024
const MIB = 1_048_576

const bytes = (initial: number, most: number) =>
  z
    .int()
    .min(16 * KIB)
    .max(most)
    .default(initial)

/** `system-storage.json`: how much is kept. Bytes are those of the files unless it says otherwise. */
const storageConfigSchema = z.object({
  version,
  businessBytes: bytes(4 * MIB, CEILING_BYTES).describe('Largest state of a player, in bytes.'),
  chatBytes: bytes(2 * MIB, 32 * MIB).describe('Largest history of a player, in bytes.'),
  chatRounds: z.int().min(0).max(10_000).default(200).describe('Rounds of conversation kept of a player.'),
  conversations: z.int().min(1).max(1_000).default(20).describe('Conversations kept of a player.'),
  conversationDays: z
    .int()
    .min(1)
    .max(3_650)
    .default(90)
    .describe('A conversation without a word for longer is dropped.'),
  receiptBytes: bytes(768 * KIB, CEILING_BYTES).describe(
    'Receipts of steps of a player, in bytes before compression; never more than half of businessBytes.',
  ),
  eventTaskBytes: bytes(256 * KIB, CEILING_BYTES).describe(
    'Event tasks of a player, in bytes before compression; never more than a quarter of businessBytes.',
  ),
  databaseBytes: bytes(32 * MIB, 32 * MIB).describe(
    `Largest database, that of the server or the private one of a player, in bytes. ${UNUSED}`,
  ),
  playerSaveSeconds: z
    .int()
    .min(1)
    .max(3_600)
    .default(30)
    .describe('Seconds between two saves of a player who is online and whose state changed.'),
  onUnreadable: z
    .enum(['refuse', 'fresh'])
    .default('refuse')
    .describe("Who can't be read is not let in (refuse), or begins anew with the file put aside (fresh)."),
})

/** `system-access.json`: who administers. */
const accessConfigSchema = z.object({
  version,
  admins: z.array(z.string().min(1).max(64)).max(256).default([]).describe('Names or UUIDs.'),
  trustOp: z
    .boolean()
    .default(true)
    .describe('Operators of flying-squid administer too; never true for everybody-op.'),
  adminsInOfflineMode: z
    .boolean()
    .default(false)
    .describe('Without online mode anybody can take any name: players administer there only with this.'),
})
export type AccessConfig = z.infer<typeof accessConfigSchema>

/** `system-surface.json`: what players see, and the repairs of the host. */
const surfaceConfigSchema = z.object({
  version,
  chatPrefix: z
    .string()
    .max(16)
    .default('@system ')
    .describe('Chat lines that begin with it are requests; empty switches it off.'),
  surface: z
    .enum(CARD_SURFACES)
    .default('chat')
    .describe('Where cards are shown to players who have chosen nothing: chat, book, window or plain.'),
  shield: z
    .record(z.string().max(64), z.boolean())
    .default({})
    .meta(startOnly('Repairs of the host by name; on unless switched off.')),
})

const linesPath = z
  .string()
  .max(200)
  // segments begin with a letter or digit: no `..`, nothing absolute; the ending keeps it off all other files
  .regex(
    /^([A-Za-z0-9][A-Za-z0-9_.-]*\/)*[A-Za-z0-9][A-Za-z0-9_.-]*\.jsonl$/,
    'must be a path such as trace/system.jsonl',
  )
  .nullable()

/** `system-trace.json`: the files that tell what requests did (ids, codes, counts and times) and what was bought and given. */
const traceConfigSchema = z.object({
  version,
  file: linesPath.default(null).describe('Path in the data folder, ending in .jsonl; null: none is written.'),
  audit: linesPath
    .default('system/audit.jsonl')
    .describe('The same for the log of all that is paid, given and taken; null: none.'),
  maxBytes: bytes(8 * MIB, 1_024 * MIB).describe(
    'A larger file is put aside as .1, an older one as .2, and so on.',
  ),
  keep: z.int().min(0).max(100).default(3).describe('Files put aside that are kept.'),
})
/** `system-semantic.json`: how sentences find their module without a model. */
const semanticConfigSchema = z.object({
  version,
  engine: z
    .enum(['lexical-tfidf-v1'])
    .default('lexical-tfidf-v1')
    .describe('What compares a sentence with the examples.'),
  mode: z
    .enum(['OFF', 'SHADOW', 'ENFORCE'])
    .default('ENFORCE')
    .describe(
      'OFF: the model chooses always. SHADOW: it does, and the log says what would have been chosen here.',
    ),
  targetPrecision: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.98)
    .describe('Share of right choices that the examples must show; the limits of a match follow from it.'),
  cacheSize: z
    .int()
    .min(0)
    .max(1_024)
    .default(32)
    .describe('Sentences of one player whose module is remembered once a model chose it; 0: none.'),
  cacheMinutes: z.int().min(1).max(1_440).default(30).describe('How long one is remembered.'),
  // decoded by routing itself: one wrong entry must not cost the others
  examples: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Further example sentences: lists by language by module id; {item} stands for any item.'),
  synonyms: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Further synonyms by language: a phrase with the list of those that mean the same.'),
})

/** The configuration files of this version, by name without `.json`. */
export const CONFIG_SCHEMAS = {
  'system-model': modelConfigSchema,
  'system-agent': agentConfigSchema,
  'system-storage': storageConfigSchema,
  'system-model-pricing': modelPricingConfigSchema,
  'system-search-pricing': searchPricingConfigSchema,
  'system-access': accessConfigSchema,
  'system-surface': surfaceConfigSchema,
  'system-trace': traceConfigSchema,
  'system-semantic': semanticConfigSchema,
} as const
export type ConfigName = keyof typeof CONFIG_SCHEMAS
export const CONFIG_NAMES = Object.keys(CONFIG_SCHEMAS) as readonly ConfigName[]

/** What a file is first written with where that is more than its defaults, which hold when the file is broken. */
export const FIRST_CONTENTS: Readonly<Partial<Record<ConfigName, object>>> = {
  'system-model-pricing': { prices: FIRST_MODEL_PRICES },
  'system-search-pricing': { prices: FIRST_SEARCH_PRICES },
}

/** Everything configured, effective values. */
export type SystemConfig = { readonly [N in ConfigName]: z.infer<(typeof CONFIG_SCHEMAS)[N]> }
