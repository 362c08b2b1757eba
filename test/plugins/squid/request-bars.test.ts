import t from 'tap'
import { REASONING_POLICY, FAST_POLICY, TraceStream, type TraceReport } from '../../../lib/agent/index.js'
import { identifier, playerId } from '../../../lib/core/ids.js'
import { silentLogger } from '../../../lib/core/logger.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { componentText } from '../../../lib/text/index.js'
import { RequestBars } from '../../../plugins/squid/hud/index.js'
import type { SquidPlayer } from '../../../plugins/squid/types.js'
import { shippedLanguages } from '../../support/catalogues.js'

const ALICE = playerId('00000000-0000-0000-0000-00000000000a')
const REQUEST = '00000000-0000-4000-8000-000000000001'
const TOKENS = { prompt: 1, cached: 0, output: 1, reasoning: 0, estimated: false }

/** Bars with a trace, a clock and a screen in hand. */
function stage() {
  const clock = new ManualClock()
  const shown: string[] = []
  let isHere = true
  const alice = { username: 'alice' } as unknown as SquidPlayer
  const bars = new RequestBars({
    clock,
    hud: {
      bossBar: (_player, key, bar) =>
        shown.push(bar === null ? `no ${key}` : `${componentText(bar.title)} ${bar.share.toFixed(2)}`),
    },
    languages: shippedLanguages(),
    find: (id) => (isHere && id === ALICE ? alice : undefined),
    languageOf: () => 'en_us',
    policyOf: (module) =>
      module === 'test:loop' ? REASONING_POLICY : module === 'test:steps' ? FAST_POLICY : null,
  })
  const trace = new TraceStream({ clock, logger: silentLogger })
  trace.on(bars.hear)
  const tell = (...reports: readonly TraceReport[]): void => reports.forEach((report) => trace.report(report))
  const pass = (ms: number): string[] => {
    clock.advance(ms)
    bars.tick()
    bars.tick()
    return shown.splice(0)
  }
  const leave = (): void => void (isHere = false)
  return { clock, bars, tell, pass, leave, seen: () => shown.splice(0) }
}

const accepted = (form: 'command' | 'event' | 'background' = 'command'): TraceReport => ({
  kind: 'request-accepted',
  request: REQUEST,
  player: ALICE,
  form,
})
const routed = (module: string): TraceReport => ({
  kind: 'request-routed',
  request: REQUEST,
  source: 'command',
  module,
  confidence: null,
  ms: 1,
})
const asked: TraceReport = {
  kind: 'model-called',
  request: REQUEST,
  endpoint: 'e',
  model: 'm',
  finish: 'stop',
  httpStatus: 200,
  tokens: TOKENS,
  ms: 1,
}
const tool: TraceReport = {
  kind: 'tool-called',
  request: REQUEST,
  tool: 'test:tool',
  toolKind: 'game',
  write: false,
  code: 'ok',
  bytes: 1,
  ms: 1,
}
const ended: TraceReport = {
  kind: 'request-ended',
  request: REQUEST,
  player: ALICE,
  source: 'command',
  module: 'test:loop',
  code: 'ok',
  modelCalls: 1,
  ms: 1,
}

void t.test('a bar after two seconds, with the rounds of a model; gone at the end', async (t) => {
  const { bars, tell, pass, seen } = stage()
  tell(accepted(), asked)
  t.strictSame(pass(1_999), [])
  t.strictSame(pass(1), ['Working on it… 0.00'], 'the module is not known')
  tell(routed('test:loop'))
  t.strictSame(pass(50), ['Working on it… (1 of 3 rounds) 0.00'], 'routing was no round')
  bars.progress(ALICE, { key: 'system.request.thinking' })
  t.strictSame(pass(50), ['Thinking… (1 of 3 rounds) 0.00'])
  t.strictSame(pass(50), [], 'drawn when something has changed')
  tell(asked, tool)
  t.strictSame(pass(50), ['Thinking… (2 of 3 rounds) 0.33'])
  tell(asked, asked, asked)
  t.strictSame(pass(50), ['Thinking… (3 of 3 rounds) 1.00'])
  tell(ended)
  t.strictSame(seen(), ['no request'], 'at once')
  tell(asked)
  bars.progress(ALICE, { key: 'system.request.thinking' })
  t.strictSame(pass(10_000), [])
})

void t.test('steps where no model is asked; nothing for what is quick', async (t) => {
  const { tell, pass, seen } = stage()
  tell(accepted(), routed('test:steps'))
  t.strictSame(pass(2_000), ['Working on it… (step 1 of 6) 0.00'])
  tell(tool, tool, tool)
  t.strictSame(pass(50), ['Working on it… (step 4 of 6) 0.50'])
  tell(ended)
  t.strictSame(seen(), ['no request'])
  tell(accepted(), routed('test:steps'))
  t.strictSame(pass(1_900), [])
  tell(ended)
  t.strictSame(pass(10_000), [])
})

void t.test('nobody waits for what runs in the background; who has gone has no bar', async (t) => {
  const { bars, tell, pass, leave, seen } = stage()
  tell(accepted('event'), accepted('background'))
  t.strictSame(pass(10_000), [])
  tell(accepted())
  pass(5_000)
  leave()
  bars.progress(ALICE, { key: 'system.request.thinking' })
  t.strictSame(pass(50), [])
  tell(ended)
  t.strictSame(seen(), [])
})

void t.test('at the stop no bar stays', async (t) => {
  const { bars, tell, pass, seen, clock } = stage()
  tell(accepted(), routed(identifier('test:loop')))
  t.equal(pass(2_000).length, 1)
  bars.close()
  t.strictSame(seen(), ['no request'])
  tell(ended)
  t.strictSame(pass(10_000), [])
  t.equal(clock.pending, 0, 'no timer')
})
