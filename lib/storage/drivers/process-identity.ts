import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Tells one process from every other that ever ran, as far as the system says so. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Of one running kernel, and of the processes that see the same numbers; null where the system has no /proc. */
  readonly bootId: string | null
  readonly pidSpace: string | null
  /** Clock ticks from boot to the start of the process. */
  readonly startTime: string | null
}

/** What is known about another process. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/** Asks the system about processes. */
export interface ProcessProbe {
  self(): Promise<ProcessIdentity>
  /** `dead` and `alive` are proven: a number that another process has by now doesn't count as the one meant. */
  liveness(owner: ProcessIdentity): Promise<Liveness>
}

export const systemProbe: ProcessProbe = {
  async self() {
    const [bootId, pidSpace, startTime] = await Promise.all([
      orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8').then((text) => text.trim())),
      orNull(readlink('/proc/self/ns/pid')),
      startTimeOf(process.pid),
    ])
    return { pid: process.pid, host: hostname(), bootId, pidSpace, startTime }
  },
  async liveness(owner) {
    const self = await systemProbe.self()
    const isComparable =
      owner.host === self.host &&
      owner.bootId !== null &&
      owner.bootId === self.bootId &&
      owner.pidSpace !== null &&
      owner.pidSpace === self.pidSpace
    // another boot id may be another machine of the same name on the same share
    if (!isComparable || owner.startTime === null) return 'unknown'
    if (!isRunning(owner.pid)) return 'dead'
    const startTime = await startTimeOf(owner.pid)
    if (startTime === null) return 'unknown'
    return startTime === owner.startTime ? 'alive' : 'dead'
  },
}

const orNull = (asked: Promise<string>): Promise<string | null> => asked.catch(() => null)

async function startTimeOf(pid: number): Promise<string | null> {
  const stat = await orNull(readFile(`/proc/${pid}/stat`, 'utf8'))
  // the second field is the program's name in brackets, which may hold anything; the start is the 22nd
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  // a process that has ended and is not yet fetched by its parent runs no more
  return fields === undefined || fields[0] === 'Z' ? null : (fields[19] ?? null)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')
  }
}
