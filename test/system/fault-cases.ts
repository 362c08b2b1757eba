/** Every fault of the provider simulator, with what a player, the meter and the breaker see of it. */
import { faults, replies, type ProviderStep, type SimulatedReply } from '../../lib/testing/index.js'
import type { FailureCode } from '../../lib/core/failure.js'

export interface FaultCase {
  readonly name: string
  readonly steps: readonly ProviderStep[]
  /** The code whose line the player reads; null: the answer. */
  readonly code: FailureCode | null
  /** What is charged: what the provider reported, the whole reservation, or nothing where it did no work. */
  readonly charge: 'usage' | 'reservation' | 'nothing'
  /** Nobody listens at the provider's port. */
  readonly isDown?: true
}

/** Output limit of one call in these tests. */
export const OUTPUT_TOKENS = 64
/** What the simulator reports where it reports anything. */
export const USAGE = { prompt_tokens: 100, completion_tokens: 7 }
export const USED_TOKENS = 107
/** The answer that every good reply carries. */
export const TEXT = 'It lies deep: 钻石😀.'
export const ANSWER = { type: 'answer', text: TEXT }
/** The name that a choice of a module has in the same place. */
type Content = Readonly<Record<string, unknown>>

const FULL = { prompt_tokens: 43, completion_tokens: OUTPUT_TOKENS }
const metered = (reply: SimulatedReply): SimulatedReply => reply.with({ usage: USAGE })
const full = (reply: SimulatedReply): SimulatedReply => reply.with({ usage: FULL })

/** A good reply with `content`. */
export const good = (content: Content): SimulatedReply => metered(replies.text(content))

type Row = readonly [
  name: string,
  steps: ProviderStep | readonly ProviderStep[],
  code: FailureCode | null,
  charge: FaultCase['charge'],
]

/** The faults as they befall a request whose right reply is `content`. */
export function faultCases(content: Content): readonly FaultCase[] {
  const rows: readonly Row[] = [
    ...endured(content),
    ...bad(content),
    ...silent(content),
    ...statuses(content),
  ]
  const down: FaultCase = {
    name: 'refused connection',
    steps: [],
    code: 'system:model_unavailable',
    charge: 'nothing',
    isDown: true,
  }
  return [
    ...rows.map(([name, steps, code, charge]) => ({
      name,
      steps: Array.isArray(steps) ? (steps as readonly ProviderStep[]) : [steps as ProviderStep],
      code,
      charge,
    })),
    down,
  ]
}

/** Faults that an answer survives. */
const endured = (content: Content): readonly Row[] => [
  ['plain completion', metered(replies.plain(content)), null, 'usage'],
  ['no [DONE]', metered(faults.noDone(content)), null, 'usage'],
  ['fenced JSON', metered(faults.fenced(content)), null, 'usage'],
  ['prose around JSON', metered(faults.prose(content)), null, 'usage'],
  ['missing usage', faults.missingUsage(content), null, 'reservation'],
  ['keep-alive comments', metered(faults.keepAlive(content)), null, 'usage'],
  ['blank lines', metered(faults.blankLines(content, 50)), null, 'usage'],
  [
    'blank lines before a plain body',
    metered(faults.blankLines(content)).with({ plain: true }),
    null,
    'usage',
  ],
  ['one byte per write', metered(faults.byteByByte(content)), null, 'usage'],
  ['reasoning beside the answer', metered(replies.reasoned('hm {', content)), null, 'usage'],
]

