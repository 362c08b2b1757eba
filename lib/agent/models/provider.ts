import type { ProviderName } from './endpoint.js'

type Params = Readonly<Record<string, unknown>>

/** Where a count lies inside a provider's `usage` object: the keys to follow. */
export type UsagePath = readonly string[]

/**
 * What differs between vendors of Chat Completions. A further vendor is a further row (and its name in
 * `providerNameSchema`). Reasoning text needs no entry: nothing but `content` is ever read from a reply.
 */
export interface ProviderRow {
  /** Names of the output limit, best first; a later one is taken when the provider asks for it. */
  readonly maxTokens: readonly [string, ...string[]]
  /** Parameters that switch thinking on or off; empty when the vendor has no such switch. */
  thinking(enabled: boolean): Params
  /** Parameters that ask for one JSON object. */
  readonly json: Params
  /** Parameters that carry the salted hash of the asker. */
  endUser(hash: string): Params
  /** Where cache hits are reported; the first readable one counts. */
  readonly cached: readonly UsagePath[]
  /** Codes or types in an error body that mean "out of credit", whatever the HTTP status says. */
  readonly quotaCodes: ReadonlySet<string>
}

const DETAILS: UsagePath = ['prompt_tokens_details', 'cached_tokens']
const DEEPSEEK_HITS: UsagePath = ['prompt_cache_hit_tokens']
const QUOTA_CODES = new Set(['insufficient_quota', 'insufficient_balance'])
/** DeepSeek's rule for `user_id`: https://api-docs.deepseek.com/quick_start/rate_limit (November 2026). */
const DEEPSEEK_USER = /^[A-Za-z0-9_-]{1,512}$/

/** The provider table. */
export const PROVIDERS: Readonly<Record<ProviderName, ProviderRow>> = {
  deepseek: {
    maxTokens: ['max_tokens'],
    // Thinking is on by default there, so "off" must be said.
    thinking: (enabled) => ({ thinking: { type: enabled ? 'enabled' : 'disabled' } }),
    json: { response_format: { type: 'json_object' } },
    endUser: (hash) => (DEEPSEEK_USER.test(hash) ? { user_id: hash } : {}),
    cached: [DEEPSEEK_HITS, DETAILS],
    quotaCodes: QUOTA_CODES,
  },
  generic: {
    maxTokens: ['max_tokens', 'max_completion_tokens'],
    thinking: () => ({}),
    json: {},
    endUser: () => ({}),
    // A gateway in front of DeepSeek passes DeepSeek's own field on.
    cached: [DETAILS, DEEPSEEK_HITS],
    quotaCodes: QUOTA_CODES,
  },
}
