/**
 * A flying-squid plugin with a workflow that writes: `/system donate 5` asks for confirmation, the button's press moves the
 * coins, once, and keeps a receipt. It stands beside the System in flying-squid's settings, in any order.
 */
import type { EventEmitter } from 'node:events'
import { FAST_POLICY, failedResult, failure, FailureError, identifier, shown } from 'flying-squid-system'
import type { AgentModule, CardType, Registration, StorageType, ToolType } from 'flying-squid-system'
import { z } from 'zod'

/** 1. What is kept of each player. It lies in the player's record; who has none yet has `empty`. */
const purse = z.strictObject({ coins: z.int().min(0), given: z.int().min(0) })
type Purse = z.infer<typeof purse>
const PURSE: StorageType<Purse> = {
  id: identifier('village:purse'), // names the data in the files for good
  version: 1,
  schema: purse,
  empty: { coins: 10, given: 0 },
}

const amount = z.strictObject({ coins: z.int().min(1).max(1_000) })
type Amount = z.infer<typeof amount>

/** 2. The write tool. No model is ever offered a tool that writes: only the module that declares it can call it. */
const donate: ToolType<Amount, Purse> = {
  id: 'village:donate',
  input: amount,
  output: purse, // what the receipt keeps
  kind: 'async', // a tool that commits waits for the disk
  write: true,
}

/** 3. The card that asks. Its button carries what was asked for, as words, to the module below. */
const offerCard: CardType<Amount> = {
  id: identifier('village:offer'),
  schema: amount,
  build: ({ coins }) => ({
    title: { key: 'village.offer', params: { coins } },
    lines: [],
    buttons: [
      {
        label: { key: 'village.confirm' },
        action: { kind: 'server', module: confirmed.id, params: { coins: String(coins) } },
      },
    ],
  }),
}

const thanksCard: CardType<Purse> = {
  id: identifier('village:thanks'),
  schema: purse,
  build: ({ coins, given }) => ({
    title: { key: 'village.thanks' },
    lines: [
      { kind: 'row', label: { key: 'village.given' }, value: String(given) },
      { kind: 'row', label: { key: 'village.left' }, value: String(coins) },
    ],
    buttons: [],
  }),
  memoryFact: ({ given }) => `The player has given ${given} coins to the village in all.`,
}

/** 4. The module of the command: changes nothing, so nobody loses coins by a word that was misread. */
const asked: AgentModule<Amount> = {
  id: identifier('village:ask'),
  version: 1,
  action: amount,
  description: 'Offers to give some of the player’s coins to the village. The player confirms by a button.',
  help: { key: 'village.help' },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'EXPLICIT_ONLY', // a model may choose it only where the player plainly asks for it
    command: { name: 'donate', argument: { name: 'coins' } }, // `/system donate 5`
    fromCommand: (argument) => ({ coins: Number(argument) }), // undecoded: the action's schema judges it
  },
  execute: async (_context, { coins }) => shown({ type: offerCard.id, data: { coins } }),
}

/** 5. The module of the button: in no catalogue, without a command, so that only a press can run it. */
const confirmed: AgentModule<Amount> = {
  id: identifier('village:confirmed'),
  version: 1,
  action: amount,
  description: 'Gives coins to the village.',
  help: { key: 'village.help' },
  tools: [donate.id],
  policy: { ...FAST_POLICY, writeSteps: 1 }, // without a write step nothing is written
  routing: {
    selection: 'STRUCTURED_ONLY',
    fromButton: ({ coins }) => ({ coins: Number(coins) }),
  },
  async execute(context, { coins }) {
    // a button can be pressed once; a step of this name is made once in this request, whatever is tried again
    const done = await context.tool(donate, { coins }, { step: 'donate' })
    if (!done.ok) return failedResult(done.failure)
    const card = { type: thanksCard.id, data: done.value }
    // in place of the card that asked
    if (context.card === null) return shown(card)
    return { status: 'succeeded', message: null, cards: [{ mode: 'REPLACE', ref: context.card, card }] }
  },
}

const ENGLISH = {
  'village.help': 'Give coins to the village',
  'village.offer': 'Give {coins} coins to the village?',
  'village.confirm': 'Give them',
  'village.thanks': 'The village thanks you',
  'village.given': 'Given in all',
  'village.left': 'Coins left',
}
const CHINESE = {
  'village.help': '向村庄捐赠金币',
  'village.offer': '要向村庄捐赠 {coins} 枚金币吗？',
  'village.confirm': '捐赠',
  'village.thanks': '村庄感谢你',
  'village.given': '累计捐赠',
  'village.left': '剩余金币',
}

/** flying-squid calls this when it loads the plugin; 'system:register' comes once, when all plugins are loaded. */
export function server(serv: EventEmitter): void {
  serv.on('system:register', (registration: Registration) => {
    registration.texts('en_us', ENGLISH)
    registration.texts('zh_cn', CHINESE)
    registration.storage(PURSE)
    registration.cardType(offerCard)
    registration.cardType(thanksCard)
    registration.tool({
      type: donate,
      owner: identifier('village:plugin'),
      // change and receipt are one transaction: both are on disk when `commit` resolves, or neither ever is
      handler: ({ coins }, { commit }) =>
        commit((tx) => {
          const before = tx.get(PURSE)
          if (before.coins < coins) throw new FailureError(failure('system:cost_missing'))
          const after = { coins: before.coins - coins, given: before.given + coins }
          tx.set(PURSE, after)
          return after
        }),
    })
    registration.module(asked)
    registration.module(confirmed)
  })
}
