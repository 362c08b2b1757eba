/**
 * A flying-squid plugin with a compute tool: the shortest way by several places is found in a thread, however long it
 * takes, and the server's tick never waits. `/system tour 0 0, 90 10, 5 -40`
 */
import type { EventEmitter } from 'node:events'
import { failedResult, failure, FAST_POLICY, identifier, shown } from 'flying-squid-system'
import type { AgentModule, CardType, ComputeTool, Registration } from 'flying-squid-system'
import { z } from 'zod'

const place = z.strictObject({ x: z.number(), z: z.number() })
const tourInput = z.strictObject({
  places: z.array(place).min(2).max(9).describe('block coordinates, the first is the start'),
})
const tour = z.strictObject({
  order: z.array(z.int()).describe('indexes of the places'),
  blocks: z.number().describe('length of the way'),
})

const tourTool: ComputeTool<z.infer<typeof tourInput>, z.infer<typeof tour>> = {
  type: {
    id: 'tour:shortest',
    input: tourInput,
    output: tour,
    kind: 'compute',
    write: false,
    reasoning: 'Finds the shortest way that begins at the first place and comes by all others.',
    label: { key: 'tour.tool' },
  },
  owner: identifier('tour:plugin'),
  // the thread imports this file when the tool is first called, and calls its export
  compute: { module: new URL('./shortest-tour.js', import.meta.url), export: 'shortestTour' },
}

const tourCard: CardType<{ way: string; blocks: number }> = {
  id: identifier('tour:way'),
  schema: z.strictObject({ way: z.string(), blocks: z.number() }),
  build: ({ way, blocks }) => ({
    title: { key: 'tour.title', params: { blocks } },
    lines: [{ kind: 'text', text: way }],
    buttons: [],
  }),
}

const tourModule: AgentModule<z.infer<typeof tourInput>> = {
  id: identifier('tour:plan'),
  version: 1,
  action: tourInput,
  description: 'Finds the shortest way by several places.',
  help: { key: 'tour.help' },
  tools: [tourTool.type.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'tour', argument: { name: 'places' } },
    // undecoded: what the schema above refuses is "I didn't get that"
    fromCommand: (text) => ({
      places: text.split(',').map((pair) => {
        const [x, z] = pair.trim().split(/\s+/).map(Number)
        return { x, z }
      }),
    }),
  },
  async execute(context, { places }) {
    const found = await context.tool(tourTool.type, { places })
    if (!found.ok) return failedResult(found.failure)
    const { order, blocks } = found.value
    const way = order.map((index) => places[index]).map((at) => (at === undefined ? '?' : `${at.x} ${at.z}`))
    if (way.length !== places.length) return failedResult(failure('system:incomplete'))
    return shown({ type: tourCard.id, data: { way: way.join(' → '), blocks } })
  },
}

/** flying-squid calls this when it loads the plugin. */
export function server(serv: EventEmitter): void {
  serv.on('system:register', (registration: Registration) => {
    registration.extension('tour')
    registration.texts('en_us', {
      'tour.help': 'Find the shortest way by several places',
      'tour.tool': 'the shortest way',
      'tour.title': 'A way of {blocks} blocks',
    })
    registration.cardType(tourCard)
    registration.tool(tourTool)
    registration.module(tourModule)
  })
}
