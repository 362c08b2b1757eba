import { OpenAI } from 'openai'
import { LONGEST_TIMER_MS, type Clock } from '../../core/clock.js'
import type { Endpoint } from './endpoint.js'

/** Why there is no body to read. */
export type ProblemDetail =
  /** No response: the system's or undici's code of it (`ECONNREFUSED`, …), empty when unknown. */
  | { readonly kind: 'network'; readonly code: string }
  /** A response that is no success, with the beginning of its body. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter: string | null
      readonly body: string
    }

/**
 * Leaves our `fetch` and comes back as the `cause` of the SDK's connection error. The message is constant: the SDK
 * drops the cause of errors whose text looks like a timeout.
 */
export class FetchProblem extends Error {
  readonly detail: ProblemDetail
  constructor(detail: ProblemDetail) {
    super('fetch problem')
    this.name = 'FetchProblem'
    this.detail = detail
  }
}

/** An error body is read this far and this long; the SDK would read it whole and wait for ever. */
const ERROR_BODY_BYTES = 16_384
const ERROR_BODY_MS = 1_000

/** The code of a failed fetch: undici hides it one or two causes deep. */
function networkCode(thrown: unknown): string {
  let here = thrown
  for (let depth = 0; depth < 5 && here instanceof Error; depth += 1) {
    if ('code' in here && typeof here.code === 'string') return here.code
    here = here.cause
  }
  return ''
}

async function readErrorBody(response: Response, clock: Clock): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const give = (): void => void reader.cancel().catch(() => {})
  const cancelTimer = clock.after(ERROR_BODY_MS, give)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    while (size < ERROR_BODY_BYTES) {
      const { done, value } = await reader.read()
      if (done) return text
      size += value.byteLength
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    // cut or aborted: the status says enough
  } finally {
    cancelTimer()
  }
  give()
  return text
}

/**
 * What goes out, and nothing else: no fingerprint of the SDK (`x-stainless-*`), nothing from `OPENAI_CUSTOM_HEADERS`.
 * Without a key no Authorization is sent. Compression is declined: proxies hold streams back to compress them.
 */
function ownHeaders(endpoint: Endpoint): Record<string, string> {
  return {
    accept: 'text/event-stream, application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': 'flying-squid-system',
    ...(endpoint.apiKey === '' ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
  }
}

/**
 * The SDK's client of one endpoint: one try, nothing from the environment, no log. Its promise rejects with an error
 * whose cause is a FetchProblem unless the call was aborted. Redirects are not followed: they would carry the
 * player's words to another host.
 */
export function createHttpClient(endpoint: Endpoint, clock: Clock): OpenAI {
  return new OpenAI({
    apiKey: endpoint.apiKey === '' ? 'none' : endpoint.apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    // The deadline is ours; the SDK's covers headers only.
    timeout: LONGEST_TIMER_MS,
    // It would print bodies that it cannot read.
    logLevel: 'off',
    fetch: async (url, init) => {
      let response: Response
      try {
        response = await fetch(url, { ...init, headers: ownHeaders(endpoint), redirect: 'manual' })
      } catch (thrown) {
        throw new FetchProblem({ kind: 'network', code: networkCode(thrown) })
      }
      if (response.ok) return response
      throw new FetchProblem({
        kind: 'status',
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: await readErrorBody(response, clock),
      })
    },
  })
}
