/**
 * `npm run crash:commerce`: real clients buy, draw and claim on a real server, which is killed by SIGKILL at random moments and at
 * every named point. Every offer gives as much as it takes, so each player is worth the same after each of its lives, counted
 * from the files by readers that share no code with the product. Results: RESULTS.md.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Dice } from './demo/dice.js'
import { MARKET_POINTS, marketRound, writePack, type MarketRun } from './crash/market-rounds.js'
import { atMost, machine, progress, type BenchReport } from './support/bench.js'

const ROUNDS = { full: 200, quick: 8 }
/** A server that is wrong on purpose (`--wrong`) must be caught within so many rounds. */
const CAUGHT_WITHIN = 40

interface Options {
  readonly rounds: number
  readonly seed: number
  readonly isWrong: boolean
}

async function measure({ rounds, seed, isWrong }: Options): Promise<BenchReport> {
  const folder = await mkdtemp(join(tmpdir(), 'system-market-'))
  const run: MarketRun = {
    folder,
    version: '1.21.4',
    isWrong,
    dice: new Dice(seed),
    wrong: [],
    ends: new Map(),
    states: new Map(),
    paid: new Set(),
    presses: 0,
  }
  await writePack(folder)
  let round = 0
  while (round < rounds && run.wrong.length === 0) {
    round += 1
    await marketRound(run, round)
    if (round % 10 === 0) progress(`round ${round} of ${rounds}, ${run.presses} presses`)
  }
  for (const line of run.wrong) progress(`wrong: ${line}`)
  if (run.wrong.length === 0 || isWrong) await rm(folder, { recursive: true, force: true })
  else progress(`the data is kept in ${folder}`)
  const ends = Object.fromEntries(run.ends)
  return {
    name: 'crash:commerce',
    figures: {
      ...machine(),
      seed,
      rounds: round,
      presses: run.presses,
      ends,
      states: Object.fromEntries(run.states),
      pointsNotReached: MARKET_POINTS.filter((point) => ends[point] === undefined),
    },
    ratios: {},
    goals: isWrong
      ? [atMost('rounds until it was caught', CAUGHT_WITHIN, run.wrong.length === 0 ? Infinity : round)]
      : [atMost('things that are wrong', 0, run.wrong.length)],
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seed: { type: 'string', default: '1' },
      quick: { type: 'boolean', default: false },
      wrong: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const rounds = Number(values.rounds ?? (values.quick ? ROUNDS.quick : ROUNDS.full))
  const report = await measure({ rounds, seed: Number(values.seed), isWrong: values.wrong })
  if (!values.json) process.stdout.write(`${JSON.stringify(report.figures, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(report)}\n`)
  if (report.goals.some(({ met }) => !met)) process.exitCode = 1
}

main().then(
  () => process.exit(),
  (thrown: unknown) => {
    progress(
      `crash:commerce broke: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
    )
    process.exit(1)
  },
)
