import { z } from 'zod'
import type { Logger } from '../../lib/core/logger.js'
import type { DataStore } from './data-store.js'
import type { Instance } from './instance.js'
import { writeText } from './preparing.js'

/** Takes the data folder; throws when it is somebody else's or takes nothing. */
export async function openData(
  data: DataStore,
  { instance, ...parts }: { instance: Instance; folder: string; logger: Logger; onLockLost: () => void },
): Promise<void> {
  const { groups, clock } = instance.runtime
  const opened = await data.open({ ...parts, group: groups.storage, clock })
  if (opened.ok) return
  const reason =
    opened.failure.code === 'system:storage_locked' ? 'is used by another server' : "can't be written to"
  throw new HostsMistake(`the data folder ${parts.folder} ${reason}`)
}

/** Writes configuration files that were missing; throws when the folder takes none. */
export async function writeMissing(
  instance: Instance,
  missing: readonly { readonly path: string; readonly text: string }[],
  folder: string,
): Promise<void> {
  for (const { path, text } of missing) {
    const written = await writeText(instance.runtime, path, text)
    if (!written.ok) throw new HostsMistake(`the folder ${folder} can't be written to`)
  }
}

/** What one sentence names: nothing of ours to look for in a stack. */
class HostsMistake extends Error {}

/** The one sentence for a mistake of the host's, or null for anything else. */
export function hostsMistake(thrown: unknown): string | null {
  // Node's own sentence about a file has the reason and the path
  if (thrown instanceof HostsMistake || (thrown instanceof Error && 'syscall' in thrown))
    return thrown.message
  if (!(thrown instanceof z.ZodError)) return null
  const problems = thrown.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return `its settings are wrong (${problems.join('; ')})`
}
