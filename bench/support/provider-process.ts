/** A model provider in a process of its own: it streams slowly, has each tool called once, then answers. */
import { z } from 'zod'
import { createProviderSimulator, replies, type RecordedRequest } from '../../lib/testing/index.js'
import { childArgument } from './bench.js'

const { chunks, chunkMs } = childArgument(z.strictObject({ chunks: z.int(), chunkMs: z.number() }))

const userSchema = z.looseObject({
  observations: z.array(z.unknown()).default([]),
  finalOnly: z.boolean().default(false),
})

/** In turn: their inputs are what a model would write. */
const CALLS = [
  { type: 'player.info', input: {} },
  { type: 'item.query', input: { query: 'piston' } },
  { type: 'recipe.query', input: { query: 'piston' } },
]
const CHUNK_CHARACTERS = 16
const THOUGHT = 'Let me think about what this player has and needs. '

/**
 * Providers differ in speed from one reply to the next. At one speed all requests, begun together, would ask for their
 * tools in the same millisecond for ever.
 */
const SPREAD = 0.4
let replied = 0
/** Evenly over 1 ± SPREAD, without two neighbours alike: the golden ratio's multiples. */
const pace = (): number => 1 + SPREAD * (2 * ((replied++ * 0.618_033_988_75) % 1) - 1)

function answer({ body }: RecordedRequest) {
  const { observations, finalOnly } = userSchema.parse(JSON.parse(body.messages.at(-1)?.content ?? ''))
  const call = finalOnly ? undefined : CALLS[observations.length]
  const content = call ?? { type: 'answer', text: 'Build a piston door beside your farm.', sources: [1, 2] }
  const characters = chunks * CHUNK_CHARACTERS - JSON.stringify(content).length
  const thought = THOUGHT.repeat(Math.ceil(Math.max(0, characters) / THOUGHT.length)).slice(0, characters)
  return replies.reasoned(thought, content).with({ chunkLength: CHUNK_CHARACTERS, pauseMs: chunkMs * pace() })
}

async function main(): Promise<void> {
  const provider = await createProviderSimulator({ otherwise: answer })
  process.on('message', (message: { kind?: unknown }) => {
    if (message.kind === 'state')
      process.send?.({ kind: 'state', requests: provider.requests.length, errors: provider.errors })
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ kind: 'ready', url: provider.url })
}

void main()
