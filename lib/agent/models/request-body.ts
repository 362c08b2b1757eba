import type { Endpoint } from './endpoint.js'
import { PROVIDERS, type Forms, type ProviderRow } from './provider.js'
import type { ChatRequest } from './transport.js'

/** The JSON body of a request. */
export type RequestBody = Readonly<Record<string, unknown>>

/** What `extra` may not touch: it decides whom we ask, what, how we read the reply and what it may cost. */
const PROTECTED = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
])
/** The purpose that is never given up: an unbounded reply is no option. */
export const OUTPUT_LIMIT = 'output limit'

/**
 * How many forms of each purpose an endpoint has rejected; its later calls begin with the next one. Lives as long as
 * the transport.
 */
export class CapabilityMemo {
  readonly #rejected = new Map<string, number>()

  /** The best form that was not rejected, or undefined when there is none. */
  formOf(purpose: string, forms: Forms): Forms[number] | undefined {
    const rejected = this.#rejected.get(purpose) ?? 0
    return forms[purpose === OUTPUT_LIMIT ? Math.min(rejected, forms.length - 1) : rejected]
  }

  reject(purpose: string): void {
    this.#rejected.set(purpose, (this.#rejected.get(purpose) ?? 0) + 1)
  }

  /** Takes a rejection back: it was not the trouble. */
  forgive(purpose: string): void {
    this.#rejected.set(purpose, Math.max(0, (this.#rejected.get(purpose) ?? 0) - 1))
  }
}

/** A body with what each of its optional parameters is for. */
export interface BuiltBody {
  readonly body: RequestBody
  /** Purposes by parameter. */
  readonly purposes: ReadonlyMap<string, string>
}

/** Purposes with their forms, in the order of the body. What `extra` sets itself is the host's alone. */
function purposesOf(endpoint: Endpoint, request: ChatRequest, row: ProviderRow): readonly [string, Forms][] {
  const { thinking, effort, extra } = endpoint
  const own: [string, Forms][] = [
    ['json', row.json(request.shape ?? null)],
    ['thinking', row.thinking(thinking)],
    ['effort', thinking && effort !== null ? row.effort(effort) : []],
    ['end user', row.endUser(request.endUser)],
  ]
  const added = Object.entries(extra).filter(
    ([name]) => !PROTECTED.has(name) && !(thinking && row.unlessThinking.includes(name)),
  )
  const withoutAdded = (form: Forms[number]): Forms[number] =>
    Object.fromEntries(Object.entries(form).filter(([name]) => !Object.hasOwn(extra, name)))
  return [
    [OUTPUT_LIMIT, row.maxTokens.map((name) => ({ [name]: request.outputTokens }))],
    ...own.map(([purpose, forms]): [string, Forms] => [purpose, forms.map(withoutAdded)]),
    // a computed name: `__proto__` must become a member
    ...added.map(([name, value]): [string, Forms] => [`extra ${name}`, [{ [name]: value }]]),
    ['stream', [{ stream: true }]],
    ['stream usage', [{ stream_options: { include_usage: true } }]],
  ]
}

/** The body for this endpoint without what it has rejected before. Stable key order, for provider caches and tests. */
export function buildBody(endpoint: Endpoint, request: ChatRequest, memo: CapabilityMemo): BuiltBody {
  // Null prototype: the names come from a configuration file.
  const body = Object.create(null) as Record<string, unknown>
  const purposes = new Map<string, string>()
  body['model'] = endpoint.model
  body['messages'] = [
    { role: 'system', content: request.system },
    { role: 'user', content: request.user },
  ]
  for (const [purpose, forms] of purposesOf(endpoint, request, PROVIDERS[endpoint.provider])) {
    // without a stream there is nothing that its options could be about
    if (purpose === 'stream usage' && !('stream' in body)) continue
    for (const [name, value] of Object.entries(memo.formOf(purpose, forms) ?? {})) {
      body[name] = value
      purposes.set(name, purpose)
    }
  }
  return { body, purposes }
}
