import { join } from 'node:path'
import { JsonLinesSink, type JsonLinesConfig, type TraceStream } from '../../lib/agent/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import type { RevocationParts } from '../../lib/binding/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import {
  INBOX,
  isOpenEntry,
  isOpenOrder,
  ORDERS,
  type Audit,
  type AuditLine,
  type ItemView,
} from '../../lib/inventory/index.js'
import { runJob, type ThreadGroups } from '../../lib/pool/index.js'
import { FEATURES, RESOURCES } from '../../lib/rewards/index.js'
import type { AppendLinesJob } from '../../lib/storage/index.js'
import type { PlayerData } from './player-data.js'

/** Bytes of the audit log that wait for a disk that is slow or full. */
const AUDIT_KEPT_BYTES = 8_388_608

interface FileParts {
  readonly live: LiveConfig
  readonly groups: Pick<ThreadGroups, 'storage'>
  readonly dataFolder: string
  readonly clock: Clock
  readonly logger: Logger
}

type Audited = AuditLine & { readonly at: number }

/** Takes the lines of the audit log, from the start on. */
export class AuditStream {
  readonly #clock: Clock
  readonly #listeners = new Set<(line: Audited) => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly write: Audit = (line) => {
    const audited = { at: this.#clock.now(), ...line }
    for (const listener of this.#listeners) listener(audited)
  }

  on(listener: (line: Audited) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** The files that tell what happened. */
export interface LogFiles {
  readonly traceFile: Pick<JsonLinesSink, 'renew' | 'flush' | 'close'>
  readonly auditFile: Pick<JsonLinesSink, 'renew' | 'flush' | 'close'>
}

/** Both are to be begun with `renew` once the data folder is ours. */
export function openLogFiles(
  parts: FileParts & { readonly trace: TraceStream; readonly audit: AuditStream },
): LogFiles {
  const { trace, audit, live } = parts
  return {
    traceFile: openLines(parts, { name: 'trace', stream: trace, config: () => live.config['system-trace'] }),
    auditFile: openLines(parts, {
      name: 'audit log',
      stream: audit,
      keptBytes: AUDIT_KEPT_BYTES,
      config: () => {
        const { audit: file, maxBytes, keep } = live.config['system-trace']
        return { file, maxBytes, keep }
      },
    }),
  }
}

function openLines<T extends object>(
  { groups, dataFolder, clock, logger }: FileParts,
  of: {
    readonly name: string
    readonly stream: { on(listener: (event: T) => void): () => void }
    readonly config: () => JsonLinesConfig
    readonly keptBytes?: number
  },
): JsonLinesSink<T> {
  return new JsonLinesSink<T>({
    ...of,
    append: ({ file, text, maxBytes, keep }) =>
      runJob(groups.storage, {
        kind: 'append-lines',
        path: join(dataFolder, file),
        text,
        maxBytes,
        keep,
      } satisfies AppendLinesJob),
    clock,
    logger,
  })
}

/** The place of a revoke among a player's operations; the audit log tells what went with the record. */
export function auditedRevoke({
  store,
  items: { lane },
  commerce,
}: Pick<PlayerData, 'store' | 'items'> & {
  readonly commerce: { readonly audit: AuditStream }
}): RevocationParts['items'] {
  // a record may be gone though the revoke has to be repeated: it is told when that has succeeded
  const untold = new Map<PlayerId, AuditLine>()
  return {
    cancelWaiting: (player) => lane.cancelWaiting(player),
    alone: (player, work) =>
      lane.alone(player, async () => {
        const kept = await store.read(player)
        // a view ends with what it shows
        const line = kept.ok ? deletedLine(player, kept.value) : null
        if (line !== null) untold.set(player, line)
        const done = await work()
        const told = untold.get(player)
        if (done.ok && told !== undefined) {
          commerce.audit.write(told)
          untold.delete(player)
        }
        return done
      }),
  }
}

/** Null: there is nothing of value. */
function deletedLine(player: PlayerId, kept: ItemView): AuditLine | null {
  const orders = kept.get(ORDERS).flatMap((order) => (isOpenOrder(order) ? [order.id] : []))
  const open = kept.get(INBOX).filter(isOpenEntry)
  const entries = open.map(({ id, lines, xp, booked }) => ({ id, lines, xp, booked }))
  const [resources, features] = [kept.get(RESOURCES), kept.get(FEATURES)]
  const isEmpty = [orders, entries, resources, features].every((all) => all.length === 0)
  return isEmpty ? null : { what: 'deleted', player, orders, entries, resources, features }
}
