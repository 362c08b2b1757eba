import { isAuthorization, type FailureCode } from '../core/failure.js'
import { utf8Bytes } from '../core/json.js'
import type { PlayerId, RequestId } from '../core/ids.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest, RouteSource } from './live-request.js'
import type { AgentResult } from './module.js'

/** One earlier round of a player, as a later one may know it. All of it is data: nothing in it is an instruction. */
export interface Turn {
  /** The player's words, or the workflow that a button named; at most 1,000 code points. */
  readonly asked: string
  /** Our sentence in the player's language; empty where cards said it all. */
  readonly answered: string
  /** What the cards of the answer tell of themselves, in English. */
  readonly facts: readonly string[]
}

/** How a request ended that may be asked for again. */
export interface KeptOutcome {
  /** Hash of what was asked for. */
  readonly fingerprint: string
  /** `ok` or a failure code. */
  readonly outcome: string
  /** The whole result; null when only the receipt is left. */
  readonly replay: Replayed | null
}

/** What a request that is asked again is answered with. */
export interface Replayed {
  readonly source: RouteSource | null
  readonly module: string | null
  readonly result: AgentResult
}

/** A request that has ended. */
export interface EndedRequest {
  readonly request: LiveRequest
  readonly asked: string
  readonly result: AgentResult
  /** Hash of what was asked for, by an asker who gave the request's id; null for others. */
  readonly fingerprint: string | null
}

/** What is remembered of a player between requests. Nothing here throws or rejects. */
export interface AgentMemory {
  /** Moves when the player forgets: requests of before end, and what they leave isn't kept. */
  generation(player: PlayerId): number
  /** Earlier rounds of the running conversation, newest last; empty while the player keeps no history. */
  conversation(player: PlayerId): readonly Turn[]
  /** The request with this id, if it is kept that it has ended. */
  find(player: PlayerId, id: RequestId): KeptOutcome | null
  /** Keeps what is to be kept; resolves when it is durable, or won't be. */
  keep(ended: EndedRequest): Promise<void>
}

/** Remembers nothing. */
export const NO_MEMORY: AgentMemory = {
  generation: () => 0,
  conversation: () => [],
  find: () => null,
  keep: () => Promise.resolve(),
}

/** Largest conversation in a model request, UTF-8 bytes of JSON; never more than a quarter of what a call may send. */
export const CONVERSATION_BYTES = 8_192
const INPUT_SHARE = 4

/** What the request may know of earlier rounds. */
export const conversationOf = ({ memory }: Pick<Kernel, 'memory'>, request: LiveRequest): readonly Turn[] =>
  request.memoryGeneration === null ? [] : memory.conversation(request.player)

/** The newest turns that have room in a model request, oldest first. */
export function turnsFor(turns: readonly Turn[], inputBytes: number): readonly Partial<Turn>[] {
  let left = Math.min(CONVERSATION_BYTES, Math.floor(inputBytes / INPUT_SHARE))
  const fitting: Partial<Turn>[] = []
  for (const { asked, answered, facts } of turns.toReversed()) {
    const turn = { asked, ...(answered === '' ? {} : { answered }), ...(facts.length === 0 ? {} : { facts }) }
    left -= utf8Bytes(JSON.stringify(turn)) + 1
    if (left < 0) break
    fitting.unshift(turn)
  }
  return fitting
}

/** Whether what became of a request is worth keeping: not when it was refused or ended from outside. */
export const isConclusion = ({ failure }: AgentResult): boolean =>
  failure === undefined || !(isAuthorization(failure.code) || NOT_BEGUN.has(failure.code))

const NOT_BEGUN: ReadonlySet<FailureCode> = new Set([
  'system:busy',
  'system:request_active',
  'system:stopping',
])
