/** The pieces of docs/EXTENDING.md that belong to no whole plugin: services, chat, configurations, the trace. */
import type { EventEmitter } from 'node:events'
import { CLOCK, FAST_POLICY, identifier, serviceKey, shown } from 'flying-squid-system'
import type {
  AgentModule,
  CardType,
  ChatProvider,
  Registration,
  SystemHandle,
  Tool,
  TraceEvent,
} from 'flying-squid-system'
import { z } from 'zod'

/** Exported by the plugin that offers it; others may write the same line. */
export const BANK = serviceKey<{ balance(player: string): number }>('bank:accounts')

function offer(registration: Registration): void {
  const clock = registration.use(CLOCK) // ours are there before anybody registers
  const opened = clock.now()
  registration.service(BANK, { balance: () => (opened > 0 ? 7 : 0) })
}

const chat: ChatProvider = {
  id: identifier('parrot:chat'),
  // once, without a loop; null leaves the sentence to the next provider, then to the model
  answer: ({ playerName }, text) => (text.endsWith('?') ? null : `${playerName} says: ${text}`),
}

const SHOP = identifier('bank:shop')
const greeting = z.strictObject({ text: z.string() })
const lineCard: CardType<{ text: string }> = {
  id: identifier('bank:line'),
  schema: greeting,
  build: ({ text }) => ({ title: null, lines: [{ kind: 'text', text }], buttons: [] }),
}

const prices: Tool<Record<string, never>, { currency: string }> = {
  type: {
    id: 'bank:prices',
    input: z.strictObject({}),
    output: z.strictObject({ currency: z.string() }),
    kind: 'game',
    write: false,
    reasoning: 'Tells which currency the shop of this player takes.',
  },
  owner: SHOP, // a module type: the tool is open to those who have a configuration of it
  handler: (_, { configuration }) => ({ currency: String(configuration?.parameters['currency']) }),
}

const balance: AgentModule<Record<string, never>> = {
  id: identifier('bank:balance'),
  version: 1,
  action: z.strictObject({}),
  description: 'Tells what the player has in the bank.',
  help: { key: 'bank.help' },
  tools: [prices.type.id],
  policy: { ...FAST_POLICY, toolCalls: 1, steps: 1 },
  routing: { selection: 'NORMAL', command: { name: 'balance' } },
  async execute(context) {
    const { currency } = context.configuration?.parameters ?? {}
    const amount = context.service(BANK).balance(context.player)
    return shown({ type: lineCard.id, data: { text: `You have ${amount} ${String(currency)}.` } })
  },
}

function configured(registration: Registration): void {
  registration.moduleType({
    id: SHOP, // what `type` says in data/<ns>/system/system_module/<name>.json
    parameters: { currency: z.string().min(1).max(16) },
    modules: [balance.id],
  })
  registration.cardType(lineCard)
  registration.tool(prices)
  registration.module(balance)
}

/** How long models took, by model. */
export const waited = new Map<string, number>()

function watch(system: SystemHandle): () => void {
  return system.onTrace((event: TraceEvent) => {
    if (event.kind === 'model-called') waited.set(event.model, (waited.get(event.model) ?? 0) + event.ms)
  })
}

/** flying-squid calls this when it loads the plugin. */
export function server(serv: EventEmitter & { readonly system?: SystemHandle }): void {
  serv.on('system:register', (registration: Registration) => {
    registration.extension('bank')
    registration.texts('en_us', { 'bank.help': 'What you have in the bank' })
    offer(registration)
    registration.chatProvider(chat)
    configured(registration)
    if (serv.system !== undefined) serv.once('close', watch(serv.system))
  })
}