/** Replies that are none. */
const bad = (content: Content): readonly Row[] => [
  ['neither finish nor [DONE]', faults.noEnd(content), 'system:model_truncated', 'reservation'],
  ['cut stream', faults.cut(content), 'system:model_unavailable', 'reservation'],
  ['cut plain body', faults.cut(content).with({ plain: true }), 'system:model_unavailable', 'reservation'],
  ['HTML 200', faults.htmlPage(), 'system:model_unavailable', 'reservation'],
  ['zero-byte 200', faults.zeroBytes(), 'system:model_empty', 'reservation'],
  ['JSON that stops', faults.brokenJson(), 'system:model_invalid', 'reservation'],
  ['JSON of another shape', faults.otherJson(), 'system:model_invalid', 'reservation'],
  ['empty content', metered(faults.emptyContent()), 'system:model_empty', 'usage'],
  ['reasoning only', metered(faults.reasoningOnly()), 'system:model_empty', 'usage'],
  ['two objects', metered(faults.twoObjects(content, content)), 'system:model_invalid', 'usage'],
  ['truncated, honest', full(faults.truncated('{"type":"ans')), 'system:model_truncated', 'usage'],
  [
    'truncated, dishonest',
    full(faults.truncated(JSON.stringify(content), 'stop')),
    'system:model_truncated',
    'usage',
  ],
  ['30 MB body', faults.hugeBody(), 'system:model_too_large', 'reservation'],
  ['unknown finish', metered(faults.unknownFinish(content)), 'system:model_unavailable', 'usage'],
  [
    'error in stream',
    faults.errorInStream({ message: 'no' }, content),
    'system:model_unavailable',
    'reservation',
  ],
  ['error 429 in stream', faults.errorInStream({ code: 429 }), 'system:model_rate_limited', 'reservation'],
  ['error 401 in stream', faults.errorInStream({ code: 401 }), 'system:model_auth', 'reservation'],
]

/** Replies that never come to an end. */
const silent = (content: Content): readonly Row[] => [
  ['slow headers', faults.slowHeaders(content), 'system:model_timeout', 'reservation'],
  ['stalled body', faults.stalledBody(content), 'system:model_timeout', 'reservation'],
  ['stalled tail', faults.stalledTail(content), 'system:model_timeout', 'reservation'],
  ['comments for ever', faults.paddingForever(': keep-alive\n\n'), 'system:model_timeout', 'reservation'],
  ['blank lines for ever', faults.paddingForever(), 'system:model_timeout', 'reservation'],
]

/** Statuses. Turned away for certain: nothing is charged, and a repeat that cannot be billed twice is made. */
const statuses = (content: Content): readonly Row[] => [
  ['400', faults.status(400), 'system:model_refused', 'nothing'],
  ['401', faults.status(401), 'system:model_auth', 'nothing'],
  ['402', faults.status(402), 'system:model_balance', 'nothing'],
  ['403', faults.status(403), 'system:model_auth', 'nothing'],
  ['404', faults.status(404), 'system:model_refused', 'nothing'],
  ['429', faults.status(429), 'system:model_rate_limited', 'nothing'],
  [
    '429, Retry-After too long',
    faults.status(429, { retryAfter: '60' }),
    'system:model_rate_limited',
    'nothing',
  ],
  [
    '429, Retry-After negative',
    faults.status(429, { retryAfter: '-1' }),
    'system:model_rate_limited',
    'nothing',
  ],
  ['429, Retry-After, then good', [faults.status(429, { retryAfter: '0' }), good(content)], null, 'usage'],
  [
    '429 twice',
    [faults.status(429, { retryAfter: '0' }), faults.status(429, { retryAfter: '0' })],
    'system:model_rate_limited',
    'nothing',
  ],
  ['429, insufficient quota', faults.insufficientQuota(), 'system:model_balance', 'nothing'],
  ['500', faults.status(500), 'system:model_unavailable', 'reservation'],
  ['500, Retry-After', faults.status(500, { retryAfter: '0' }), 'system:model_unavailable', 'reservation'],
  ['500, insufficient quota', faults.insufficientQuota(500), 'system:model_balance', 'nothing'],
  ['502', faults.status(502), 'system:model_unavailable', 'reservation'],
  ['503', faults.status(503), 'system:model_unavailable', 'reservation'],
  ['503, Retry-After, then good', [faults.status(503, { retryAfter: '0' }), good(content)], null, 'usage'],
  [
    '503, then 500',
    [faults.status(503, { retryAfter: '0' }), faults.status(500)],
    'system:model_unavailable',
    'reservation',
  ],
]
