/** What the server under test is kept busy with: transactions of players whom nobody sees. */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { identifier, playerId, type PlayerId } from '../../lib/core/ids.js'
import type { ChatTable, PlayerStore, StorageType, Transaction } from '../../lib/storage/index.js'
import type { Dice } from '../demo/dice.js'

const number = z.int().min(0)

const stateSchema = z.strictObject({
  counter: number,
  transfers: number,
  a: z.int(),
  b: z.int(),
  effects: number,
})
export const STATE: StorageType<z.infer<typeof stateSchema>> = {
  id: identifier('crash:state'),
  version: 1,
  schema: stateSchema,
  empty: { counter: 0, transfers: 0, a: 1_000, b: 1_000, effects: 0 },
}
const receiptsSchema = z.strictObject({ total: number, last: z.array(z.string()).max(64) })
export const RECEIPTS: StorageType<z.infer<typeof receiptsSchema>> = {
  id: identifier('crash:receipts'),
  version: 1,
  schema: receiptsSchema,
  empty: { total: 0, last: [] },
}
const roundSchema = z.strictObject({ number })
export const ROUND: StorageType<z.infer<typeof roundSchema>> = {
  id: identifier('crash:round'),
  version: 1,
  schema: roundSchema,
  empty: { number: 0 },
}
export const ROUNDS: ChatTable<{ text: string }> = {
  id: identifier('crash:rounds'),
  version: 1,
  schema: z.strictObject({ text: z.string() }),
  rows: 'chat',
  isHistory: true,
}

/** Players of the load. */
export const PLAYERS: readonly PlayerId[] = ['a', 'b', 'c', 'd'].map((letter) =>
  playerId(`${letter.repeat(8)}-0000-4000-8000-000000000000`),
)

/** What the load has been promised, or only asked for. */
export type Said = (line: {
  readonly said: 'asked' | 'promised'
  readonly player: number
  readonly what: 'counter' | 'transfers' | 'effects' | 'round'
  readonly value: number
}) => void

/** Deliberately wrong: the receipt of an effect is committed by itself. */
export type Broken = 'receipt-apart' | null

/** Changes of one kind for one player, one after the other, until the process ends. */
async function run(step: () => Promise<void>, dice: Dice): Promise<never> {
  for (;;) {
    await step()
    await delay(dice.roll(8))
  }
}

/** Starts the load; it never ends by itself. */
export function startLoad(store: PlayerStore, parts: { dice: Dice; said: Said; broken: Broken }): void {
  const { dice, said, broken } = parts
  for (const [player, id] of PLAYERS.entries()) {
    const commit = async (
      what: Parameters<Said>[0]['what'],
      change: (tx: Transaction) => number,
    ): Promise<void> => {
      const done = await store.update(id, (tx) => {
        const value = change(tx)
        said({ said: 'asked', player, what, value })
        return value
      })
      if (done.ok) said({ said: 'promised', player, what, value: done.value })
    }
    void run(() => commit('counter', (tx) => count(tx, 'counter')), dice)
    void run(() => commit('transfers', (tx) => transfer(tx, dice)), dice)
    void run(() => commit('round', (tx) => talk(tx)), dice)
    void run(async () => {
      await commit('effects', (tx) => {
        if (broken !== 'receipt-apart') receipt(tx)
        return count(tx, 'effects')
      })
      if (broken === 'receipt-apart') await store.update(id, receipt)
    }, dice)
  }
}

function count(tx: Transaction, what: 'counter' | 'effects'): number {
  const state = tx.get(STATE)
  tx.set(STATE, { ...state, [what]: state[what] + 1 })
  return state[what] + 1
}

function transfer(tx: Transaction, dice: Dice): number {
  const state = tx.get(STATE)
  const amount = dice.roll(50) - 25
  const transfers = state.transfers + 1
  tx.set(STATE, { ...state, transfers, a: state.a - amount, b: state.b + amount })
  return transfers
}

function receipt(tx: Transaction): void {
  const { total, last } = tx.get(RECEIPTS)
  tx.set(RECEIPTS, { total: total + 1, last: [...last, `task/step/${total + 1}`].slice(-64) })
}

/** A round of a conversation, and its number on the business side: both or none. */
function talk(tx: Transaction): number {
  const { number } = tx.get(ROUND)
  tx.set(ROUND, { number: number + 1 })
  tx.append(ROUNDS, {
    conversation: 1,
    at: 1_700_000_000_000 + number,
    body: { text: `round ${number + 1}` },
  })
  return number + 1
}
