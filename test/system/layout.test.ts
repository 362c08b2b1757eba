/** What providers can serve from their prefix caches: requests that share their beginning, byte by byte. */
import t, { type Test } from 'tap'
import { utf8Bytes } from '../../lib/core/json.js'
import type { RecordedRequest } from '../../lib/testing/index.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'

/** Members keep their order from the wire on. */
const bodyOf = ({ body }: RecordedRequest): string => JSON.stringify(body)
const systemOf = ({ body }: RecordedRequest): string => body.messages[0]?.content ?? ''
const userOf = ({ body }: RecordedRequest): string => body.messages[1]?.content ?? ''

/** The longest beginning that two texts share. */
function sharedOf(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return one.slice(0, at)
}

const POLICY = {
  modelCalls: 6,
  toolCalls: 8,
  steps: 20,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: 1_536,
  totalTokens: 262_144,
  ttlMillis: 60_000,
  modelTimeoutMillis: 20_000,
  reactIterations: 6,
}

async function open(t: Test): Promise<LiveSystem> {
  return openLive(t, {
    config: {
      'system-agent': { policies: { 'system:reasoning': POLICY } },
      'system-model': { provider: 'openai' },
    },
  })
}

async function reason(live: LiveSystem, seat: Seat, ...items: string[]): Promise<readonly RecordedRequest[]> {
  const before = live.provider.requests.length
  live.provider.script(...items.map((query) => good({ type: 'item.query', input: { query } })), good(ANSWER))
  if ((await seat.ask(`/system reason how deep is ${items.join(' ')}?`)) !== TEXT)
    throw new Error('no answer')
  return live.provider.requests.slice(before)
}

void t.test('the rounds of a loop share their bodies up to the last observation', async (t) => {
  const live = await open(t)
  const sent = await reason(
    live,
    await live.join('alice'),
    'diamond',
    'piston',
    'torch',
    'no_such_item',
    'stone',
  )
  t.equal(sent.length, 6)
  const shares: number[] = []
  const bytes = { shared: 0, all: 0 }
  for (const [index, request] of sent.entries()) {
    const next = sent[index + 1]
    if (next === undefined) break
    const body = bodyOf(next)
    const shared = sharedOf(bodyOf(request), body)
    t.equal(systemOf(next), systemOf(request))
    // in the body the message is a string: its quotes are escaped there
    const stable = userOf(request).slice(0, userOf(request).lastIndexOf('],"roundsLeft"'))
    const end = JSON.stringify(stable).slice(1, -1)
    t.ok(shared.includes(end), `round ${index + 2} begins as round ${index + 1} up to its last observation`)
    shares.push(utf8Bytes(shared) / utf8Bytes(body))
    bytes.shared += utf8Bytes(shared)
    bytes.all += utf8Bytes(body)
  }
  t.comment(`cacheable share by round: ${shares.map((share) => `${Math.round(share * 100)} %`).join(', ')}`)
  t.ok(bytes.shared > 0.8 * bytes.all, 'of the later rounds at least four fifths were sent before')
})

void t.test('requests of different players share instructions and catalogue', async (t) => {
  const live = await open(t)
  const [first] = await reason(live, await live.join('alice'), 'diamond')
  const [second] = await reason(live, await live.join('bob'), 'torch')
  if (first === undefined || second === undefined) throw new Error('no request')
  t.equal(systemOf(second), systemOf(first), 'the system message is the same, byte by byte')
  t.notMatch(systemOf(first), /alice|bob/)
  const shared = sharedOf(userOf(first), userOf(second))
  t.match(shared, /^\{"tools":\[.*\],"question":"how deep is $/, 'the catalogue too, up to the question')
  const share = utf8Bytes(sharedOf(bodyOf(first), bodyOf(second))) / utf8Bytes(bodyOf(second))
  t.comment(`cacheable share between players: ${Math.round(share * 100)} %`)
  t.ok(share > 0.6)
})
