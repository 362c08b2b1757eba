import type { SquidPlayer } from '../types.js'
import type { ClientTap } from './client-tap.js'
import { serverInternals } from './internals.js'
import type { InstallRepair, RepairContext } from './repair.js'

const LATENCY_EVERY_MS = 5_000

/** Timers and process listeners that flying-squid starts per login and per server are ended with them. */
export const installLeaks: InstallRepair = (context) => {
  const { serv } = context
  const undo = [latencyIntervals(context), errorListeners(context)]
  endDigging(context.tap)
  const onClose = (): void => serv.stopTickInterval()
  serv.on('close', onClose)
  return () => {
    if (serverInternals(serv).isClosed === true) onClose()
    serv.removeListener('close', onClose)
    for (const run of undo) run()
  }
}

/**
 * The handle of a login's 5 s interval is kept nowhere. Its `setInterval` is the first statement after a call of
 * `serv._sendPlayerList(player)`, so that exactly the next call is looked at; the host defines that method anew per login.
 */
function latencyIntervals({ serv, tap, upstream }: RepairContext): () => void {
  const inside = serverInternals(serv)
  const running = new Map<SquidPlayer, NodeJS.Timeout>()
  let isActive = true
  tap.onPlayer((player) => {
    player.once('disconnected', () => {
      clearInterval(running.get(player))
      running.delete(player)
    })
    const stock = inside._sendPlayerList
    inside._sendPlayerList = (toPlayer) => {
      Reflect.apply(stock, serv, [toPlayer])
      if (!isActive) return
      const joined = toPlayer as SquidPlayer
      catchInterval((handle) => {
        if (handle === undefined) upstream('leaks')
        else if (joined.disconnected === true) clearInterval(handle)
        else running.set(joined, handle)
      })
    }
  })
  return () => {
    isActive = false
  }
}

/** Gives the handle of the interval that the running code starts next, or undefined when it starts none. */
function catchInterval(found: (handle: NodeJS.Timeout | undefined) => void): void {
  const real = globalThis.setInterval
  let isOver = false
  const over = (handle: NodeJS.Timeout | undefined): void => {
    if (isOver) return
    isOver = true
    if (globalThis.setInterval === spy) globalThis.setInterval = real
    found(handle)
  }
  const spy = ((...args: Parameters<typeof setInterval>) => {
    const handle = Reflect.apply(real, globalThis, args)
    if (args[1] === LATENCY_EVERY_MS) over(handle)
    return handle
  }) as unknown as typeof setInterval
  globalThis.setInterval = spy
  queueMicrotask(() => over(undefined))
}

type Listener = (...args: unknown[]) => void

const PROCESS_EVENTS = ['uncaughtException', 'unhandledRejection'] as const
/** Names of the functions that the host's errorHandler calls in its listeners. */
const STOCK_LISTENER = /\b(?:uncaughtException|unhandledRejection)\(/

/**
 * Each login adds the same two listeners to the process. One pair per server is enough, and stays until the
 * server closes: without any, a stray rejection between two players would end the process.
 */
function errorListeners({ serv, tap }: RepairContext): () => void {
  const kept = new Map<string, Listener>()
  let before: ReadonlySet<unknown> | undefined
  const listeners = (event: string): Listener[] =>
    (process as NodeJS.EventEmitter).listeners(event) as Listener[]
  const beforeHooks = (): void => {
    before = new Set(PROCESS_EVENTS.flatMap((event) => listeners(event)))
  }
  const release = (): void => {
    for (const [event, listener] of kept) process.removeListener(event, listener)
    kept.clear()
  }
  serv._server.prependListener('playerJoin', beforeHooks)
  tap.onPlayer(() => {
    if (before === undefined) return
    for (const event of PROCESS_EVENTS) {
      const added = listeners(event).filter((l) => before?.has(l) === false && STOCK_LISTENER.test(String(l)))
      for (const listener of added) {
        if (kept.has(event)) process.removeListener(event, listener)
        else kept.set(event, listener)
      }
    }
    before = undefined
  })
  serv.once('close', release)
  return () => {
    serv._server.removeListener('playerJoin', beforeHooks)
    if (serverInternals(serv).isClosed === true) release()
  }
}

/**
 * A started dig animates every 100 ms until it is cancelled or completed; a second start or a disconnect forgets the handle.
 * The host clears it on a cancel for any block that isn't air: the one about to be dug, or the one that was.
 */
function endDigging(tap: ClientTap): void {
  const digging = new WeakMap<SquidPlayer, Record<string, unknown>>()
  tap.filter('block_dig', ({ client, player, data }) => {
    const { status } = data
    if (player === undefined || (status !== 0 && status !== 1 && status !== 2)) return 'pass'
    if (status !== 0) {
      digging.delete(player)
      return 'pass'
    }
    if (digging.has(player)) tap.deliver(client, 'block_dig', { ...data, status: 1 })
    digging.set(player, data)
    return 'pass'
  })
  tap.onPlayer((player) => {
    player.once('disconnected', () => {
      const last = digging.get(player)
      if (last !== undefined) tap.deliver(player._client, 'block_dig', { ...last, status: 1 })
    })
  })
}
