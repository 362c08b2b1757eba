import { join } from 'node:path'
import { JsonLinesSink, type JsonLinesConfig, type TraceStream } from '../../lib/agent/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import type { Audit, AuditLine } from '../../lib/inventory/index.js'
import { runJob, type ThreadGroups } from '../../lib/pool/index.js'
import type { AppendLinesJob } from '../../lib/storage/index.js'

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
