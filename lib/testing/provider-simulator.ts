import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock, type Clock } from '../core/clock.js'
import { ProviderScript, type ProviderStep, type RecordedRequest } from './provider-script.js'

/** Settings of a simulator. */
export interface ProviderSimulatorOptions {
  readonly clock?: Clock
  /** Answers every request beyond the script; without it such a request is an error. */
  readonly otherwise?: ProviderStep
  /** 0 or none: a free port of 127.0.0.1. */
  readonly port?: number
}

/** A running simulator. */
export interface ProviderSimulator {
  /** Base URL as clients take it, ending in `/v1`. */
  readonly url: string
  readonly port: number
  /** Oldest first. */
  readonly requests: readonly RecordedRequest[]
  /** What a test should find empty: requests beyond the script, malformed requests, steps that threw. */
  readonly errors: readonly string[]
  /** Steps not asked for yet. */
  readonly left: number
  /** Appends steps; each request takes the next one. */
  script(...steps: readonly ProviderStep[]): void
  /** The request with this number, counted from 1; waits until it has arrived. */
  request(number: number): Promise<RecordedRequest>
  /** Lets everything go on that waits in a held reply now. */
  release(): void
  /** Closes the port: further connections are refused. */
  refuse(): Promise<void>
  /** Opens the same port again after `refuse()`. */
  accept(): Promise<void>
  /** Ends all connections and the port. */
  close(): Promise<void>
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function shut(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/**
 * Starts a Chat Completions provider on this machine: a real HTTP server that answers from a script, as a stream or
 * plain as each request asks, with any fault of `faults`. A request beyond the script gets a 500 that says so and an
 * entry in `errors`.
 *
 * ```ts
 * const provider = await createProviderSimulator()
 * provider.script({ type: 'answer', text: 'Hello!' }, faults.status(503), faults.stalledBody())
 * // point `baseUrl` in system-model.json at provider.url …
 * await provider.close()
 * ```
 */
export async function createProviderSimulator(
  options: ProviderSimulatorOptions = {},
): Promise<ProviderSimulator> {
  const script = new ProviderScript(options.clock ?? systemClock, options.otherwise)
  const open = async (port: number): Promise<{ server: Server; port: number }> => {
    const server = createServer((request, response) => {
      script.answer(request, response).catch((error: unknown) => {
        script.errors.push(String(error))
        response.destroy()
      })
    })
    return { server, port: await listen(server, port) }
  }
  let { server, port } = await open(options.port ?? 0)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests: script.requests,
    errors: script.errors,
    get left() {
      return script.steps.length
    },
    script: (...steps) => void script.steps.push(...steps),
    request: (number) => script.request(number),
    release: () => script.release(),
    refuse: () => shut(server),
    async accept() {
      if (!server.listening) ({ server } = await open(port))
    },
    close: () => shut(server),
  }
}
