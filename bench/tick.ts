/** `npm run bench:tick`: what the plugin does to the ticks of flying-squid. Method and results: RESULTS.md. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { CONFIG_SCHEMAS } from '../lib/config/index.js'
import { atMost, machine, progress, runBench, type BenchOptions, type BenchReport } from './support/bench.js'
import { BenchChild } from './support/child.js'
import { measuredSchema, readySchema, SETUPS, type Measured, type Setup } from './support/server-messages.js'
import { mean, median, percentile, rounded, sum } from './support/statistics.js'
import { busyJitterMs, cpuPerTickMs, rawJitterMs, selfJitterMs, TICK_MS } from './support/tick-meter.js'

const VERSION = '1.21.4'
const PLAYERS = 20
/** As a vanilla client that walks. */
const MOVES_PER_SECOND = 20
const REQUESTS = 16
const SENTENCES_PER_SECOND = 200
const LATE_TICK_MS = 60
/** One reply of the provider: 60 pieces in 1.5 s, give or take 40 %. */
const REPLY = { chunks: 60, chunkMs: 25 }

interface Scale {
  readonly rounds: number
  /** No further round begins that would end after this, if it took as long as the one before. */
  readonly limitMs: number
  readonly ticks: number
  readonly joinGapMs: number
  /** From the last join to the window. Code that ran a few times only is interpreted: a server that is up is not. */
  readonly settleMs: number
}
const FULL: Scale = { rounds: 5, limitMs: Infinity, ticks: 200, joinGapMs: 150, settleMs: 12_000 }
const QUICK: Scale = { rounds: 2, limitMs: 40_000, ticks: 50, joinGapMs: 20, settleMs: 500 }

/** One run of one set-up. */
interface Run extends Measured {
  readonly restMb: number
}
type Round = Readonly<Record<Setup, Run>>

interface Place {
  readonly configFolder: string
  readonly providerUrl: string
  readonly scale: Scale
}

/** A fresh server and fresh players, one window, and both processes ended. */
async function run(setup: Setup, { configFolder, providerUrl, scale }: Place): Promise<Run> {
  const server = new BenchChild('server-process', {
    argument: {
      setup,
      version: VERSION,
      players: PLAYERS,
      configFolder,
      providerUrl,
      sentencesPerSecond: SENTENCES_PER_SECOND,
    },
    execArgv: ['--expose-gc'],
  })
  let clients: BenchChild | null = null
  try {
    const { port, restMb } = await server.next('ready', readySchema)
    clients = new BenchChild('clients-process', {
      argument: {
        port,
        version: VERSION,
        count: PLAYERS,
        movesPerSecond: MOVES_PER_SECOND,
        joinGapMs: scale.joinGapMs,
      },
    })
    await clients.next('joined', z.unknown())
    if (setup === 'active') {
      const loaded = server.next('loaded', z.unknown())
      server.send({ kind: 'load', requests: REQUESTS })
      clients.send({ kind: 'ask', count: REQUESTS })
      await loaded
    }
    await delay(scale.settleMs)
    const measured = server.next('measured', measuredSchema)
    server.send({ kind: 'measure', ticks: scale.ticks })
    return { ...(await measured), restMb }
  } finally {
    await clients?.end()
    await server.end()
  }
}

/** All set-ups once; each round begins with another one, so that none always has the warmest machine. */
async function round(number: number, place: Place): Promise<Round> {
  const order = SETUPS.map((_, index) => SETUPS[(index + number) % SETUPS.length] ?? 'bare')
  const runs = new Map<Setup, Run>()
  for (const setup of order) {
    const measured = await run(setup, place)
    runs.set(setup, measured)
    progress(
      `round ${number + 1} ${setup}: self-caused p99 ${rounded(percentile(selfJitters(measured), 0.99))} ms, ` +
        `CPU ${rounded(cpuPerTick(measured))} ms a tick, ${Math.round(measured.loadedMb)} MB, ` +
        `worst ${JSON.stringify(worst(measured))}`,
    )
  }
  const of = (setup: Setup): Run => {
    const found = runs.get(setup)
    if (found === undefined) throw new Error(`no run of ${setup}`)
    return found
  }
  return { bare: of('bare'), idle: of('idle'), active: of('active') }
}

/** The tick that was latest by the process's own doing, to tell a long computation from a wait of another kind. */
const worst = ({ ticks }: Run): unknown => {
  const tick = ticks.toSorted((a, b) => selfJitterMs(b) - selfJitterMs(a))[0]
  return tick && Object.fromEntries(Object.entries(tick).map(([key, value]) => [key, rounded(value)]))
}
const selfJitters = ({ ticks }: Run): number[] => ticks.map(selfJitterMs)
const cpuPerTick = ({ ticks }: Run): number => cpuPerTickMs(ticks)
/** Ticks that came more than 60 ms after the one before, by the process's own doing. */
const lateTicks = (run: Run): number => selfJitters(run).filter((ms) => ms + TICK_MS > LATE_TICK_MS).length

const three = (samples: readonly number[]) => ({
  p50: rounded(percentile(samples, 0.5)),
  p99: rounded(percentile(samples, 0.99)),
  max: rounded(Math.max(...samples)),
})

