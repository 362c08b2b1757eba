import { copyFile, mkdir, rm } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../demo/dice.js'
import { BenchChild } from '../support/child.js'
import { ServerUnderTest } from './child.js'
import { Expectation } from './expectation.js'
import { countItems, readLoadState, readRounds, unreadableFiles } from './independent.js'
import { PLAYERS } from './load.js'
import { CLIENTS, ITEM, type Fault, type Line, type Variant } from './messages.js'
import { verify } from './verify.js'

const START_MS = 60_000
/** How long the load runs at least and at most before the end. */
const RUN_MS = { least: 40, most: 700 }
/** A process whose fault point was not passed by then is ended all the same. */
const FAULT_MS = 2_500

/** Every point at which the process under test can end itself. */
export const FAULT_POINTS = [
  'give.planned',
  'give.saved',
  'give.applied',
  'give.committed',
  'take.reserved',
  'take.debited',
  'take.saved',
  'take.committed',
  'login.committed',
  'files.opened',
  'files.written',
  'files.unsynced',
  'files.synced',
  'files.renaming',
  'files.renamed',
  'files.folder',
  'files.done',
] as const

export interface CrashRun {
  readonly folder: string
  readonly version: string
  readonly dice: Dice
  readonly variant: Variant | null
  /** What is wrong, a line each; ends the run when it stands at something. */
  readonly wrong: string[]
  readonly expectation: Expectation
  /** Rounds that ended at each point, `random` for those ended from outside. */
  readonly ends: Map<string, number>
  readonly restores: { files: number; records: number; beyondLog: number; decided: number }
}

