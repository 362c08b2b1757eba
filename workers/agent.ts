import { MessagePort, threadId, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { createChatTransport, endpointSchema, type ChatTransport } from '../lib/agent/models/index.js'
import { runConversation } from '../lib/agent/react/index.js'
import { systemClock } from '../lib/core/clock.js'
import { agentJobSchema, serveAgentJob, type AgentJob, type JobEnd } from '../lib/pool/index.js'

const dataSchema = z.strictObject({ endpoints: z.array(endpointSchema) })
const taskSchema = z.strictObject({ job: z.unknown(), port: z.instanceof(MessagePort) })

/** One client per endpoint for the life of the thread, so that the rounds of a loop share a connection. */
const transports = new Map<string, ChatTransport>()

function transportFor(id: string): ChatTransport | undefined {
  const known = transports.get(id)
  if (known !== undefined) return known
  const endpoint = dataSchema.parse(workerData).endpoints.find((candidate) => candidate.id === id)
  if (endpoint === undefined) return undefined
  const transport = createChatTransport(endpoint)
  transports.set(id, transport)
  return transport
}

/** A job of the agent group. Never rejects; a changed configuration comes with a thread of its own. */
export default async function serve(task: unknown): Promise<JobEnd> {
  const decoded = taskSchema.safeParse(task)
  const job = agentJobSchema.safeParse(decoded.data?.job)
  if (!decoded.success || !job.success) return { end: 'failed', code: 'system:protocol', rounds: 0 }
  return converse(job.data, decoded.data.port)
}

function converse(job: AgentJob, port: MessagePort): Promise<JobEnd> {
  return serveAgentJob(job, { port, threadId, clock: systemClock }, async (link) => {
    const transport = transportFor(job.endpoint)
    if (transport === undefined) return { end: 'failed', code: 'system:no_model', rounds: 0 }
    return runConversation({ job, link, transport })
  })
}
