import type { Effort, ProviderName } from './endpoint.js'
import type { ReplyShape } from './transport.js'

type Params = Readonly<Record<string, unknown>>
/**
 * Parameters for one purpose, best first: when an endpoint rejects one form the next is taken, and after the last one
 * none. Each form has other names or other values than the one before.
 */
export type Forms = readonly Params[]

/** Where a count lies inside a provider's `usage` object: the keys to follow. */
export type UsagePath = readonly string[]

/**
 * What differs between vendors of Chat Completions. A further vendor is a further row (and its name in
 * `providerNameSchema` and in the configuration).
 */
export interface ProviderRow {
  /** Names of the output limit, best first; a later one is taken when the provider asks for it. */
  readonly maxTokens: readonly [string, ...string[]]
  /** Parameters that switch thinking on or off; none when the vendor has no such switch or needs none. */
  thinking(enabled: boolean): Forms
  /** How hard to think, once thinking is on. */
  effort(level: Effort): Forms
  /** Parameters of `extra` that a thinking model ignores or rejects: they are left out while thinking is on. */
  readonly unlessThinking: readonly string[]
  /** Members beside `content` in which reasoning text comes. It is counted in usage and dropped on arrival. */
  readonly reasoning: readonly string[]
  /** Parameters that ask for one JSON object. */
  json(shape: ReplyShape | null): Forms
  /** Parameters that carry the salted hash of the asker. */
  endUser(hash: string): Forms
  /** Where cache hits are reported; the first readable one counts. */
  readonly cached: readonly UsagePath[]
  /** Where input that was no cache hit is reported, for usages without a sum. */
  readonly missed: readonly UsagePath[]
  /** Where output is reported, best first. */
  readonly output: readonly UsagePath[]
  /** Codes or types in an error body that mean "out of credit", whatever the HTTP status says; a 402 always does. */
  readonly quotaCodes: ReadonlySet<string>
  /** Codes or types that mean "too fast", inside a 200 too. */
  readonly rateCodes: ReadonlySet<string>
  /** Codes or types by which a 503 says that no model runs yet: such a call did no work. */
  readonly idleCodes: ReadonlySet<string>
}

const DETAILS: UsagePath = ['prompt_tokens_details', 'cached_tokens']
const DEEPSEEK_HITS: UsagePath = ['prompt_cache_hit_tokens']
const DEEPSEEK_MISSES: UsagePath = ['prompt_cache_miss_tokens']
const OUTPUT: UsagePath = ['completion_tokens']
/** DeepSeek's rule for `user_id`: https://api-docs.deepseek.com/quick_start/rate_limit (November 2026). */
const DEEPSEEK_USER = /^[A-Za-z0-9_-]{1,512}$/
/** OpenAI's bound of `safety_identifier` and `user`. */
const OPENAI_USER = /^[A-Za-z0-9_-]{1,64}$/
/** Tokens of thinking that stand for an effort where only a budget can be given. */
const THINKING_BUDGET: Readonly<Record<Effort, number>> = { low: 1_024, high: 8_192, max: 32_768 }

const JSON_OBJECT: Forms = [{ response_format: { type: 'json_object' } }]
const jsonSchema = ({ schema, isClosed }: ReplyShape): Params => ({
  response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: isClosed, schema } },
})
const none = (): Forms => []

/** What most rows have in common; gateways in front of other vendors pass their fields on. */
const COMMON = {
  maxTokens: ['max_tokens'],
  thinking: none,
  effort: none,
  unlessThinking: [],
  reasoning: ['reasoning_content', 'reasoning'],
  json: none,
  endUser: none,
  cached: [DETAILS, DEEPSEEK_HITS],
  missed: [DEEPSEEK_MISSES],
  output: [OUTPUT],
  quotaCodes: new Set(['insufficient_quota', 'insufficient_balance']),
  rateCodes: new Set(['rate_limit_exceeded']),
  idleCodes: new Set<string>(),
} as const satisfies ProviderRow

/** Engines on the host's own machine: a grammar is made of the schema, and the chat template knows the switch. */
const TEMPLATE = {
  ...COMMON,
  thinking: (enabled: boolean): Forms => [{ chat_template_kwargs: { enable_thinking: enabled } }],
  json: (shape: ReplyShape | null): Forms =>
    shape === null ? JSON_OBJECT : [jsonSchema(shape), ...JSON_OBJECT],
} as const satisfies ProviderRow

/** The provider table (sources: `docs/CONFIGURATION.md`, "Providers"). Nothing else may ask for a vendor's name. */
export const PROVIDERS: Readonly<Record<ProviderName, ProviderRow>> = {
  deepseek: {
    ...COMMON,
    // Thinking is on by default there, so "off" must be said.
    thinking: (enabled) => [{ thinking: { type: enabled ? 'enabled' : 'disabled' } }],
    effort: (level) => [{ reasoning_effort: level }],
    unlessThinking: ['temperature', 'presence_penalty', 'frequency_penalty'],
    reasoning: ['reasoning_content'],
    json: () => JSON_OBJECT,
    endUser: (hash) => (DEEPSEEK_USER.test(hash) ? [{ user_id: hash }] : []),
    cached: [DEEPSEEK_HITS, DETAILS],
  },
  qwen: {
    ...COMMON,
    thinking: (enabled) => [{ enable_thinking: enabled }],
    effort: (level) => [{ thinking_budget: THINKING_BUDGET[level] }, { reasoning_effort: level }],
    reasoning: ['reasoning_content'],
    json: () => JSON_OBJECT,
    cached: [DETAILS],
    quotaCodes: new Set([...COMMON.quotaCodes, 'Arrearage']),
    rateCodes: new Set([
      ...COMMON.rateCodes,
      'Throttling',
      'Throttling.RateQuota',
      'Throttling.BurstRate',
      'Throttling.AllocationQuota',
      'limit_requests',
    ]),
  },
  openai: {
    ...COMMON,
    maxTokens: ['max_completion_tokens', 'max_tokens'],
    // Newer models know `none`, older ones think at least a little.
    thinking: (enabled) => (enabled ? [] : [{ reasoning_effort: 'none' }, { reasoning_effort: 'minimal' }]),
    effort: (level) => [
      { reasoning_effort: level === 'max' ? 'xhigh' : level },
      { reasoning_effort: 'high' },
    ],
    unlessThinking: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
    json: (shape) => (shape?.isClosed === true ? [jsonSchema(shape), ...JSON_OBJECT] : JSON_OBJECT),
    endUser: (hash) => (OPENAI_USER.test(hash) ? [{ safety_identifier: hash }, { user: hash }] : []),
    cached: [DETAILS],
  },
  ollama: {
    ...COMMON,
    thinking: (enabled) => (enabled ? [] : [{ reasoning_effort: 'none' }]),
    effort: (level) => [{ reasoning_effort: level === 'max' ? 'high' : level }],
    reasoning: ['reasoning', 'reasoning_content'],
    json: TEMPLATE.json,
    cached: [],
  },
  'llama.cpp': {
    ...TEMPLATE,
    cached: [DETAILS, ['timings', 'cache_n']],
    missed: [['timings', 'prompt_n']],
    output: [OUTPUT, ['timings', 'predicted_n']],
    // "Loading model"
    idleCodes: new Set(['unavailable_error']),
  },
  vllm: { ...TEMPLATE, reasoning: ['reasoning', 'reasoning_content'], cached: [DETAILS] },
  generic: { ...COMMON, maxTokens: ['max_tokens', 'max_completion_tokens'] },
}
