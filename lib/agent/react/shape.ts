import type { AgentJob } from '../../pool/index.js'
import type { ReplyShape } from '../models/transport.js'

const text = { type: 'string' }
/**
 * Nothing is required and other members are allowed: which replies count is decided when they are decoded, and a
 * grammar must not shut out any of them.
 */
const open = (properties: Readonly<Record<string, unknown>>): ReplyShape => ({
  schema: { type: 'object', properties, additionalProperties: true },
  isClosed: false,
})

/** What a reply to the job looks like. The same in every round, so that providers' prefix caches stay of use. */
export function replyShape(job: AgentJob): ReplyShape {
  const answer = { type: { type: 'string', enum: ['answer'] } }
  switch (job.kind) {
    case 'route':
      return open({ module: text })
    case 'react':
      return open({ type: { type: 'string', enum: [...job.catalogue.map(({ id }) => id), 'answer'] } })
    case 'complete':
      break
  }
  if (job.answerSchemaText !== '') return open(answer)
  const schema = {
    type: 'object',
    properties: { ...answer, text },
    required: ['type', 'text'],
    additionalProperties: false,
  }
  return { schema, isClosed: true }
}
