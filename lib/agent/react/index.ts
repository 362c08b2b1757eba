import type { JobEnd } from '../../pool/index.js'
import type { Conversation } from './conversation.js'
import { runReActLoop } from './loop.js'
import { runSingleCall } from './single.js'

export type { Conversation } from './conversation.js'

/** Runs a job of any kind in the worker. Rejects only with the reason of a cancelled request. */
export function runConversation(conversation: Conversation): Promise<JobEnd> {
  return conversation.job.kind === 'react' ? runReActLoop(conversation) : runSingleCall(conversation)
}
