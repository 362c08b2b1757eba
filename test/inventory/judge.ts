/** Counts what is on disk after everything has come to rest, with no code of the lane. */
import {
  INBOX,
  INVENTORY_LOG,
  NO_GOODS,
  ORDERS,
  addEntry,
  reserveOrder,
  type Stack,
} from '../../lib/inventory/index.js'
import type { Identifier } from '../../lib/core/ids.js'
import { Disk, KIND, PLAYER, Process, RECEIPTS, valueOf } from './world.js'

export const EMERALD = 'minecraft:emerald'
const GOODS = 'minecraft:diamond'

export interface Granted {
  readonly size: number
  readonly xp: number
  readonly item: string
  /** Whether the store said that it has it. */
  isKnown: boolean
}
export interface Ordered {
  readonly price: number
  readonly priceXp: number
  readonly size: number
  readonly external: boolean
  isKnown: boolean
}

/** What was asked for and what was answered. */
export class Ledger {
  readonly grants = new Map<string, Granted>()
  readonly orders = new Map<string, Ordered>()
  /** Ids that were answered with success, or with a failure that says that nothing was taken. */
  readonly done = new Set<string>()
  readonly refused = new Set<string>()
  readonly emeralds: number
  readonly xp: number

  constructor(emeralds: number, xp: number) {
    this.emeralds = emeralds
    this.xp = xp
  }

  disk(filled = 0): Disk {
    const slots = Array<Stack | null>(46).fill(null)
    for (let slot = 9, left = this.emeralds; left > 0; slot++, left -= 64)
      slots[slot] = stack(EMERALD, Math.min(64, left))
    for (let slot = 44; slot > 44 - filled; slot--) slots[slot] = stack('minecraft:dirt', 64)
    return new Disk({ slots, xp: this.xp, marks: { seq: 0, ops: [], recent: [] } })
  }
}

export const stack = (item: string, count: number, data = '', max = 64): Stack => ({
  item: item as Identifier,
  count,
  max,
  data,
})

const UNDECIDED = new Set([
  'system:storage_unknown',
  'system:payment_unknown',
  'system:internal',
  'system:busy',
])

/** Puts goods of their own kind into the inbox and claims them. */
export async function grant(
  process: Process,
  ledger: Ledger,
  { id, size, xp = 0, item = GOODS }: { id: string; size: number; xp?: number; item?: string },
): Promise<void> {
  const granted: Granted = { size, xp, item, isKnown: false }
  ledger.grants.set(id, granted)
  const lines = size === 0 ? [] : [{ item, count: size, data: id }]
  const put = await process.run(
    process.store.update(PLAYER, (tx) => addEntry(tx, { id, source: 'test:grant', lines, xp })),
  )
  if (put?.ok !== true) return
  granted.isKnown = true
  await claim(process, ledger, id)
}

export async function claim(process: Process, ledger: Ledger, id: string): Promise<void> {
  const given = await process.run(process.lane.give(PLAYER, id))
  if (given?.ok === true) ledger.done.add(id)
}

/** Reserves an order and has it paid. */
export async function order(
  process: Process,
  ledger: Ledger,
  { id, ...asked }: { id: string; price: number; priceXp?: number; size: number; external?: boolean },
): Promise<void> {
  const ordered = { priceXp: 0, external: false, ...asked, isKnown: false }
  ledger.orders.set(id, ordered)
  const costs = { lines: [{ item: EMERALD, count: ordered.price, data: '' }], xp: ordered.priceXp }
  const gives =
    ordered.size === 0 ? NO_GOODS : { lines: [{ item: GOODS, count: ordered.size, data: id }], xp: 0 }
  const put = await process.run(
    process.store.update(PLAYER, (tx) =>
      reserveOrder(tx, {
        id,
        source: 'test:order',
        costs: ordered.price === 0 ? { lines: [], xp: ordered.priceXp } : costs,
        gives,
        entry: ordered.size === 0 ? null : `${id}-e`,
        externalType: ordered.external ? 'test:bank' : null,
        isIrreversible: false,
      }),
    ),
  )
  if (put?.ok !== true) return
  ordered.isKnown = true
  const taken = await process.run(process.lane.take(PLAYER, id))
  if (taken?.ok === true) ledger.done.add(id)
  else if (taken !== null && !UNDECIDED.has(taken.failure.code)) ledger.refused.add(id)
}

/** Starts again without faults until nothing is open; answers how much logins flagged. */
export async function comeToRest(disk: Disk): Promise<number> {
  let flagged = 0
  for (let life = 0; life < 2; life++) {
    const process = new Process(disk, KIND)
    const external = await process.login()
    if (!external.ok) throw new Error(external.failure.code)
    if (life === 1 && process.flagged > 0) throw new Error('a second login flags again')
    flagged += process.flagged
    await process.lane.decideExternal(PLAYER, external.value)
    await process.lane.settle(PLAYER)
    await process.logout()
  }
  return flagged
}

