/** A Node process of a test's own: what it prints, line by line, and how it ends. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { EventEmitter, once } from 'node:events'

interface Test {
  teardown(fn: () => unknown): void
}

export interface Child {
  readonly process: ChildProcess
  /** Of both outputs, as they came. */
  readonly lines: readonly string[]
  /** Waits for a line that fits, the first `skip` left out; rejects when the process ends first. */
  line(pattern: RegExp, skip?: number): Promise<RegExpExecArray>
  /** Types a line. */
  type(line: string): void
  /** Waits for the end: exit status, or the signal's name. */
  readonly ended: Promise<number | string>
}

/** Starts a compiled file; the process is killed at the end of the test. */
export function startChild(
  t: Test,
  file: string,
  options: { args?: readonly string[]; cwd: string; hasInput?: boolean; env?: NodeJS.ProcessEnv },
): Child {
  const { args = [], cwd, hasInput = false } = options
  const env = { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...options.env }
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  const news = new EventEmitter()
  news.setMaxListeners(0)
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      news.emit('line', line)
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  void ended.then(() => news.emit('end'))
  return {
    process: child,
    lines,
    ended,
    type: (line) => void child.stdin?.write(`${line}\n`),
    line: (pattern, skip = 0) =>
      new Promise((resolve, reject) => {
        const look = (line: string): void => {
          const found = pattern.exec(line)
          if (found === null) return
          news.removeListener('line', look)
          resolve(found)
        }
        for (const line of lines.slice(skip)) {
          const found = pattern.exec(line)
          if (found !== null) return resolve(found)
        }
        news.on('line', look)
        news.once('end', () => reject(new Error(`ended without ${pattern}:\n${lines.join('\n')}`)))
      }),
  }
}