/** The uuid that an offline server gives to a name. */
export function offlineUuid(name: string): string {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x30
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const foldersOf = ({ folder }: CrashRun) => ({ data: join(folder, 'world'), world: join(folder, 'world') })

/** One life of the server: start, players, what the files hold, load, end, what the files hold. */
export async function round(run: CrashRun, number: number): Promise<void> {
  const { dice, expectation } = run
  const fault: Fault | null =
    number % 2 === 1
      ? { point: dice.pick(FAULT_POINTS), hit: 1 + dice.roll(number % 3 === 0 ? 40 : 8) }
      : null
  const restored = await restore(run, number)
  const server = new ServerUnderTest(
    { folder: run.folder, version: run.version, seed: dice.roll(1 << 30), fault, variant: run.variant },
    (line: Line) => expectation.hear(line),
  )
  let clients: BenchChild | null = null
  try {
    const ready = await within(server, server.next('ready'))
    if (ready === null && fault === null) throw new Error(`no start: ${server.stderr}`)
    if (ready !== null) {
      clients = joinAll(ready.port)
      const settled = server.next('settled')
      server.send('settle')
      const line = await within(server, settled)
      if (line === null && fault === null) throw new Error(`players did not settle: ${server.stderr}`)
      if (line !== null) {
        await judgePlayers(run, line, restored)
        await copyNow(run, number)
        server.send('load')
        await end(run, server, fault)
      }
    }
  } finally {
    await server.kill()
    await clients?.end()
  }
  const ended = fault !== null && server.endedItself ? fault.point : 'random'
  run.ends.set(ended, (run.ends.get(ended) ?? 0) + 1)
  await judgeFiles(run)
}

const joinAll = (port: number): BenchChild =>
  new BenchChild('clients-process', {
    argument: { port, version: '1.21.4', count: CLIENTS.length, movesPerSecond: 2, joinGapMs: 5 },
  })

async function within<T>(server: ServerUnderTest, line: Promise<T>): Promise<T> {
  const late = delay(START_MS, 'late' as const, { ref: false })
  const first = await Promise.race([line, late])
  if (first === 'late') throw new Error(`the server says nothing: ${server.stderr}`)
  return first
}

async function end({ dice }: CrashRun, server: ServerUnderTest, fault: Fault | null): Promise<void> {
  if (fault === null) await delay(RUN_MS.least + dice.roll(RUN_MS.most - RUN_MS.least))
  else await Promise.race([server.exited, delay(FAULT_MS)])
}

/** What must be true of the files whenever the process has ended. */
async function judgeFiles(run: CrashRun): Promise<void> {
  const { data, world } = foldersOf(run)
  run.wrong.push(...(await unreadableFiles([join(data, 'system'), join(world, 'playerdata')])))
  for (const [player, uuid] of PLAYERS.entries()) {
    try {
      const [state, rounds] = await Promise.all([readLoadState(data, uuid), readRounds(data, uuid)])
      run.wrong.push(...run.expectation.judgeLoad(player, state, rounds))
    } catch (error) {
      run.wrong.push(`player ${player}: ${String(error)}`)
    }
  }
  run.wrong.push(...(await verify(data)))
}

/** What must be true once the players are back and their files were compared with the store. */
async function judgePlayers(
  run: CrashRun,
  line: Extract<Line, { said: 'settled' }>,
  restored: Restored | null,
): Promise<void> {
  run.wrong.push(...line.problems)
  for (const name of CLIENTS) {
    const found = await countItems(foldersOf(run), offlineUuid(name), ITEM)
    run.wrong.push(...run.expectation.judgeItems(name, found))
  }
  if (restored === null) return
  // whatever an older file undoes is counted and named, never silent
  const [, voided = 0, flagged = 0] = (/voided=(\d+) flagged=(\d+)/.exec(line.items) ?? []).map(Number)
  run.restores.decided += voided + flagged
  if (restored.mustBeFlagged && flagged === 0)
    run.wrong.push(`${restored.name}: an older record was put back, and nothing was flagged (${line.items})`)
}

/** What was put back before a round. */
interface Restored {
  readonly name: string
  /** The player's file knows operations that the record put back doesn't. */
  readonly mustBeFlagged: boolean
}

const COPIES = { file: 'playerdata', record: 'system/players' } as const
type Copied = keyof typeof COPIES

/** In every eighth round a player's file is put back, and four rounds later a player's record; copied a round before. */
const turnOf = (number: number): Copied | null =>
  number > 2 && number % 4 === 0 ? (number % 8 === 0 ? 'file' : 'record') : null

function pathsOf(run: CrashRun, kind: Copied, name: string): { readonly own: string; readonly copy: string } {
  const copies = join(run.folder, 'copies')
  return {
    own: join(foldersOf(run).world, COPIES[kind], `${offlineUuid(name)}.dat`),
    copy: join(copies, `${kind}-${name}`),
  }
}

/** Keeps a copy of what will be put back before the next round. */
async function copyNow(run: CrashRun, number: number): Promise<void> {
  const kind = turnOf(number + 1)
  if (kind === null) return
  const name = CLIENTS[((number + 1) >> 2) % CLIENTS.length] ?? CLIENTS[0]
  const { own, copy } = pathsOf(run, kind, name)
  await mkdir(join(run.folder, 'copies'), { recursive: true })
  await copyFile(own, copy)
  run.expectation.copied(name)
}

/** Puts something older in place of the newer one, as a host does who mends something else. */
async function restore(run: CrashRun, number: number): Promise<Restored | null> {
  const kind = turnOf(number)
  for (const name of kind === null ? [] : CLIENTS) {
    const { own, copy } = pathsOf(run, kind ?? 'file', name)
    try {
      await copyFile(copy, own)
    } catch {
      continue
    }
    await rm(copy)
    if (kind === 'file') {
      run.restores.files += 1
      if (!run.expectation.restored(name)) run.restores.beyondLog += 1
      return { name, mustBeFlagged: false }
    }
    run.restores.records += 1
    const { inventory, inbox } = await countItems(foldersOf(run), offlineUuid(name), ITEM)
    return { name, mustBeFlagged: run.expectation.recordRestored(name, inventory + inbox) }
  }
  return null
}

export const emptyRun = (parts: Pick<CrashRun, 'folder' | 'version' | 'dice' | 'variant'>): CrashRun => ({
  ...parts,
  wrong: [],
  expectation: new Expectation(),
  ends: new Map(),
  restores: { files: 0, records: 0, beyondLog: 0, decided: 0 },
})