/** Medians over the rounds of what each run of the set-up showed. */
function setupFigures(rounds: readonly Round[], setup: Setup): Readonly<Record<string, unknown>> {
  const runs = rounds.map((round) => round[setup])
  const over = (figure: (run: Run) => number): number => rounded(median(runs.map(figure)))
  const jitter = (samples: (run: Run) => number[]) => ({
    p50: over((run) => percentile(samples(run), 0.5)),
    p99: over((run) => percentile(samples(run), 0.99)),
    max: over((run) => Math.max(...samples(run))),
  })
  return {
    selfJitterMs: jitter(selfJitters),
    busyJitterMs: jitter(({ ticks }) => ticks.map(busyJitterMs)),
    rawJitterMs: jitter(({ ticks }) => ticks.map(rawJitterMs)),
    ticksOver60: sum(runs.map(lateTicks)),
    rawTicksOver60: sum(runs.map(({ ticks }) => ticks.filter(({ gapMs }) => gapMs > LATE_TICK_MS).length)),
    mainCpuPerTickMs: over(cpuPerTick),
    mainWaitPerTickMs: over(({ ticks }) => mean(ticks.map(({ waitMs }) => waitMs))),
    rssMb: { atRest: over(({ restMb }) => restMb), withPlayers: over(({ loadedMb }) => loadedMb) },
  }
}

/** What only the working plugin has, all rounds together. */
function workFigures(rounds: readonly Round[]) {
  const runs = rounds.map(({ active }) => active)
  const seconds = sum(runs.map((run) => run.seconds))
  const sentences = runs.flatMap((run) => run.sentences.latenciesMs)
  const tools = runs.flatMap((run) => run.tools)
  const requests = runs.flatMap((run) => run.requests)
  if (sentences.length === 0 || tools.length === 0) throw new Error('no sentence or no tool call was seen')
  return {
    requests: { mean: rounded(mean(requests)), min: Math.min(...requests) },
    sentences: {
      perSecond: rounded(sum(runs.map((run) => run.sentences.routed)) / seconds),
      routedLocally: rounded(sum(runs.map((run) => run.sentences.local)) / sentences.length),
      latencyMs: three(sentences),
    },
    tools: {
      calls: tools.length,
      waitedForATick: sum(runs.map((run) => run.toolsInTick)),
      roundTripMs: three(tools.map(({ ms, waitMs }) => Math.max(0, ms - waitMs))),
      rawRoundTripMs: three(tools.map(({ ms }) => ms)),
    },
  }
}

function report(rounds: readonly Round[], options: BenchOptions): BenchReport {
  const pairs = (figure: (run: Run) => number, setup: Setup): number =>
    median(rounds.map((round) => figure(round[setup]) - figure(round.bare)))
  const p99 = (run: Run): number => percentile(selfJitters(run), 0.99)
  const busyP99 = ({ ticks }: Run): number => percentile(ticks.map(busyJitterMs), 0.99)
  const isExact = rounds.every((round) => SETUPS.every((setup) => round[setup].isExact))
  const work = workFigures(rounds)
  const ratio = (figure: (run: Run) => number, setup: Setup): number =>
    rounded(median(rounds.map((round) => figure(round[setup]) / figure(round.bare))))
  return {
    name: 'bench:tick',
    figures: {
      ...machine(),
      quick: options.quick,
      correctedForWaiting: isExact,
      rounds: rounds.length,
      ticksPerRun: rounds[0]?.bare.ticks.length ?? 0,
      bare: setupFigures(rounds, 'bare'),
      idle: setupFigures(rounds, 'idle'),
      active: setupFigures(rounds, 'active'),
      ...work,
      overBare: {
        idleP99Ms: rounded(pairs(p99, 'idle')),
        idleBusyP99Ms: rounded(pairs(busyP99, 'idle')),
        activeBusyP99Ms: rounded(pairs(busyP99, 'active')),
        idleCpuPerTickMs: rounded(pairs(cpuPerTick, 'idle')),
        allGroupsRestMb: rounded(pairs(({ restMb }) => restMb, 'active')),
        activeLoadedMb: rounded(pairs(({ loadedMb }) => loadedMb, 'active')),
      },
    },
    ratios: {
      activeP99ToBare: ratio(p99, 'active'),
      idleP99ToBare: ratio(p99, 'idle'),
      activeCpuToBare: ratio(cpuPerTick, 'active'),
      idleCpuToBare: ratio(cpuPerTick, 'idle'),
    },
    goals: [
      atMost('jitter p99 of active above bare, ms', 1, pairs(p99, 'active')),
      atMost('ticks over 60 ms of active beyond those of bare', 0, pairs(lateTicks, 'active')),
      atMost('main-thread CPU of active above bare, ms a tick', 2, pairs(cpuPerTick, 'active')),
      atMost('tool round trip p50, ms', 1, work.tools.roundTripMs.p50),
      atMost(
        'idle plugin above bare, MB resident',
        60,
        pairs(({ restMb }) => restMb, 'idle'),
      ),
    ],
  }
}

async function allRounds(place: Place): Promise<readonly Round[]> {
  const { rounds: wanted, limitMs } = place.scale
  const rounds: Round[] = []
  const start = performance.now()
  let tookMs = 0
  while (rounds.length < wanted && performance.now() - start + tookMs <= limitMs) {
    const begin = performance.now()
    rounds.push(await round(rounds.length, place))
    tookMs = performance.now() - begin
  }
  return rounds
}

async function measure(options: BenchOptions): Promise<BenchReport> {
  const scale = options.quick ? QUICK : FULL
  const configFolder = await mkdtemp(join(tmpdir(), 'bench-tick-'))
  const provider = new BenchChild('provider-process', { argument: REPLY })
  try {
    for (const name of Object.keys(CONFIG_SCHEMAS))
      await writeFile(join(configFolder, `${name}.json`), '{"version":1}\n')
    const { url } = await provider.next('ready', z.looseObject({ url: z.string() }))
    return report(await allRounds({ configFolder, providerUrl: url, scale }), options)
  } finally {
    await provider.end()
    await rm(configFolder, { recursive: true, force: true })
  }
}

void runBench('bench:tick', measure)
