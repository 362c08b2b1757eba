import { fileURLToPath } from 'node:url'
import type { AgentJob } from '../../lib/pool/index.js'

/** Path of a compiled fixture worker. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}.js`, import.meta.url))

/** A job with one tool, `item.query`; `over` wins. */
export function agentJob(over: Partial<AgentJob> = {}): AgentJob {
  return {
    kind: 'react',
    requestId: '0b0e7a3c-8a56-4c55-9d68-0c5a1f1c9b01',
    prompt: 'Answer in JSON.',
    question: 'How many diamonds?',
    contextText: '{"language":"en_us"}',
    catalogue: [{ id: 'item.query', description: 'Looks an item up.', schemaText: '{"type":"object"}' }],
    answerSchemaText: '',
    rounds: 3,
    perCall: { outputTokens: 100, inputBytes: 65_536, timeoutMs: 12_000 },
    remainingMs: 60_000,
    endpoint: 'main',
    endUser: '',
    trustMarker: 'marker',
    ...over,
  }
}
