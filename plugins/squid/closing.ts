import type { LiveConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import { within } from '../../lib/core/within.js'
import type { StorageDriver } from '../../lib/storage/index.js'
import type { Runtime } from './runtime.js'

/** Longest wait for all that is still to be kept; requests and items have up to 3 s of it. */
const KEEPING_MS = 8_000

/** What is ended, and no more of it than its end. */
export interface ClosedParts {
  readonly revocation: Pick<Runtime['revocation'], 'close'>
  readonly tickQueue: Pick<Runtime['tickQueue'], 'close'>
  readonly packs: Pick<Runtime['packs'], 'close'>
  readonly breaker: Pick<Runtime['breaker'], 'close'>
  readonly timers: { end(): void }
  readonly local: Pick<Runtime['local'], 'close'>
  readonly engine: Pick<Runtime['engine'], 'stop'>
  readonly items: { readonly lane: Pick<Runtime['items']['lane'], 'close'> }
  readonly store: Pick<Runtime['store'], 'close'>
  readonly databases: Pick<Runtime['databases'], 'close'>
  readonly usage: { readonly saver: Pick<Runtime['usage']['saver'], 'flush' | 'close'> }
  readonly traceFile: Pick<Runtime['traceFile'], 'close'>
  readonly auditFile: Pick<Runtime['auditFile'], 'close'>
  readonly driver: Pick<StorageDriver, 'close'>
  readonly groups: Pick<Runtime['groups'], 'close'> & {
    readonly agent: Pick<Runtime['groups']['agent'], 'close'>
  }
  readonly live: Pick<LiveConfig, 'save'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Ends all work; resolves when every thread has exited, also when a job hangs on a disk: after KEEPING_MS threads are
 * ended with what they do. Whatever was acknowledged is durable long before.
 */
export async function closeParts(parts: ClosedParts): Promise<void> {
  const { revocation, tickQueue, packs, breaker, timers, local, groups, clock, logger } = parts
  revocation.close()
  tickQueue.close()
  packs.close()
  breaker.close()
  timers.end()
  local.close()
  try {
    if ((await within(keepAll(parts), { clock, ms: KEEPING_MS, late: 'late' })) === 'late')
      logger.error('the end took too long: what was not acknowledged yet may be lost')
  } finally {
    await groups.close()
  }
}

/** What waits for nobody goes first: a host that cuts the end short loses none of it to a request that hangs. */
async function keepAll(parts: ClosedParts): Promise<void> {
  const { engine, items, store, databases, usage, traceFile, auditFile, driver, live, groups } = parts
  const first = Promise.all([usage.saver.flush(), live.save()])
  await engine.stop()
  await items.lane.close()
  // a revoke that is under way still needs the databases
  await store.close()
  await databases.close()
  await first
  // what its threads still say of their calls is counted
  await groups.agent.close('forced')
  await usage.saver.close()
  await Promise.all([traceFile.close(), auditFile.close()])
  await driver.close()
}
