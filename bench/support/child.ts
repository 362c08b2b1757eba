import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'

/** How a child is started. */
export interface ChildOptions {
  /** One JSON value for `childArgument`. */
  readonly argument: unknown
  readonly execArgv?: readonly string[]
}

/** A child process of a bench that speaks in messages; those it sends are `{ kind, … }`. */
export class BenchChild {
  readonly #name: string
  readonly #child: ChildProcess
  #ended: string | null = null
  #stderr = ''

  /** `module`: a program of this folder, without its ending. */
  constructor(module: string, { argument, execArgv = [] }: ChildOptions) {
    this.#name = module
    const file = fileURLToPath(new URL(`./${module}.js`, import.meta.url))
    this.#child = fork(file, [JSON.stringify(argument)], {
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString()).slice(-4_000)
    })
    this.#child.once('exit', (code, signal) => {
      this.#ended = `${module} ended early (${code ?? signal}): ${this.#stderr}`
      this.#child.emit('ended')
    })
  }

  send(message: Readonly<Record<string, unknown>>): void {
    if (this.#ended === null) this.#child.send(message)
  }

  /** The next message of the kind, decoded; rejects when the child ends or says nothing for too long. */
  next<T>(kind: string, schema: z.ZodType<T>, timeoutMs = 60_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer)
        this.#child.off('message', onMessage)
        this.#child.off('ended', onEnded)
        act()
      }
      const onMessage = (message: { readonly kind?: unknown }): void => {
        if (message.kind !== kind) return
        const parsed = schema.safeParse(message)
        settle(() => (parsed.success ? resolve(parsed.data) : reject(parsed.error)))
      }
      const onEnded = (): void => settle(() => reject(new Error(this.#ended ?? this.#name)))
      const timer = setTimeout(
        () => settle(() => reject(new Error(`${this.#name}: no '${kind}' in time: ${this.#stderr}`))),
        timeoutMs,
      )
      this.#child.on('message', onMessage)
      this.#child.on('ended', onEnded)
      if (this.#ended !== null) onEnded()
    })
  }

  /** Ends the process and waits for its end. */
  async end(): Promise<void> {
    if (this.#ended !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}
