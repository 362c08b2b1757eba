import t from 'tap'
import { fail } from '../../lib/core/result.js'
import { emptyContent } from '../../lib/registry/index.js'
import {
  ModelBreaker,
  NO_MEMORY,
  Sessions,
  type AiAccess,
  type ExecutionPolicy,
} from '../../lib/agent/index.js'
import { LiveRequest } from '../../lib/agent/live-request.js'
import { RequestLog } from '../../lib/agent/request-log.js'
import { failedResult } from '../../lib/agent/result.js'
import { failure, type FailureCode } from '../../lib/core/failure.js'
import { randomIds, type PlayerId } from '../../lib/core/ids.js'
import { ManualClock } from '../../lib/testing/index.js'
import { DONE, somePlayer } from '../support/kernel.js'

void t.test('generations: each end has its reason', async (t) => {
  const sessions = new Sessions()
  const [alice, bob] = [somePlayer(), somePlayer()]
  const first = sessions.open(alice, 'alice', 'en_us')
  const other = sessions.open(bob, 'bob', 'en_us')
  t.equal(sessions.check(alice, first.generation), null)
  t.match(sessions.check(bob, first.generation), { code: 'system:disconnected' }, 'not of this player')
  sessions.moveGeneration(alice)
  t.match(sessions.check(alice, first.generation), { code: 'system:revoked' })
  const second = sessions.get(alice)
  t.match(second, { name: 'alice', language: 'en_us' }, 'still online')
  t.not(second?.generation, first.generation)
  sessions.close(alice)
  t.equal(sessions.get(alice), undefined)
  t.match(sessions.check(alice, second?.generation ?? 0), { code: 'system:disconnected' })
  t.match(sessions.check(alice, first.generation), { code: 'system:revoked' }, 'the first reason stays')
  t.equal(sessions.check(bob, other.generation), null)
  sessions.open(alice, 'alice', 'en_us')
  t.match(sessions.check(alice, second?.generation ?? 0), { code: 'system:disconnected' }, 'come again')
})

void t.test('what nobody opened has ended', async (t) => {
  const sessions = new Sessions()
  const alice = somePlayer()
  sessions.close(alice)
  sessions.moveGeneration(alice)
  t.match(sessions.check(alice, 1), { code: 'system:disconnected' })
  t.same([...sessions.all()], [])
})

void t.test('whoever is interested hears of each end once, after it', async (t) => {
  const sessions = new Sessions()
  const alice = somePlayer()
  const heard: [PlayerId, FailureCode, boolean][] = []
  const stop = sessions.onEnd((player, { code }) =>
    heard.push([player, code, sessions.get(player) !== undefined]),
  )
  sessions.open(alice, 'alice', 'en_us')
  sessions.moveGeneration(alice)
  sessions.open(alice, 'alice', 'en_us')
  sessions.close(alice)
  sessions.close(alice)
  t.same(heard, [
    [alice, 'system:revoked', true],
    [alice, 'system:disconnected', false],
    [alice, 'system:disconnected', false],
  ])
  stop()
  sessions.open(alice, 'alice', 'en_us')
  sessions.close(alice)
  t.equal(heard.length, 3)
})

void t.test('a language changes without ending anything', async (t) => {
  const sessions = new Sessions()
  const alice = somePlayer()
  const { generation } = sessions.open(alice, 'alice', 'en_us')
  sessions.setLanguage(alice, 'zh_cn')
  t.match(sessions.get(alice), { language: 'zh_cn', generation })
  sessions.setLanguage(somePlayer(), 'zh_cn')
  t.equal([...sessions.all()].length, 1)
})

void t.test('reasons are kept for the last 1,000 ends', async (t) => {
  const sessions = new Sessions()
  const alice = somePlayer()
  const { generation } = sessions.open(alice, 'alice', 'en_us')
  for (let at = 0; at < 1_000; at++) sessions.moveGeneration(alice)
  t.match(sessions.check(alice, generation), { code: 'system:revoked' })
  sessions.moveGeneration(alice)
  t.match(sessions.check(alice, generation), { code: 'system:disconnected' }, 'forgotten, still ended')
})

void t.test('the breaker opens for a quarter of an hour on what no repetition cures', async (t) => {
  const clock = new ManualClock()
  const told: FailureCode[] = []
  const breaker = new ModelBreaker(clock, (code) => told.push(code))
  const harmless = ['system:model_timeout', 'system:model_rate_limited', 'system:model_refused'] as const
  for (const code of harmless) breaker.record(code)
  t.equal(breaker.check(), null)
  t.equal(breaker.describe(), 'closed')
  breaker.record('system:model_balance')
  breaker.record('system:model_auth')
  t.match(breaker.check(), { code: 'system:model_breaker' })
  t.same(told, ['system:model_balance'], 'one notice each time it opens')
  clock.advance(1_500)
  t.equal(breaker.describe(), 'open(system:model_balance,899)')
  clock.advance(15 * 60_000 - 1_501)
  t.equal(breaker.describe(), 'open(system:model_balance,1)')
  clock.advance(1)
  t.equal(breaker.check(), null)
  breaker.record('system:model_auth')
  t.same(told, ['system:model_balance', 'system:model_auth'])
  breaker.close()
  t.equal(breaker.check(), null)
  t.equal(clock.pending, 0, 'no timer is left')
})

void t.test('the log of requests: the last ten of a player, and how they were routed', async (t) => {
  const clock = new ManualClock()
  const sessions = new Sessions()
  const settings = () => ({
    model: null,
    policy: (_: string, fallback: ExecutionPolicy) => fallback,
    content: emptyContent([]),
    prompt: () => fail('system:internal'),
  })
  const ai: AiAccess = {
    level: () => 'off',
    check: () => null,
    watch: () => () => {},
    beforeRequest: () => {},
  }
  const log = new RequestLog()
  const record = (
    player: PlayerId,
    over: Partial<Pick<LiveRequest, 'source' | 'module' | 'modelCalls'>>,
    code?: FailureCode,
  ) => {
    const session = sessions.get(player) ?? sessions.open(player, 'name', 'en_us')
    const request = new LiveRequest(randomIds.requestId(), session, {
      sessions,
      clock,
      settings,
      memory: NO_MEMORY,
      ai,
    })
    log.record(Object.assign(request, over), code === undefined ? DONE : failedResult(failure(code)))
    return request.id
  }
  const [alice, bob] = [somePlayer(), somePlayer()]
  t.same(log.recent(alice), [])
  const refused = record(alice, {}, 'system:busy')
  t.same(log.recent(alice), [{ id: refused, module: null, source: null, modelCalls: 0, code: 'system:busy' }])
  const ids = Array.from({ length: 10 }, () =>
    record(alice, { source: 'local', module: 'a:b', modelCalls: 2 }),
  )
  t.same(
    log.recent(alice).map(({ id }) => id),
    ids,
    'oldest first, the eleventh is gone',
  )
  t.match(log.recent(alice)[0], { module: 'a:b', source: 'local', modelCalls: 2, code: 'ok' })
  record(bob, { source: 'model' })
  t.same(log.routes(), { structured: 0, command: 0, local: 10, cache: 0, model: 1, event: 0 })
})
