import type { AgentJob, KernelLink } from '../../pool/index.js'
import type { ChatTransport } from '../models/transport.js'

/** What one job works with. The worker holds strings and a round number: nothing is lost with it. */
export interface Conversation {
  readonly job: AgentJob
  readonly link: KernelLink
  readonly transport: ChatTransport
}
