/** `npm run bench:store`: what a durable change of a player costs, next to others. Method and results: RESULTS.md. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { atMost, machine, progress, runBench, type BenchOptions, type BenchReport } from './support/bench.js'
import { percentile, rounded } from './support/statistics.js'
import { MAIN_THREAD, ThreadStat } from './support/thread-stat.js'
import { benchPlayer, notes, openDirect, Ours, recordPath } from './store/ours.js'
import { bareReplacement, openFloor, openSqlite, squidSave, writeFileAtomic } from './store/rivals.js'

const KB = 1_024
const SIZES = { small: 5 * KB, large: 100 * KB }
/** Files written at once where throughput is compared. */
const AT_ONCE = 16
const PLAYERS = [1, 16, 200] as const
/** Turns before the measured ones: code that ran a few times only is interpreted, that of a server that is up is not. */
const WARM_UP = 200

interface Scale {
  /** Writes of each kind, interleaved. */
  readonly writes: number
  /** Batches of AT_ONCE files. */
  readonly batches: number
  /** Transactions of each number of players. */
  readonly transactions: number
}
const FULL: Scale = { writes: 200, batches: 40, transactions: 1_000 }
const QUICK: Scale = { writes: 40, batches: 8, transactions: 200 }

type Samples = Map<string, number[]>

/** A way to be measured: called with the clock stopped, it makes what its turn needs and gives the turn. */
type Way = () => () => unknown

/**
 * Takes the time of each way in turn, so that all see the same disk; forth and back, so that what one leaves to the next
 * sync (write-file-atomic its folder) isn't always paid by the same one.
 */
async function interleave(times: number, ways: ReadonlyMap<string, Way>): Promise<Samples> {
  const samples: Samples = new Map([...ways.keys()].map((name) => [name, []]))
  const names = [...ways.keys()]
  for (let turn = -WARM_UP; turn < times; turn += 1)
    for (let at = 0; at < names.length; at += 1) {
      const place = turn % 2 === 0 ? at : names.length - 1 - at
      const name = names[(place + turn + names.length * WARM_UP) % names.length] ?? ''
      const run = ways.get(name)?.()
      const start = performance.now()
      await run?.()
      if (turn >= 0) samples.get(name)?.push(performance.now() - start)
    }
  return samples
}

const p50 = (samples: Samples, name: string): number => percentile(samples.get(name) ?? [], 0.5)
const shown = (samples: Samples): Record<string, unknown> =>
  Object.fromEntries(
    [...samples].map(([name, ms]) => [
      name,
      [0.1, 0.5, 0.9, 0.99].map((share) => rounded(percentile(ms, share))),
    ]),
  )

/** One record of 8,000 incompressible bytes, by each way. */
async function singleWrites(ours: Ours, folder: string, { writes }: Scale): Promise<Samples> {
  const floor = openFloor(folder)
  const direct = openDirect()
  const sqlite = openSqlite(folder)
  // SQLite skips pages that did not change: every write has bytes of its own
  const fresh =
    (write: (bytes: Buffer) => unknown): Way =>
    () => {
      const bytes = randomBytes(8_000)
      return () => write(bytes)
    }
  return interleave(
    writes,
    new Map([
      ['floor', fresh(floor)],
      ['bare replacement', fresh((bytes) => bareReplacement(recordPath(folder, 'bare'), bytes))],
      ['ours', fresh((bytes) => direct(recordPath(folder, 'direct'), bytes))],
      ['ours, by its thread', fresh((bytes) => ours.write(recordPath(folder, 'ours'), bytes))],
      ['write-file-atomic', fresh((bytes) => writeFileAtomic(recordPath(folder, 'rival'), bytes))],
      ...(sqlite === null ? [] : [['better-sqlite3', fresh((bytes) => sqlite('record', bytes))] as const]),
    ]),
  )
}

/** AT_ONCE files at the same time, by each way. */
function batches(ours: Ours, folder: string, scale: Scale): Promise<Samples> {
  const all =
    (write: (path: string, bytes: Buffer) => Promise<void>, kind: string): Way =>
    () => {
      const files = Array.from({ length: AT_ONCE }, () => randomBytes(8_000))
      return () => Promise.all(files.map((bytes, at) => write(recordPath(folder, `${kind}-${at}`), bytes)))
    }
  return interleave(
    scale.batches,
    new Map([
      ['ours', all(openDirect(), 'direct')],
      ['ours, by its thread', all((path, bytes) => ours.write(path, bytes), 'ours')],
      ['write-file-atomic', all(writeFileAtomic, 'rival')],
    ]),
  )
}

