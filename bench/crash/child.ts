import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { lineSchema, type Line, type ServerArgument } from './messages.js'

/** A server under test: what it says comes as decoded lines. */
export class ServerUnderTest {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  readonly #waiting = new Set<(line: Line | null) => void>()
  #hasExited = false
  #wasKilled = false
  #stderr = ''

  constructor(argument: ServerArgument, onLine: (line: Line) => void) {
    const file = fileURLToPath(new URL('./server-process.js', import.meta.url))
    this.#child = spawn(process.execPath, [file, JSON.stringify(argument)], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString()).slice(-4_000)
    })
    const { stdout } = this.#child
    if (stdout === null) throw new Error('no standard output')
    const reader = createInterface({ input: stdout })
    reader.on('line', (text) => {
      // a killed process may end in the middle of a line
      const line = text.startsWith('{') && text.endsWith('}') ? lineSchema.parse(JSON.parse(text)) : null
      if (line === null) return
      onLine(line)
      for (const wait of this.#waiting) wait(line)
    })
    // `close` comes after the last line was read
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#hasExited = true
        for (const wait of this.#waiting) wait(null)
        resolve()
      })
    })
  }

  /** Whether it has ended by its own hand. */
  get endedItself(): boolean {
    return this.#hasExited && !this.#wasKilled
  }

  /** The next line of the kind; null when the process ended before it. */
  next<K extends Line['said']>(said: K): Promise<Extract<Line, { said: K }> | null> {
    if (this.#hasExited) return Promise.resolve(null)
    return new Promise((resolve) => {
      const wait = (line: Line | null): void => {
        if (line !== null && line.said !== said) return
        this.#waiting.delete(wait)
        resolve(line as Extract<Line, { said: K }> | null)
      }
      this.#waiting.add(wait)
    })
  }

  send(kind: 'settle' | 'load'): void {
    if (!this.#hasExited) this.#child.send({ kind }, () => {})
  }

  /** Ends it as a power cut would, as far as a process can: SIGKILL. Resolves when its last line was read. */
  kill(): Promise<void> {
    this.#wasKilled ||= !this.#hasExited
    this.#child.kill('SIGKILL')
    return this.#exited
  }

  get exited(): Promise<void> {
    return this.#exited
  }

  get stderr(): string {
    return this.#stderr
  }
}
