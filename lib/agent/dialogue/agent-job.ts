import { utf8Bytes } from '../../core/json.js'
import { fail, ok, type Result } from '../../core/result.js'
import type { AgentJob, CatalogueEntry } from '../../pool/index.js'
import type { Budget } from '../budget.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest } from '../live-request.js'
import { conversationOf, turnsFor } from '../memory.js'

/** Limit of what every round sends again, whatever is asked: prompt and catalogue, UTF-8 bytes. */
export const STABLE_BYTES = 24_576

/** What distinguishes one job from another. */
export interface JobParts {
  readonly kind: AgentJob['kind']
  readonly question: string
  /** Name of the prompt. */
  readonly prompt: string
  /** What the prompt's own placeholders stand for. */
  readonly values?: Readonly<Record<string, string>> | undefined
  readonly rounds: number
  readonly catalogue: readonly CatalogueEntry[]
  /** JSON Schema text of the answer; empty for `route`. */
  readonly answerSchemaText: string
  readonly budget: Budget
}

/**
 * A job of the agent group. Fails with `system:no_model`, as the prompt fails, or with `budget_input_bytes` when prompt
 * and catalogue are larger than STABLE_BYTES (the log then says so: only the host can mend it).
 */
export function agentJob(kernel: Kernel, request: LiveRequest, parts: JobParts): Result<AgentJob> {
  const { model } = request.settings
  if (model === null) return fail('system:no_model')
  const prompt = request.settings.prompt(parts.prompt, parts.values)
  if (!prompt.ok) return prompt
  const bytes = utf8Bytes(prompt.value) + catalogueBytes(parts.catalogue)
  if (bytes > STABLE_BYTES) {
    kernel.logger.warn(
      `prompt ${parts.prompt} with ${parts.catalogue.length} tools or modules has ${bytes} bytes, at most ${STABLE_BYTES}`,
    )
    return fail('system:budget_input_bytes')
  }
  const { policy } = parts.budget
  const { language, name } = request.session
  // read once for all rounds of the job, so that they share it byte for byte
  const conversation = turnsFor(conversationOf(kernel, request), policy.inputBytes)
  return ok({
    kind: parts.kind,
    requestId: request.id,
    prompt: prompt.value,
    question: parts.question,
    contextText: JSON.stringify({
      language,
      player: name,
      game: `Minecraft ${kernel.gameVersion}`,
      time: new Date(request.acceptedTime).toISOString(),
      ...(conversation.length === 0 ? {} : { conversation }),
    }),
    catalogue: [...parts.catalogue],
    answerSchemaText: parts.answerSchemaText,
    rounds: parts.rounds,
    perCall: {
      outputTokens: policy.outputTokens,
      inputBytes: policy.inputBytes,
      timeoutMs: policy.modelTimeoutMillis,
    },
    remainingMs: Math.floor(parts.budget.remainingMs()),
    endpoint: model.endpoint,
    endUser: kernel.endUser(request.player),
    trustMarker: kernel.ids.token(),
  })
}

function catalogueBytes(catalogue: readonly CatalogueEntry[]): number {
  let bytes = 0
  for (const { id, description, schemaText } of catalogue)
    bytes += utf8Bytes(id) + utf8Bytes(description) + utf8Bytes(schemaText)
  return bytes
}
