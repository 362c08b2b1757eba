import type { ChatOutcome, Endpoint } from '../../../lib/agent/models/index.js'
import { isJsonObject, parseJson } from '../../../lib/core/json.js'
import { parseModelObject } from '../../../lib/codec/index.js'
import { sayWhyNot } from './failing.js'
import type { Findings } from './findings.js'
import { MOST_REQUESTS, type Probe, type Prober, type ProbeRequest } from './prober.js'

const ONE_WORD: ProbeRequest = {
  system:
    'You check a connection. Reply with exactly one JSON object and nothing else: {"type":"answer","text":"ok"}',
  user: '{"question":"Is the connection fine? Reply in JSON."}',
  outputTokens: 256,
  shape: {
    schema: {
      type: 'object',
      properties: { type: { type: 'string', enum: ['answer'] }, text: { type: 'string' } },
      required: ['type', 'text'],
      additionalProperties: false,
    },
    isClosed: true,
  },
}
/** What a model that thinks on purpose may need for one word. */
const THINKING_TOKENS = 4_096
const LIMIT_TOKENS = 16
/** Far more than the limit allows, and enough to be cancelled in the middle. */
const LONG: ProbeRequest = {
  system:
    'Reply with exactly one JSON object: {"type":"answer","text":"1 2 3 …"}, whose text counts from 1 to 300.',
  user: '{"question":"Count from 1 to 300, in JSON."}',
  outputTokens: 1_024,
}
const ABORT_AFTER_MS = 400
/** A reply that doesn't end this soon after it was cancelled isn't cancelled at all. */
const ABORT_WITHIN_MS = 1_000
/** About 6,000 tokens: as much as a loop with some observations has. */
const LONG_PROMPT_BYTES = 24_000
const WORD = 'heron'
/** A first byte later than this leaves a loop of three rounds little of its time. */
const SLOW_MS = 5_000

/** Looks at everything, one thing after the other; ends early where nothing further can be learned. */
export async function examine(endpoint: Endpoint, prober: Prober, findings: Findings): Promise<void> {
  const { thinking: thinks } = endpoint
  const small = thinks ? { ...ONE_WORD, outputTokens: THINKING_TOKENS } : ONE_WORD
  const first = await prober.ask(small)
  if (first === null) return
  const { outcome } = first
  if (!outcome.ok) return sayWhyNot(first, outcome, findings)
  findings.ok('reach', 'the endpoint answers')
  findings.ok('key', endpoint.apiKey === '' ? 'none is needed' : 'accepted')
  findings.ok('model', `${endpoint.model} is known`)
  sayParameters(first, findings)
  sayStream(first, outcome, findings)
  sayJson(outcome, findings)
  await thinking(endpoint, { first, prober, findings })
  await plain(small, prober, findings)
  await limit(prober, findings)
  await abort(prober, findings)
  await longPrompt(small, prober, findings)
}

const USED_UP = `not looked at: the ${MOST_REQUESTS} requests are used up`

/** What each optional parameter that may be refused is to a player or a host. */
const LOST: ReadonlyMap<string, string> = new Map([
  ['end user', 'the provider can not tell players apart in its own limits'],
  ['json', 'replies are only asked for as JSON in words'],
  ['thinking', 'thinking stays as the model likes it'],
  ['effort', 'the model thinks as hard as it likes'],
  ['stream', 'a reply is read whole, and silence ends only with the deadline'],
  ['stream usage', 'streams come without usage'],
])

function sayParameters({ exchanges, last }: Probe, findings: Findings): void {
  const rejected = exchanges.flatMap((exchange) => exchange.rejected ?? [])
  for (const purpose of rejected) {
    const lost = LOST.get(purpose) ?? 'another form or none is sent'
    findings.warn(
      'parameters',
      `the parameter for “${purpose}” was refused and is changed or left out: ${lost}`,
    )
  }
  if (rejected.length === 0) findings.ok('parameters', 'all are accepted')
  if (last?.purposes.includes('end user') === true) findings.ok('end-user id', 'accepted, as a salted hash')
  else if (!rejected.includes('end user')) findings.ok('end-user id', 'none is sent to this provider')
}

function sayStream({ last }: Probe, outcome: ChatOutcome, findings: Findings): void {
  const reply = last?.reply
  if (reply === null || reply === undefined) return
  if (!reply.isStream) findings.warn('stream', 'a whole reply came where a stream was asked for')
  else if (!reply.done) findings.warn('stream', 'it ends without [DONE]: a proxy may cut replies unnoticed')
  else if (reply.finish === null) findings.warn('stream', 'it has no finish_reason: cut replies look whole')
  else findings.ok('stream', `ends with finish_reason ${reply.finish.slice(0, 20)} and [DONE]`)
  sayUsage('stream usage', outcome, findings)
  const waited = Math.round(last?.firstByteMs ?? 0)
  if (waited > SLOW_MS) findings.warn('first byte', `after ${waited} ms: players wait that long at least`)
  else findings.ok('first byte', `after ${waited} ms`)
}

