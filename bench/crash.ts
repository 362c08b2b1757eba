/**
 * `npm run crash`: a real server under a load of transactions and item moves, killed with SIGKILL at random moments and at
 * every named point, again and again on the same data, and judged by readers that share no code with it. Also shows that
 * servers made wrong on purpose are caught. Method and results: RESULTS.md.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Dice } from './demo/dice.js'
import { VARIANTS, type Variant } from './crash/messages.js'
import { emptyRun, FAULT_POINTS, round, type CrashRun } from './crash/rounds.js'
import { atMost, machine, progress, type BenchReport } from './support/bench.js'

const USAGE = `usage: npm run crash -- [--rounds n] [--seed n] [--variant ${VARIANTS.join('|')}] [--quick] [--json]\n`
const ROUNDS = { full: 200, ci: 40, quick: 8 }
/** A server that is wrong on purpose must be caught within so many rounds. */
const CAUGHT_WITHIN = 40

interface Options {
  readonly rounds: number
  readonly seed: number
  /** One variant to be caught; null: the right server, then, unless it is a quick run, each variant. */
  readonly variant: Variant | null
  readonly withVariants: boolean
  readonly json: boolean
}

/** Runs rounds until all are done or something is wrong. */
async function play(parts: { rounds: number; seed: number; variant: Variant | null }): Promise<{
  run: CrashRun
  rounds: number
}> {
  const folder = await mkdtemp(join(tmpdir(), 'system-crash-'))
  const run = emptyRun({ folder, version: '1.21.4', dice: new Dice(parts.seed), variant: parts.variant })
  let rounds = 0
  try {
    while (rounds < parts.rounds && run.wrong.length === 0) {
      rounds += 1
      await round(run, rounds)
      if (rounds % 10 === 0) progress(`${parts.variant ?? 'rounds'}: ${rounds} of ${parts.rounds}`)
    }
    return { run, rounds }
  } finally {
    if (run.wrong.length === 0 || parts.variant !== null) await rm(folder, { recursive: true, force: true })
    else progress(`the data is kept in ${folder}`)
  }
}

async function measure({ rounds, seed, variant, withVariants }: Options): Promise<BenchReport> {
  const right = variant === null ? await play({ rounds, seed, variant }) : null
  for (const line of right?.run.wrong ?? []) progress(`wrong after round ${right?.rounds}: ${line}`)
  const caught = new Map<Variant, number>()
  for (const name of variant === null ? (withVariants ? VARIANTS : []) : [variant]) {
    const wrong = await play({ rounds: CAUGHT_WITHIN, seed, variant: name })
    caught.set(name, wrong.run.wrong.length === 0 ? Infinity : wrong.rounds)
    progress(`${name}: ${wrong.run.wrong[0] ?? 'not caught'} (round ${wrong.rounds})`)
  }
  const ends = Object.fromEntries(right?.run.ends ?? [])
  const missed = FAULT_POINTS.filter((point) => ends[point] === undefined)
  return {
    name: 'crash',
    figures: {
      ...machine(),
      seed,
      rounds: right?.rounds ?? 0,
      promises: right?.run.expectation.promises ?? 0,
      itemOperations: right?.run.expectation.operations ?? 0,
      cutOff: right?.run.expectation.cutOff ?? null,
      restores: right?.run.restores ?? null,
      ends,
      pointsNotReached: missed,
    },
    ratios: {},
    goals: [
      ...(right === null ? [] : [atMost('things that are wrong', 0, right.run.wrong.length)]),
      ...[...caught].map(([name, round]) => atMost(`${name} caught in round`, CAUGHT_WITHIN, round)),
    ],
  }
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seed: { type: 'string', default: '1' },
      variant: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const scale = values.quick ? 'quick' : process.env['CI'] === undefined ? 'full' : 'ci'
  const rounds = Number(values.rounds ?? ROUNDS[scale])
  const variant = VARIANTS.find((name) => name === values.variant) ?? null
  const isWrong =
    !Number.isInteger(rounds) || rounds < 1 || (values.variant !== undefined && variant === null)
  if (isWrong || !Number.isInteger(Number(values.seed))) throw new Error('no such option')
  return { rounds, seed: Number(values.seed), variant, withVariants: scale !== 'quick', json: values.json }
}

async function main(): Promise<void> {
  let options: Options
  try {
    options = readOptions()
  } catch {
    process.stderr.write(USAGE)
    process.exitCode = 2
    return
  }
  const report = await measure(options)
  if (!options.json) process.stdout.write(`${JSON.stringify(report.figures, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(report)}\n`)
  if (report.goals.some(({ met }) => !met)) process.exitCode = 1
}

main().then(
  () => process.exit(),
  (thrown: unknown) => {
    progress(
      `crash: the run broke: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
    )
    process.exit(1)
  },
)
