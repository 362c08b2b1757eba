import { join } from 'node:path'
import { JsonLinesSink, type TraceStream } from '../../lib/agent/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import { runJob, type ThreadGroups } from '../../lib/pool/index.js'
import type { AppendLinesJob } from '../../lib/storage/index.js'

/** The trace file, to be begun with `renew` once the data folder is ours. */
export function openTraceFile(parts: {
  readonly trace: TraceStream
  readonly live: LiveConfig
  readonly groups: Pick<ThreadGroups, 'storage'>
  readonly dataFolder: string
  readonly clock: Clock
  readonly logger: Logger
}): JsonLinesSink {
  const { trace, live, groups, dataFolder, clock, logger } = parts
  return new JsonLinesSink({
    stream: trace,
    config: () => live.config['system-trace'],
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
