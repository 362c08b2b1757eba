/**
 * A flying-squid plugin with an economy of its own, and a kind of price that takes from it: the offers of
 * `examples/economy-pack` cost `economy:balance`.
 */
import type { EventEmitter } from 'node:events'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { identifier, ok } from 'flying-squid-system'
import type { Cost, ExternalCostType, PlayerId, Registration } from 'flying-squid-system'
import { z } from 'zod'

const bookSchema = z.object({
  balances: z.record(z.string(), z.int().min(0)),
  /** Orders that were charged: what makes `charge` happen once and `status` know it. */
  charged: z.record(z.string(), z.int()),
})
type Book = z.infer<typeof bookSchema>

/** Balances and what was charged, in one file that is replaced as a whole: both are on disk, or neither. */
class Bank {
  readonly #file: string
  #book: Book = { balances: {}, charged: {} }
  #writing: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#file = join(folder, 'economy.json')
  }

  async load(): Promise<void> {
    const text = await readFile(this.#file, 'utf8').catch(() => null)
    if (text !== null) this.#book = bookSchema.parse(JSON.parse(text))
  }

  balance(player: PlayerId): number {
    return this.#book.balances[player] ?? 0
  }

  pay(player: PlayerId, amount: number): Promise<void> {
    return this.#change((book) => {
      book.balances[player] = (book.balances[player] ?? 0) + amount
      return true
    }).then(() => {})
  }

  /** Once for an order, however often it is asked; false: there isn't as much. */
  charge(player: PlayerId, order: string, amount: number): Promise<boolean> {
    return this.#change((book) => {
      if (book.charged[order] !== undefined) return true
      const left = (book.balances[player] ?? 0) - amount
      if (left < 0) return false
      book.balances[player] = left
      book.charged[order] = amount
      return true
    })
  }

  wasCharged(order: string): boolean {
    return this.#book.charged[order] !== undefined
  }

  /** One change after the other; what is remembered is what is on disk. */
  #change(change: (book: Book) => boolean): Promise<boolean> {
    const done = this.#writing.then(async () => {
      const book = structuredClone(this.#book)
      if (!change(book)) return false
      await this.#write(book)
      this.#book = book
      return true
    })
    this.#writing = done.then(
      () => {},
      () => {},
    )
    return done
  }

  async #write(book: Book): Promise<void> {
    await mkdir(join(this.#file, '..'), { recursive: true })
    const file = await open(`${this.#file}.tmp`, 'w')
    try {
      await file.writeFile(JSON.stringify(book))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${this.#file}.tmp`, this.#file)
  }
}

type BalanceCost = Cost & { readonly amount: number }

/** What an offer says: `{ "type": "economy:balance", "amount": 12 }`. */
const balanceCost = (bank: Bank): ExternalCostType<BalanceCost> => ({
  id: identifier('economy:balance'),
  members: () => ({ amount: z.int().min(1).max(1_000_000) }),
  // looks and changes nothing: asked whenever an offer is opened
  prepare({ amount }, { player }) {
    const text = `${amount} coins (you have ${bank.balance(player)})`
    return Promise.resolve(ok({ text, amount, isShort: bank.balance(player) < amount }))
  },
  // the order's id makes it happen once
  async charge(order, { amount }, { player }) {
    return (await bank.charge(player, order, Number(amount))) ? 'charged' : 'not_charged'
  },
  // after a restart only this is asked
  status: (order) => Promise.resolve(bank.wasCharged(order) ? 'charged' : 'not_charged'),
})

/** flying-squid's own settings, of which the world's folder is all that this needs. */
interface Settings {
  readonly worldFolder?: string
}

/** flying-squid calls this when it loads the plugin. The accounts lie beside the world. */
export function server(serv: EventEmitter & { economy?: Bank }, { worldFolder = '.' }: Settings): void {
  const folder = join(worldFolder, 'economy')
  const bank = new Bank(folder)
  serv.economy = bank
  bank.load().catch((error: unknown) => console.error('economy: the accounts can’t be read', error))
  serv.on('system:register', (registration: Registration) => {
    registration.extension('economy')
    registration.costType(balanceCost(bank))
  })
}
