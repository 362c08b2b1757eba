import { once } from 'node:events'
import type { EventEmitter } from 'node:events'
import { within } from '../../../lib/core/within.js'
import type { SquidServer } from '../types.js'
import { flushAtExit } from './exit-flush.js'
import { serverInternals } from './internals.js'
import type { InstallRepair } from './repair.js'

/** A player whose connection doesn't end when told to is cut after this long; the host would wait 30 s. */
const KICK_MS = 1_000
/** Longest wait for the last saves. What isn't done then is written when the shield closes. */
const SAVES_MS = 5_000
/** Longest time for what is left, on the main thread of a server that is closed. */
const FLUSH_MS = 2_000

/** However the server ends, what players did a second before is on disk. */
export const installShutdown: InstallRepair = (context) => {
  const { serv, clock, last } = context
  const inside = serverInternals(serv)
  const stock = { quit: inside.quit, destroy: inside.destroy }
  const hadOwnDestroy = Object.hasOwn(serv, 'destroy')
  let destroying: Promise<unknown> | undefined
  let isAllSaved = true
  const quit = async (reason?: string): Promise<unknown> => {
    const cancel = clock.after(KICK_MS, () => cutAll(serv))
    try {
      return await Reflect.apply(stock.quit, serv, [reason])
    } finally {
      cancel()
    }
  }
  // the host calls it when all players have gone; others may while they are here
  const saveAndDestroy = async (): Promise<unknown> => {
    isAllSaved = await last.stop(SAVES_MS)
    return Reflect.apply(stock.destroy, serv, [])
  }
  const destroy = (): Promise<unknown> => (destroying ??= saveAndDestroy())
  Object.assign(inside, { quit, destroy })
  last.onStop((timeoutMs) => within(saveBlocks(serv), { clock, ms: timeoutMs, late: false }))
  const release = flushAtExit({ clock, flush: (untilMs) => last.flush(untilMs) })
  return () => {
    if (inside.quit === quit) inside.quit = stock.quit
    if (inside.destroy === destroy) {
      if (hadOwnDestroy) inside.destroy = stock.destroy
      else Reflect.deleteProperty(inside, 'destroy')
    }
    // at the exit another server of this process may have the world
    if (!isAllSaved || inside.isClosed === true) last.flush(clock.monotonic() + FLUSH_MS)
    release()
  }
}

/** A world of prismarine-world. */
interface World extends EventEmitter {
  readonly storageProvider: unknown
  readonly currentlySaving: boolean
  stopSaving(): void
  waitSaving(): Promise<void>
}

/** The host writes changed blocks every second and not at its end; its timer would run on. */
async function saveBlocks(serv: SquidServer): Promise<boolean> {
  const { overworld } = serv as { overworld?: World }
  if (overworld === undefined) return true
  overworld.stopSaving()
  if (overworld.storageProvider === null) return true
  if (overworld.currentlySaving) await once(overworld, 'doneSaving')
  await overworld.waitSaving()
  return true
}

function cutAll(serv: SquidServer): void {
  for (const player of serv.players) player._client.socket?.destroy()
}
