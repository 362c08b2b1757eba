import type { AgentJob } from '../../pool/index.js'
import type { ReplyShape } from '../models/transport.js'

const text = { type: 'string' }
/** Other members are allowed: which ones is decided when the reply is decoded, not by the provider. */
const open = (properties: Readonly<Record<string, unknown>>, ...required: string[]): ReplyShape => ({
  schema: {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: true,
  },
  isClosed: false,
})

/** What a reply to the job looks like. The same in every round, so that providers' prefix caches stay of use. */
export function replyShape(job: AgentJob): ReplyShape {
  const answer = { type: { type: 'string', enum: ['answer'] } }
  switch (job.kind) {
    case 'route':
      return open({ module: text }, 'module')
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