function sayUsage(what: string, { usage }: ChatOutcome, findings: Findings): void {
  if (usage === null)
    findings.warn(
      what,
      'none: each call is charged its whole reservation, so that quotas are used up too fast',
    )
  else findings.ok(what, `${usage.prompt} tokens in, ${usage.cached} of them cached, ${usage.output} out`)
}

function sayJson(outcome: ChatOutcome, findings: Findings): void {
  if (!outcome.ok) return
  if (isJsonObject(parseJson(outcome.text))) findings.ok('JSON', 'the reply is one JSON object')
  else if (parseModelObject(outcome.text).ok)
    findings.warn('JSON', 'the object stands among other text: it is repaired, and not always can be')
  else findings.fail('JSON', 'the reply holds no JSON object: this model can not be used, take another')
}

interface Desk {
  readonly first: Probe
  readonly prober: Prober
  readonly findings: Findings
}

/** Whether it is really off, when it is to be. With thinking configured that takes a request of its own. */
async function thinking(endpoint: Endpoint, { first, prober, findings }: Desk): Promise<void> {
  const probe = endpoint.thinking
    ? await prober.ask({ ...ONE_WORD, endpoint: { ...endpoint, thinking: false } })
    : first
  if (probe === null) return findings.warn('thinking off', USED_UP)
  const { outcome, last } = probe
  const tokens = outcome.usage?.reasoning ?? 0
  if (tokens === 0 && last?.reply?.reasoned !== true)
    return findings.ok('thinking off', 'no reasoning tokens and no reasoning text')
  findings.fail(
    'thinking off',
    `the model thinks all the same (${tokens > 0 ? `${tokens} tokens` : 'text of unknown length'} for one word): that costs time and money at each call; name the right provider, or take a model that can do without`,
  )
}

async function plain(small: ProbeRequest, prober: Prober, findings: Findings): Promise<void> {
  const probe = await prober.ask({ ...small, without: ['stream'] })
  if (probe === null) return findings.warn('plain', USED_UP)
  const { outcome } = probe
  if (!outcome.ok) return findings.warn('plain', `a reply that is no stream fails (${outcome.code})`)
  findings.ok('plain', 'a reply that is no stream works too')
  sayUsage('plain usage', outcome, findings)
}

async function limit(prober: Prober, findings: Findings): Promise<void> {
  const probe = await prober.ask({ ...LONG, outputTokens: LIMIT_TOKENS })
  if (probe === null) return findings.warn('output limit', USED_UP)
  const { outcome, last } = probe
  const output = outcome.usage?.output ?? null
  if (output !== null && output > 2 * LIMIT_TOKENS)
    return findings.fail(
      'output limit',
      `${output} tokens came where ${LIMIT_TOKENS} were allowed: a reply may cost anything`,
    )
  if (!outcome.ok && outcome.code === 'system:model_truncated') {
    if (last?.reply?.finish === 'length')
      return findings.ok('output limit', 'honoured, and finish_reason says length')
    return findings.warn('output limit', 'honoured, but finish_reason hides it; the count tells')
  }
  findings.warn(
    'output limit',
    outcome.ok ? 'the reply was shorter than the limit: nothing can be told' : `it failed (${outcome.code})`,
  )
}

async function abort(prober: Prober, findings: Findings): Promise<void> {
  const controller = new AbortController()
  let abortedAt = 0
  const timer = setTimeout(() => {
    abortedAt = performance.now()
    controller.abort()
  }, ABORT_AFTER_MS)
  const probe = await prober.ask({ ...LONG, signal: controller.signal })
  clearTimeout(timer)
  if (probe === null) return findings.warn('cancel', USED_UP)
  if (abortedAt === 0)
    return findings.ok('cancel', 'not needed: a long reply was over before it could be cancelled')
  const took = Math.round(performance.now() - abortedAt)
  if (took > ABORT_WITHIN_MS) findings.fail('cancel', `took ${took} ms: players who cancel wait`)
  else findings.ok('cancel', `a reply under way ends within ${took} ms`)
}

/** Servers with a small context drop the beginning in silence: the instructions. */
async function longPrompt(small: ProbeRequest, prober: Prober, findings: Findings): Promise<void> {
  const filling = 'The quick brown fox jumps over the lazy dog. '
  const words = filling.repeat(Math.ceil(LONG_PROMPT_BYTES / filling.length))
  const probe = await prober.ask({
    ...small,
    system: `The secret word is ${WORD}. ${words}\nReply with exactly one JSON object: {"type":"answer","text":"<the secret word>"}`,
    user: '{"question":"Which is the secret word? Reply in JSON."}',
  })
  if (probe === null) return findings.warn('long prompt', USED_UP)
  const { outcome } = probe
  if (outcome.ok && outcome.text.toLowerCase().includes(WORD))
    return findings.ok('long prompt', `${LONG_PROMPT_BYTES} bytes are read from the beginning`)
  const why = outcome.ok ? 'its beginning was not read' : outcome.code
  findings.warn(
    'long prompt',
    `${LONG_PROMPT_BYTES} bytes: ${why}. The server's context is probably too small (ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: -c, vllm: --max-model-len): give it 16,384 tokens at least`,
  )
}
