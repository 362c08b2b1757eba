import type { Result } from '../../core/result.js'
import type { AgentJob } from '../../pool/index.js'
import type { Budget } from '../budget.js'
import type { CompleteOptions, ReactOptions } from '../context.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest } from '../live-request.js'
import type { RegisteredTool } from '../tool.js'
import { agentJob } from './agent-job.js'
import { converse } from './conversation.js'
import { answerSchemaText, judgeAnswer } from './judge.js'
import type { ToolContext } from './tool-context.js'

/** Who asks a model. */
export interface Asking {
  readonly kernel: Kernel
  readonly request: LiveRequest
  readonly budget: Budget
}

/** The job for what a workflow asks; fails as `agentJob` does. */
export function jobFor(
  { kernel, request, budget }: Asking,
  options: CompleteOptions<unknown>,
  loop: { kind: 'react' | 'complete'; rounds: number; offered: readonly RegisteredTool[] },
): Result<AgentJob> {
  return agentJob(kernel, request, {
    kind: loop.kind,
    question: options.question,
    prompt: options.prompt,
    values: options.values,
    rounds: loop.rounds,
    catalogue: loop.offered.map((tool) => ({
      id: tool.id,
      description: tool.reasoning ?? tool.id,
      schemaText: tool.schemaText,
    })),
    answerSchemaText: answerSchemaText(options.answer),
    budget,
  })
}

/** Runs it to the answer that the workflow's schema and its own check take, or why there is none. */
export function askFor<A>(
  { kernel, request, budget }: Asking,
  options: CompleteOptions<A> & Pick<ReactOptions<A>, 'keep'>,
  { job, tools }: { readonly job: AgentJob; readonly tools: ToolContext | null },
): Promise<Result<A>> {
  const { answer: schema, keep } = options
  return converse(kernel, request, {
    job,
    budget,
    tools,
    judge: (text) =>
      judgeAnswer(text, {
        schema,
        prompt: job.prompt,
        observations: tools?.observations ?? [],
        ...(keep === undefined ? {} : { keep }),
      }),
  })
}
