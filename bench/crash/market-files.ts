/** What a player is worth by the files alone: zlib and prismarine-nbt, nothing of the product's. */
import { join } from 'node:path'
import { z } from 'zod'
import { longSchema, part, readNbt } from './independent.js'
import { VALUE_COIN, VALUES } from './market-messages.js'

const count = z.union([z.int(), longSchema])
const lines = z.array(z.looseObject({ item: z.string(), count }))
const bookedSchema = z.array(z.looseObject({ type: z.string(), value: z.string() }))
const recordSchema = z.looseObject({
  'system:inbox': part(
    z.array(z.looseObject({ id: z.string(), state: z.string(), lines, booked: bookedSchema })),
  ).optional(),
  'system:orders': part(z.array(z.looseObject({ id: z.string(), state: z.string() }))).optional(),
  'system:resources': part(z.array(z.looseObject({ resource: z.string(), amount: count }))).optional(),
})
const playerSchema = z.looseObject({ Inventory: z.array(z.looseObject({ id: z.string(), Count: z.int() })) })

export interface FoundMarket {
  readonly worth: number
  readonly parts: {
    readonly inventory: number
    readonly inbox: number
    readonly coins: number
    readonly owed: number
  }
  readonly orders: readonly { readonly id: string; readonly state: string }[]
}

export async function readMarket(world: string, uuid: string): Promise<FoundMarket> {
  const file = await readNbt(join(world, 'playerdata', `${uuid}.dat`))
  const record = recordSchema.parse((await readNbt(join(world, 'system/players', `${uuid}.dat`))) ?? {})
  const stacks = file === null ? [] : playerSchema.parse(file).Inventory
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
  const waiting = (record['system:inbox']?.d ?? []).filter(({ state }) => state === 'AVAILABLE')
  const inventory = sum(stacks.filter(({ id }) => VALUES.includes(id)).map(({ Count }) => Count))
  const inbox = sum(
    waiting.flatMap(({ lines }) =>
      lines.filter(({ item }) => VALUES.includes(item)).map((line) => line.count),
    ),
  )
  const owed = sum(
    waiting.flatMap(({ booked }) =>
      booked.map(({ value }) => {
        const { resource, amount } = z
          .looseObject({ resource: z.string(), amount: z.int() })
          .parse(JSON.parse(value))
        return resource === VALUE_COIN ? amount : 0
      }),
    ),
  )
  const coins = sum(
    (record['system:resources']?.d ?? [])
      .filter(({ resource }) => resource === VALUE_COIN)
      .map(({ amount }) => amount),
  )
  const worth = inventory + inbox + owed + coins
  return { worth, parts: { inventory, inbox, coins, owed }, orders: record['system:orders']?.d ?? [] }
}
