import t from 'tap'
import {
  DEFAULT_VERSION,
  VERSIONS,
  bootSquid,
  joinRaw,
  nextEvent,
  type BootedServer,
} from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const
const realSet = globalThis.setInterval
const realClear = globalThis.clearInterval

/** Counts the intervals of one period that are running. */
function watchIntervals(t: { teardown(fn: () => unknown): void }, periodMs: number): Set<unknown> {
  const running = new Set<unknown>()
  const before = globalThis.setInterval
  globalThis.setInterval = ((fn: () => void, ms?: number, ...rest: unknown[]) => {
    const handle = before(fn, ms, ...(rest as []))
    if (ms === periodMs) running.add(handle)
    return handle
  }) satisfies typeof setInterval
  globalThis.clearInterval = ((handle: NodeJS.Timeout) => {
    running.delete(handle)
    realClear(handle)
  }) as typeof clearInterval
  t.teardown(() => {
    globalThis.setInterval = realSet
    globalThis.clearInterval = realClear
    for (const handle of running) realClear(handle as NodeJS.Timeout)
  })
  return running
}

const processListeners = (): number =>
  process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection')

async function comeAndGo(
  t: Parameters<typeof joinRaw>[0],
  { serv, port }: BootedServer,
  version: string,
): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    const client = await joinRaw(t, port, version, `p${n}`)
    const left = nextEvent(playerOf(serv, `p${n}`), 'disconnected')
    client.end()
    await left
  }
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock leaves an interval and two process listeners per login`, async (t) => {
    const running = watchIntervals(t, 5_000)
    const before = processListeners()
    const listeners = snapshot()
    const booted = await bootSquid(t, version, { settings: { debug: undefined } })
    await comeAndGo(t, booted, version)
    t.equal(running.size, 3)
    t.equal(processListeners() - before, 6)
    restore(listeners)
    await booted.stop()
  })

  void t.test(`${version}: the repair leaves none`, async (t) => {
    const running = watchIntervals(t, 5_000)
    const spied = globalThis.setInterval
    const before = processListeners()
    const booted = await bootShielded(t, version, { only: ['leaks'], settings: { debug: undefined } })
    await comeAndGo(t, booted, version)
    const alice = await joinRaw(t, booted.port, version, 'alice')
    t.equal(running.size, 1, 'the one who is there has one')
    t.equal(globalThis.setInterval, spied, 'setInterval is as it was')
    t.equal(processListeners() - before, 2, 'one pair stays while the server does')
    alice.end()
    await booted.stop()
    t.equal(running.size, 0)
    t.equal(processListeners(), before)
    t.equal((booted.serv as unknown as { tickInterval: unknown }).tickInterval, null)
    t.equal(booted.shield.status().get('leaks'), 'on')
  })

  void t.test(`${version}: a dig that is never finished`, async (t) => {
    const running = watchIntervals(t, 100)
    const booted = await bootShielded(t, version, { only: ['leaks'] })
    const alice = await joinRaw(t, booted.port, version, 'alice')
    const player = playerOf(booted.serv, 'alice')
    const { x, y, z } = player.position
    const dig = (dx: number): void =>
      alice.write('block_dig', {
        status: 0,
        location: { x: Math.floor(x) + dx, y: Math.floor(y) - 1, z: Math.floor(z) },
        face: 1,
        sequence: 1,
      })
    for (let n = 0; n < 8; n += 1) dig(n % 3)
    await isServed(alice)
    t.equal(running.size, 1)
    const left = nextEvent(player, 'disconnected')
    alice.end()
    await left
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(running.size, 0)
  })
}

void t.test('the tick of stock goes on after quit', async (t) => {
  const { serv } = await bootSquid(t, DEFAULT_VERSION)
  await serv.quit()
  t.ok((serv as unknown as { tickInterval: unknown }).tickInterval)
  serv.stopTickInterval()
})

void t.test('the tick stops with the server', async (t) => {
  const { serv } = await bootShielded(t, DEFAULT_VERSION, { only: ['leaks'] })
  await serv.quit()
  t.equal((serv as unknown as { tickInterval: unknown }).tickInterval, null)
})

type Listeners = ReadonlyMap<string, ReadonlySet<unknown>>

function snapshot(): Listeners {
  return new Map(EVENTS.map((event) => [event, new Set(process.listeners(event as 'exit'))]))
}

function restore(before: Listeners): void {
  for (const event of EVENTS) {
    for (const listener of process.listeners(event as 'exit'))
      if (before.get(event)?.has(listener) === false) process.removeListener(event, listener)
  }
}
