/** The end of a System has an upper bound, and an order. */
import t from 'tap'
import type { Clock } from '../../../lib/core/clock.js'
import { ok } from '../../../lib/core/result.js'
import { MemoryDriver } from '../../../lib/storage/index.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { closeParts } from '../../../plugins/squid/closing.js'
import { RecordingLogger, somePlayer } from '../../support/kernel.js'
import { openStore, valueOf } from '../../support/player-store.js'
import { COUNT, countUp } from '../../support/stored-things.js'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A store and its databases on a driver; everything else of a System only says that its turn has come. */
function setup(driver: MemoryDriver, clock: Clock) {
  const ended: string[] = []
  const end = (what: string) => async () => void ended.push(what)
  const { store, databases } = openStore({ types: [COUNT], driver, clock })
  const logger = new RecordingLogger()
  const parts = {
    revocation: { close: () => void ended.push('revocation') },
    tickQueue: { close: () => {} },
    packs: { close: () => {} },
    breaker: { close: () => {} },
    timers: { end: () => {} },
    local: { close: () => {} },
    engine: { stop: end('requests') },
    items: { lane: { close: end('items') } },
    store,
    databases,
    usage: {
      saver: { flush: async () => (ended.push('usage'), ok(undefined)), close: end('usage, the rest') },
    },
    auditFile: { close: async () => {} },
    traceFile: { close: end('trace') },
    driver: { close: () => driver.close().then(end('driver')) },
    groups: { agent: { close: end('agents') }, close: end('threads') },
    live: { save: async () => (ended.push('config'), true) },
    clock,
    logger,
  }
  return { parts, store, ended, logger }
}

void t.test('what waits for nobody first, then requests, items and records, threads last', async (t) => {
  const clock = new ManualClock()
  const { parts, store, ended, logger } = setup(new MemoryDriver(), clock)
  const counted = store.update(somePlayer(), countUp)
  await closeParts(parts)
  t.equal(valueOf(await counted), 1)
  t.strictSame(ended, [
    'revocation',
    'usage',
    'config',
    'requests',
    'items',
    'agents',
    'usage, the rest',
    'trace',
    'driver',
    'threads',
  ])
  t.strictSame([clock.pending, logger.lines.length], [0, 0])
})

void t.test('a job that hangs on a disk: threads are ended all the same, after eight seconds', async (t) => {
  const clock = new ManualClock()
  const hangs = new MemoryDriver({ fault: () => new Promise(() => {}) })
  const { parts, store, ended, logger } = setup(hangs, clock)
  void store.update(somePlayer(), countUp)
  let isClosed = false
  const closing = closeParts(parts).then(() => (isClosed = true))
  await settle()
  clock.advance(7_999)
  await settle()
  t.notOk(isClosed)
  clock.advance(1)
  await closing
  t.equal(ended.at(-1), 'threads')
  t.notOk(ended.includes('driver'))
  t.match(logger.messages(), [/took too long/])
})

void t.test('a part whose end fails: threads are ended all the same', async (t) => {
  const clock = new ManualClock()
  const { parts, ended } = setup(new MemoryDriver(), clock)
  const engine = { stop: () => Promise.reject(new Error('broken')) }
  await t.rejects(closeParts({ ...parts, engine }), /broken/)
  t.equal(ended.at(-1), 'threads')
  t.equal(clock.pending, 1, 'only the databases’ own')
})
