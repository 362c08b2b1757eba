/** Runs fault after fault against one server and looks at all that a fault could leave behind. */
import type { Test } from 'tap'
import type { FailureCode } from '../../lib/core/failure.js'
import { utf8Bytes } from '../../lib/core/json.js'
import type { RecordedRequest } from '../../lib/testing/index.js'
import { consoleSays } from '../support/system.js'
import { eventually } from '../support/eventually.js'
import { catalogue } from '../support/catalogues.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { ANSWER, good, OUTPUT_TOKENS, TEXT, USED_TOKENS, type FaultCase } from './fault-cases.js'

const ENGLISH = catalogue('en_us')

/** Everything but the times as the modules have it. */
const POLICY = {
  modelCalls: 4,
  toolCalls: 8,
  steps: 14,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: OUTPUT_TOKENS,
  totalTokens: 262_144,
  ttlMillis: 60_000,
  reactIterations: 3,
}

export interface FaultRig extends LiveSystem {
  readonly seat: Seat
}

/** How long a server waits for a model: long enough for a busy machine, or so short that silence costs a test little. */
const PATIENCE_MS = { patient: 20_000, hasty: 800 }
type Pace = keyof typeof PATIENCE_MS

/** A server and a player; a request was answered already, so that threads and connections are there. */
export async function openFaultRig(t: Test, pace: Pace): Promise<FaultRig> {
  const policy = { ...POLICY, modelTimeoutMillis: PATIENCE_MS[pace] }
  const policies = { 'system:question': { ...policy, modelCalls: 2 }, 'system:reasoning': policy }
  const agent = { policies, routingPolicy: { ...policy, modelCalls: 1, reactIterations: 0 } }
  // the same sentence over and over, and each time the model is to be asked
  const config = { 'system-agent': agent, 'system-semantic': { cacheSize: 0 } }
  const live = await openLive(t, { config })
  const rig = { ...live, seat: await live.join('alice') }
  do if (live.provider.left === 0) live.provider.script(good(ANSWER))
  while ((await rig.seat.ask('/system ask how deep?')) !== TEXT)
  return rig
}

/** Faults by the pace of the server that they are met on. */
export const byPace = (faults: readonly FaultCase[]): ReadonlyMap<Pace, readonly FaultCase[]> =>
  new Map([
    ['patient', faults.filter(({ code }) => code !== 'system:model_timeout')],
    ['hasty', faults.filter(({ code }) => code === 'system:model_timeout')],
  ])

/** Every fault, each met by the same line. */
export async function meetFaults(
  t: Test,
  faults: readonly FaultCase[],
  asked: (fault: FaultCase) => Asked,
): Promise<void> {
  for (const [pace, cases] of byPace(faults))
    await t.test(pace, async (t) => {
      const rig = await openFaultRig(t, pace)
      for (const fault of cases) await t.test(fault.name, (t) => meetFault(t, rig, fault, asked(fault)))
    })
}

/** Tokens that a request reserves: the bytes of both messages and the most it may put out. */
export const reservationOf = ({ body }: RecordedRequest, outputTokens = OUTPUT_TOKENS): number =>
  body.messages.reduce((bytes, { content }) => bytes + utf8Bytes(content), 0) + outputTokens

export const opensBreaker = (code: FailureCode | null): boolean =>
  code === 'system:model_auth' || code === 'system:model_balance'

/** What a player reads for a code. */
export const lineOf = (code: FailureCode): string =>
  ENGLISH[code.replace(':', '.failure.')] ?? `no text for ${code}`

/** How a fault is met. */
export interface Asked {
  readonly line: string
  /** The code of the line that the player gets, null for the answer. */
  readonly expected: FailureCode | null
  /** What a good reply says next, and what the player then reads. */
  readonly next: Readonly<Record<string, unknown>>
  readonly answer: string | RegExp
}

/** One fault, asked for with the line, and what comes after it. */
async function meetFault(t: Test, rig: FaultRig, fault: FaultCase, asked: Asked): Promise<void> {
  const { provider, runtime, seat, stray } = rig
  const { meter, breaker } = runtime
  const before = { ...meter.state(), requests: provider.requests.length }
  if (fault.isDown === true) await provider.refuse()
  provider.script(...fault.steps)
  const line = await seat.ask(asked.line)
  if (asked.expected === null) t.match(line, asked.answer)
  else t.equal(line.split('\n')[0], lineOf(asked.expected))
  // only a sentence that was not understood comes with buttons
  if (asked.expected !== null && asked.expected !== 'system:not_understood') t.notMatch(line, '\n')
  if (fault.isDown === true) await provider.accept()

  const made = provider.requests.slice(before.requests)
  t.equal(made.length, fault.steps.length, 'no request too many')
  await Promise.all(made.map(({ over }) => over))
  await eventually(() => meter.state().running === 0)
  const last = made.at(-1)
  const charges = { usage: fault.name.startsWith('truncated') ? 43 + OUTPUT_TOKENS : USED_TOKENS, nothing: 0 }
  const reserved = last === undefined ? 0 : reservationOf(last)
  const charge = fault.charge === 'reservation' ? reserved : charges[fault.charge]
  t.equal(meter.state().tokens - before.tokens, charge, 'charged right')
  t.equal(meter.state().calls - before.calls, fault.charge === 'nothing' ? 0 : 1, 'no work is no call')
  t.match(await rig.status(), { requests: /^active=0 waiting=0 /, 'model-calls': / running=0 waiting=0$/ })

  const isOpen = opensBreaker(fault.code)
  t.match(
    (await rig.status())['breaker'],
    isOpen ? new RegExp(`^open\\(${fault.code},(900|89\\d)\\)$`) : /^closed$/,
  )
  if (isOpen) {
    t.equal(await seat.ask(asked.line), lineOf('system:model_breaker'), 'refused while the breaker is open')
    t.equal(provider.requests.length - before.requests, fault.steps.length, 'without a request')
    t.match(await consoleSays(rig, 'system status --json'), [/"breaker":"open\(/])
  }
  t.match(await seat.ask('/system me'), /Health/, 'what needs no model goes on')
  breaker.close()
  provider.script(good(asked.next))
  t.match(await seat.ask(asked.line), asked.answer, 'the next request works')
  await eventually(() => meter.state().running === 0)
  t.strictSame(await seat.rest(), [], 'one message for each line')
  t.strictSame(provider.errors, [])
  t.strictSame(stray, [], 'nothing unhandled')
}
