/** An execution context that runs real tools at once: decodes input and output as the kernel does, without budgets. */
import type { ExecutionContext, Tool, ToolCall, ToolType } from '../../lib/agent/index.js'
import { noCommit } from '../../lib/agent/write-steps.js'
import type { CardRef } from '../../lib/cards/index.js'
import { toFailure } from '../../lib/core/failure.js'
import { playerId, randomIds } from '../../lib/core/ids.js'
import { fail, ok, type Result } from '../../lib/core/result.js'

export const ALICE = playerId('00000000-0000-4000-8000-000000000001')

/** What a handler is told, for a tool that writes nothing. */
export const toolCall = (language = 'en_us'): ToolCall => ({
  player: ALICE,
  language,
  signal: new AbortController().signal,
  commit: noCommit,
  configuration: null,
})

export interface ToolContextOptions {
  /** The card whose button started the request. */
  readonly card?: CardRef
}

/** `calls` lists the ids of the tools that were called. */
export function toolContext(
  tools: readonly Tool[],
  options: ToolContextOptions = {},
): ExecutionContext & { readonly calls: string[] } {
  const calls: string[] = []
  const tool = async <I, O>(type: ToolType<I, O>, input: I): Promise<Result<O>> => {
    calls.push(type.id)
    const found = tools.find((candidate) => candidate.type.id === type.id)
    if (found === undefined) return fail('system:unknown_tool', { tool: type.id })
    const decoded = type.input.safeParse(input)
    if (!decoded.success) return fail('system:tool_input', { tool: type.id, problem: decoded.error.message })
    try {
      return ok(type.output.parse(await found.handler(decoded.data, toolCall())))
    } catch (error) {
      return { ok: false, failure: toFailure(error) }
    }
  }
  const noPacks = (): never => {
    throw new Error('these modules read no packs')
  }
  const noStore = (): never => {
    throw new Error('these modules keep nothing')
  }
  const noModel = (): never => {
    throw new Error('these modules ask no model')
  }
  return {
    requestId: randomIds.requestId(),
    player: ALICE,
    playerName: 'alice',
    language: 'en_us',
    signal: new AbortController().signal,
    aiLevel: 'free',
    card: options.card ?? null,
    calls,
    registry: noPacks,
    tool,
    store: noStore,
    react: noModel,
    complete: noModel,
    configuration: null,
    configurations: () => [],
    conversation: () => [],
    check() {},
    service: () => {
      throw new Error('no services here')
    },
    progress() {},
  }
}
