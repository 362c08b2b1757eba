import { LRUCache } from 'lru-cache'
import type { FailureCode } from '../core/failure.js'
import type { PlayerId, RequestId } from '../core/ids.js'
import type { LiveRequest, RouteSource } from './live-request.js'
import type { AgentResult } from './module.js'

/** What an admin may see of a past request: ids, codes and counts, no text. */
export interface RequestEntry {
  readonly id: RequestId
  readonly module: string | null
  readonly source: RouteSource | null
  readonly modelCalls: number
  readonly code: FailureCode | 'ok'
}

/** How long a request took, from its acceptance to its outcome. */
export interface SlowRequest {
  readonly module: string | null
  readonly tookMs: number
}

const ENTRIES_PER_PLAYER = 10
const PLAYERS = 500

/** The last requests of each player, and how requests found their modules. */
export class RequestLog {
  readonly #recent = new LRUCache<PlayerId, readonly RequestEntry[]>({ max: PLAYERS })
  readonly #routes: Record<RouteSource, number> = {
    structured: 0,
    command: 0,
    local: 0,
    cache: 0,
    model: 0,
    event: 0,
  }

  #slowest: SlowRequest | null = null

  record(request: LiveRequest, result: AgentResult): void {
    this.#compare(request)
    if (request.source !== null) this.#routes[request.source]++
    const entry = {
      id: request.id,
      module: request.module,
      source: request.source,
      modelCalls: request.modelCalls,
      code: result.failure?.code ?? ('ok' as const),
    }
    const before = this.#recent.get(request.player) ?? []
    this.#recent.set(request.player, [...before, entry].slice(-ENTRIES_PER_PLAYER))
  }

  /** The request that took longest since the start; tasks, which wait for their player, don't count. */
  slowest(): SlowRequest | null {
    return this.#slowest
  }

  /** Oldest first. */
  recent(player: PlayerId): readonly RequestEntry[] {
    return this.#recent.get(player) ?? []
  }

  routes(): Readonly<Record<RouteSource, number>> {
    return { ...this.#routes }
  }

  #compare({ kind, module, tookMs }: LiveRequest): void {
    if (kind !== 'event' && tookMs > (this.#slowest?.tookMs ?? -1)) this.#slowest = { module, tookMs }
  }
}
