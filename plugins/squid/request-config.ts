import {
  readPolicies,
  type ConfiguredModel,
  type Policies,
  type RequestSettings,
} from '../../lib/agent/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
import { canonicalJson } from '../../lib/core/json.js'
import type { Logger } from '../../lib/core/logger.js'
import { fail } from '../../lib/core/result.js'
import { filledPrompt } from '../../lib/text/index.js'
import type { Content } from '../../lib/registry/index.js'

/** So many earlier endpoints are kept: more changes than that don't fall into the time of one request. */
const EARLIER = 8

/** What requests are configured from. */
export interface RequestConfigParts {
  readonly live: LiveConfig
  /** What an environment variable holds; undefined: nothing. */
  readonly environment: (name: string) => string | undefined
  readonly logger: Logger
  /** What packs say now. */
  readonly content: () => Content
  /** A prompt that packs don't have. */
  readonly prompt: (name: string) => string | undefined
  /** What the standard placeholders of prompts stand for. */
  readonly values: Readonly<Record<string, string>>
}

/** An endpoint as the agent group decodes it. Each change of it has an id of its own. */
interface Endpoint {
  readonly id: string
  /** Canonical text of all but the id. */
  readonly text: string
  readonly data: object & { readonly model: string; readonly baseUrl: string }
}

/**
 * Model, policies and content that a request takes along. Endpoints of before a reload stay known to the threads: a request
 * of any kind may name them. The key goes to the agent group's threads and nowhere else.
 */
export class RequestConfig {
  readonly #parts: RequestConfigParts
  #policies: Policies
  #endpoint: Endpoint | null
  #earlier: readonly Endpoint[] = []
  #changes = 0

  constructor(parts: RequestConfigParts) {
    this.#parts = parts
    this.#policies = readPolicies(parts.live.config['system-agent'], parts.logger)
    this.#endpoint = this.#read()
  }

  /** For a request that begins now. */
  get current(): RequestSettings {
    const model = this.#endpoint === null ? null : configured(this.#endpoint)
    const content = this.#parts.content()
    return {
      model,
      policy: this.#policies.reader,
      content,
      prompt: (name, values = {}) => {
        const text = content.prompts.get(name) ?? this.#parts.prompt(name)
        if (text === undefined) return fail('system:internal', {}, new Error(`no prompt ${name}`))
        return filledPrompt(text, { ...values, ...this.#parts.values })
      },
    }
  }

  /** `provider/model`, or null while no model is configured. */
  get model(): string | null {
    const { provider, model } = this.#parts.live.config['system-model']
    return this.#endpoint === null ? null : `${provider}/${model}`
  }

  /** For the threads of the agent group. */
  agentData(): { readonly endpoints: readonly object[] } {
    const known = this.#endpoint === null ? this.#earlier : [...this.#earlier, this.#endpoint]
    return { endpoints: known.map(({ id, data }) => ({ ...data, id })) }
  }

  /** Reads again. */
  renew(): { refused: readonly string[]; isEndpointNew: boolean } {
    const { live, logger } = this.#parts
    this.#policies = readPolicies(live.config['system-agent'], logger, this.#policies)
    const before = this.#endpoint
    const next = this.#read()
    const isEndpointNew = before?.text !== next?.text
    if (isEndpointNew) {
      if (before !== null) this.#earlier = [...this.#earlier, before].slice(-EARLIER)
      this.#endpoint = next
    }
    return { refused: this.#policies.refused, isEndpointNew }
  }

  /** Null while no model is configured: unclear whom to ask, or the variable holds no key. */
  #read(): Endpoint | null {
    const { live, environment } = this.#parts
    if (!live.isEndpointSound) return null
    const { apiKeyEnv, provider, baseUrl, model, thinking, effort, extra } = live.config['system-model']
    // an endpoint without a variable needs no key
    const apiKey = apiKeyEnv === '' ? '' : environment(apiKeyEnv)
    if (apiKey === undefined || (apiKeyEnv !== '' && apiKey === '')) return null
    const data = { provider, baseUrl, model, thinking, effort, extra, apiKey }
    this.#changes += 1
    return { id: `model-${this.#changes}`, text: canonicalJson(data), data }
  }
}

function configured({ id, data }: Endpoint): ConfiguredModel {
  return { endpoint: id, name: data.model, host: new URL(data.baseUrl).hostname }
}
