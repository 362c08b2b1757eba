/**
 * Reads the data files with nothing of the product's: zlib and prismarine-nbt. What it finds is what the crash program
 * believes.
 */
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

const require = createRequire(import.meta.url)
const nbt = require('prismarine-nbt') as {
  parseUncompressed(bytes: Buffer, type: 'big'): unknown
  simplify(tree: unknown): unknown
}

type Plain = Readonly<Record<string, unknown>>

export async function readNbt(path: string): Promise<Plain | null> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  // throws for whatever is torn: an empty file, half a member, half a document
  return nbt.simplify(nbt.parseUncompressed(gunzipSync(bytes), 'big')) as Plain
}

export const longSchema = z
  .tuple([z.int(), z.int()])
  .transform(([high, low]) => high * 4_294_967_296 + (low >>> 0))
  .or(z.bigint().transform(Number))
  .or(z.int())

/** The value that stands under a type's name. */
export const part = <T extends z.ZodType>(schema: T) => z.looseObject({ v: z.int(), d: schema })

const stateSchema = z.object({
  counter: longSchema,
  transfers: longSchema,
  a: longSchema,
  b: longSchema,
  effects: longSchema,
})
/** What the load keeps of a player, as it stands in the file. */
export interface LoadState extends z.infer<typeof stateSchema> {
  readonly receipts: number
  /** The number in the newest round that the business record acknowledges. */
  readonly round: number
}
const EMPTY: LoadState = { counter: 0, transfers: 0, a: 1_000, b: 1_000, effects: 0, receipts: 0, round: 0 }

/** The file of a player whom only the load knows. */
export async function readLoadState(data: string, uuid: string): Promise<LoadState> {
  const root = await readNbt(join(data, 'system/players', `${uuid}.dat`))
  if (root === null) return EMPTY
  const values = z
    .looseObject({
      'crash:state': part(stateSchema).optional(),
      'crash:receipts': part(z.object({ total: longSchema })).optional(),
      'crash:round': part(z.object({ number: longSchema })).optional(),
    })
    .parse(root)
  return {
    ...EMPTY,
    ...values['crash:state']?.d,
    receipts: values['crash:receipts']?.d.total ?? 0,
    round: values['crash:round']?.d.number ?? 0,
  }
}

/** The numbers of the rounds in a player's chat file. */
export async function readRounds(data: string, uuid: string): Promise<readonly number[]> {
  const root = await readNbt(join(data, 'system/chat', `${uuid}.dat`))
  const found: number[] = []
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const text = (value as Plain)['text']
    const match = typeof text === 'string' ? /^round (\d+)$/.exec(text) : null
    if (match?.[1] !== undefined) found.push(Number(match[1]))
    else Object.values(value).forEach(look)
  }
  look(root)
  return found
}

const countSchema = z.union([z.int(), longSchema])
const linesSchema = z.array(z.looseObject({ item: z.string(), count: countSchema }))
const markSchema = z.looseObject({ id: z.string(), rest: linesSchema })
const playerSchema = z.looseObject({
  Inventory: z.array(z.looseObject({ id: z.string(), Count: z.int() })),
  'flying-squid-system': z.looseObject({ ops: z.array(markSchema), recent: z.array(markSchema) }).optional(),
})
const inboxSchema = z.array(
  z.looseObject({
    id: z.string(),
    state: z.string(),
    lines: linesSchema,
  }),
)

/**
 * How many of an item a player has: in the inventory, and waiting in the inbox. An entry that the player's file says was
 * given already, as when an older record was put back, waits with what didn't fit.
 */
export async function countItems(
  folders: { readonly data: string; readonly world: string },
  uuid: string,
  item: string,
): Promise<{ readonly inventory: number; readonly inbox: number }> {
  const file = await readNbt(join(folders.world, 'playerdata', `${uuid}.dat`))
  const player = file === null ? null : playerSchema.parse(file)
  const marks = player?.['flying-squid-system']
  const given = new Map([...(marks?.recent ?? []), ...(marks?.ops ?? [])].map(({ id, rest }) => [id, rest]))
  const root = await readNbt(join(folders.data, 'system/players', `${uuid}.dat`))
  const entries =
    z.looseObject({ 'system:inbox': part(inboxSchema).optional() }).parse(root ?? {})['system:inbox']?.d ?? []
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
  const waiting = entries
    .filter(({ state }) => state === 'AVAILABLE')
    .flatMap(({ id, lines }) => given.get(id) ?? lines)
  return {
    inventory: sum((player?.Inventory ?? []).filter(({ id }) => id === item).map(({ Count }) => Count)),
    inbox: sum(waiting.filter((line) => line.item === item).map(({ count }) => count)),
  }
}

/** Files that can't be read, by path. Left-overs of interrupted writes don't count: nothing names them. */
export async function unreadableFiles(folders: readonly string[]): Promise<readonly string[]> {
  const bad: string[] = []
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    for (const name of names.filter((name) => name.endsWith('.dat') && !name.endsWith('level.dat'))) {
      try {
        await readNbt(join(folder, name))
      } catch (error) {
        bad.push(`${join(folder, name)}: ${String(error)}`)
      }
    }
  }
  return bad
}
