/** The smallest plugin that adds something: `/system hello`, understood in sentences too. */
import type { EventEmitter } from 'node:events'
import { FAST_POLICY, identifier, type AgentModule, type Registration } from 'flying-squid-system'
import { z } from 'zod'

const hello: AgentModule<Record<string, never>> = {
  id: identifier('hello:greet'),
  version: 1,
  action: z.strictObject({}), // what a request says, decoded: here nothing
  description: 'Greets the player.', // English: models choose by it
  help: { key: 'hello.help' }, // its line in /system help
  tools: [], // what it may call
  policy: FAST_POLICY, // what it may spend
  routing: {
    selection: 'NORMAL',
    command: { name: 'hello' },
    examples: { en_us: ['say hello to me', 'greet me please'] },
    extract: () => ({}),
  },
  execute: async (context) => ({
    status: 'succeeded',
    message: { key: 'hello.text', params: { name: context.playerName } },
    cards: [],
  }),
}

export function server(serv: EventEmitter): void {
  serv.on('system:register', (registration: Registration) => {
    registration.extension('hello')
    registration.texts('en_us', { 'hello.help': 'Be greeted', 'hello.text': 'Hello {name}!' })
    registration.module(hello)
  })
}