export interface Verdict {
  /**
   * `lost-store`: an older store was put back; what it never knew of is not owed. `two-pasts`: the file of one past was
   * put back into another; nothing is owed, and nothing may be double.
   */
  readonly kind: 'plain' | 'old-file' | 'lost-store' | 'two-pasts'
  readonly flagged: number
}

/** Everything that is wrong on the disk. */
export function judge(disk: Disk, ledger: Ledger, { kind, flagged }: Verdict): string[] {
  disk.parse()
  const wrong: string[] = []
  const check = (isRight: boolean, text: string): void => {
    if (!isRight) wrong.push(text)
  }
  const entries = valueOf(disk.business, INBOX)
  const orders = valueOf(disk.business, ORDERS)
  const inv = valueOf(disk.business, INVENTORY_LOG)
  const file = disk.file
  if (file === null) return ['no file']
  const open = entries.filter(({ state }) => state === 'AVAILABLE')
  const inFile = (item: string, data: string): number =>
    file.slots.reduce((sum, one) => (one?.item === item && one.data === data ? sum + one.count : sum), 0)
  const inInbox = (item: string, data: string): number =>
    open
      .flatMap(({ lines }) => lines)
      .reduce((sum, line) => (line.item === item && line.data === data ? sum + line.count : sum), 0)
  const isOwed = kind === 'plain' || kind === 'old-file'
  let xp = ledger.xp
  for (const [id, { size, xp: points, item, isKnown }] of ledger.grants) {
    const has = inFile(item, id) + inInbox(item, id)
    const isThere = entries.some((entry) => entry.id.split('.')[0] === id)
    if (isThere) xp += points
    check(has <= size, `${id} doubled: ${has} of ${size}`)
    if (kind !== 'two-pasts' && (isThere || (isOwed && isKnown)))
      check(has === size, `${id} lost: ${has} of ${size}`)
    if (isOwed && ledger.done.has(id) && kind === 'plain')
      check(
        entries.find((entry) => entry.id === id)?.state === 'DONE',
        `${id} was acknowledged and isn't done`,
      )
  }
  let emeralds = inFile(EMERALD, '') + inInbox(EMERALD, '')
  for (const [id, asked] of ledger.orders) {
    const order = orders.find((one) => one.id === id)
    const state = order?.state ?? 'NONE'
    const has = inFile(GOODS, id) + inInbox(GOODS, id)
    const isPaid = state === 'COMPLETED' || (state === 'PAYMENT_UNKNOWN' && order?.taken !== null)
    if (isPaid) emeralds += asked.price
    if (isPaid) xp -= asked.priceXp
    check(has <= asked.size, `${id} doubled`)
    // a void order's price and goods come back with the file that has both
    const due = state === 'COMPLETED' ? asked.size : 0
    if (order !== undefined && (isOwed || state !== 'VOIDED'))
      check(kind === 'two-pasts' ? has <= due : has === due, `${id} ${state} has ${has}`)
    check(state !== 'RESERVED', `${id} stayed reserved`)
    if (kind !== 'plain') continue
    if (ledger.done.has(id)) check(state === 'COMPLETED', `${id} was acknowledged and is ${state}`)
    if (ledger.refused.has(id)) check(state !== 'COMPLETED', `${id} was refused and is completed`)
    if (state === 'VOIDED') wrong.push(`${id} is void without reason`)
    if (asked.external && state === 'COMPLETED')
      check(disk.charged.has(id), `${id} completed without its charge`)
    if (state === 'FAILED') check(!disk.charged.has(id), `${id} failed, but was charged`)
  }
  check(isOwed ? emeralds === ledger.emeralds : emeralds <= ledger.emeralds, `emeralds: ${emeralds}`)
  const points = file.xp + open.reduce((sum, entry) => sum + entry.xp, 0)
  if (isOwed) check(points === xp, `experience: ${points} of ${xp}`)
  check(file.marks.seq === inv.seq, `seq ${file.marks.seq} and ${inv.seq}`)
  check(file.marks.ops.length === 0, 'operations stay open')
  if (kind === 'plain') check(flagged === 0, `${flagged} flagged without reason`)
  checkReceipts(disk, check)
  return wrong
}

/** Each final state that a record has was told once, in its own transaction, and no other was. */
function checkReceipts(disk: Disk, check: (isRight: boolean, text: string) => void): void {
  const last = new Map<string, string>()
  for (const receipt of valueOf(disk.business, RECEIPTS)) {
    const [kind = '', id = '', state = ''] = receipt.split(' ')
    last.set(`${kind} ${id}`, state)
  }
  const told = (kind: string, id: string, state: string, first: string): void => {
    const said = last.get(`${kind} ${id}`) ?? first
    check(said === state, `${kind} ${id} is ${state}, its receipt says ${said}`)
  }
  for (const { id, state } of valueOf(disk.business, ORDERS)) told('order', id, state, 'RESERVED')
  for (const { id, state, order } of valueOf(disk.business, INBOX))
    told('entry', id, state, order === null ? 'AVAILABLE' : 'LOCKED')
}