interface Throughput {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Transactions of so many players at once, each of whom waits for the last one before the next. */
async function transactions(ours: Ours, players: number, bytes: number, count: number): Promise<Throughput> {
  const latencies: number[] = []
  let begun = 0
  const one = async (player: number): Promise<void> => {
    while (begun < count) {
      begun += 1
      const value = notes(bytes, begun)
      const start = performance.now()
      await ours.change(benchPlayer(player), value)
      latencies.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: players }, (_, player) => one(player)))
  return {
    perSecond: rounded((latencies.length / (performance.now() - start)) * 1_000),
    p50: rounded(percentile(latencies, 0.5)),
    p99: rounded(percentile(latencies, 0.99)),
  }
}

/** CPU time of the main thread for each saved KB, µs: of a transaction, and of flying-squid's own save. */
async function mainThread(
  ours: Ours,
  folder: string,
  bytes: number,
  times: number,
): Promise<[number, number]> {
  const stat = new ThreadStat(MAIN_THREAD)
  const theirs = squidSave(folder, bytes)
  const cost = async (save: (turn: number) => Promise<void>): Promise<number> => {
    for (let turn = 0; turn < 5; turn += 1) await save(turn)
    const before = stat.read().cpuMs
    for (let turn = 0; turn < times; turn += 1) await save(turn)
    return ((stat.read().cpuMs - before) * 1_000) / times / (bytes / KB)
  }
  // made beforehand, as those of the other are; a committed value is frozen, so each is used once
  const values = Array.from({ length: times + 5 }, (_, turn) => notes(bytes, turn))
  return [await cost(() => ours.change(benchPlayer(0), values.pop() ?? [])), await cost(theirs)]
}

/** A transaction that changes all of 100 KB, from the store's door to the disk. */
function wholeTransactions(ours: Ours, folder: string, { writes }: Scale): Promise<Samples> {
  const floor = openFloor(folder)
  let turn = 0
  return interleave(
    writes,
    new Map<string, Way>([
      [
        'floor',
        () => {
          const bytes = randomBytes(8_000)
          return () => floor(bytes)
        },
      ],
      [
        'transaction of 100 KB',
        () => {
          const value = notes(SIZES.large, (turn += 1))
          return () => ours.change(benchPlayer(0), value)
        },
      ],
    ]),
  )
}

async function measure({ quick }: BenchOptions): Promise<BenchReport> {
  const scale = quick ? QUICK : FULL
  const folder = await mkdtemp(join(tmpdir(), 'bench-store-'))
  await mkdir(join(folder, 'playerdata'))
  const ours = await Ours.open(folder)
  try {
    const single = await singleWrites(ours, folder, scale)
    progress('single writes done')
    const batch = await batches(ours, folder, scale)
    progress('batches done')
    const throughput: Record<string, Throughput> = {}
    for (const [size, bytes] of Object.entries(SIZES))
      for (const players of PLAYERS)
        throughput[`${players} players, ${size}`] = await transactions(
          ours,
          players,
          bytes,
          scale.transactions,
        )
    progress('transactions done')
    const whole = await wholeTransactions(ours, folder, scale)
    const main = {
      small: await mainThread(ours, folder, SIZES.small, scale.writes),
      large: await mainThread(ours, folder, SIZES.large, scale.writes),
    }
    return report({ single, batch, throughput, whole, main })
  } finally {
    await ours.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function report(found: {
  single: Samples
  batch: Samples
  throughput: Record<string, Throughput>
  whole: Samples
  main: { small: [number, number]; large: [number, number] }
}): BenchReport {
  const { single, batch, whole, main } = found
  const toFloor = p50(single, 'ours') / p50(single, 'floor')
  const toAtomic = p50(single, 'ours') / p50(single, 'write-file-atomic')
  const files = p50(batch, 'write-file-atomic') / p50(batch, 'ours')
  const transaction = p50(whole, 'transaction of 100 KB')
  const share = ([ours, theirs]: [number, number]): number => ours / theirs
  return {
    name: 'bench:store',
    figures: {
      ...machine(),
      'bytes to durable, p10 / p50 / p90 / p99 ms': shown(single),
      [`${AT_ONCE} files at once, ms`]: shown(batch),
      transactions: found.throughput,
      'whole transaction, ms': shown(whole),
      'main thread, µs a KB (ours, flying-squid)': {
        small: main.small.map(rounded),
        large: main.large.map(rounded),
      },
    },
    ratios: {
      toFloor: rounded(toFloor),
      toWriteFileAtomic: rounded(toAtomic),
      throughputToWriteFileAtomic: rounded(files),
      mainThreadSmall: rounded(share(main.small)),
      mainThreadLarge: rounded(share(main.large)),
    },
    goals: [
      atMost('bytes to durable, times the floor', 3, toFloor),
      atMost('bytes to durable, times write-file-atomic', 0.6, toAtomic),
      atMost('write-file-atomic throughput, times ours', 1 / 1.6, 1 / files),
      atMost('whole transaction of 100 KB, ms', 3 * p50(whole, 'floor') + 2, transaction),
      atMost('main thread a KB (100 KB), times flying-squid', 0.1, share(main.large)),
    ],
  }
}

void runBench('bench:store', measure)
