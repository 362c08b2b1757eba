import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { z } from 'zod'
import { rounded } from './statistics.js'

/** What every bench understands. */
export interface BenchOptions {
  /** At most 45 s on two cores: fewer and shorter rounds, fit to find a broken bench or a gross regression. */
  readonly quick: boolean
  /** Nothing on standard output but the document. */
  readonly json: boolean
}

/** A limit, and what was measured against it. */
export interface Goal {
  readonly what: string
  /** The highest value that meets the goal. */
  readonly goal: number
  readonly measured: number
  readonly met: boolean
}

/** What a bench found; the last line that it prints is this as JSON. */
export interface BenchReport {
  readonly name: string
  readonly figures: Readonly<Record<string, unknown>>
  /** Of things measured in the same run, interleaved. */
  readonly ratios: Readonly<Record<string, number>>
  readonly goals: readonly Goal[]
}

/** A goal of the kind "not above". A figure that could not be measured doesn't meet it. */
export function atMost(what: string, goal: number, measured: number): Goal {
  return { what, goal, measured: rounded(measured), met: measured <= goal }
}

/** One line about what is going on; standard output belongs to the result. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** One JSON value from the command line of a child process of a bench. */
export function childArgument<T>(schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(process.argv[2] ?? 'null'))
}

/**
 * A bench's main program: reads the command line, measures, prints a readable report and the document. Ends with 0
 * also when a goal isn't met, with 1 when the run broke, with 2 when it was called wrongly.
 */
export async function runBench(
  name: string,
  measure: (options: BenchOptions) => Promise<BenchReport>,
): Promise<void> {
  const options = readOptions(name)
  try {
    const report = await measure(options)
    if (!options.json) process.stdout.write(readable(report))
    process.stdout.write(`${JSON.stringify(report)}\n`)
  } catch (thrown) {
    progress(
      `${name}: the run broke: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
    )
    process.exitCode = 1
  }
}

function readOptions(name: string): BenchOptions {
  const usage = `usage: npm run ${name} -- [--quick] [--json]\n`
  try {
    const flag = { type: 'boolean', default: false } as const
    const { values } = parseArgs({ options: { quick: flag, json: flag, help: flag } })
    if (values.help) exitWith(0, usage)
    return { quick: values.quick, json: values.json }
  } catch (thrown) {
    return exitWith(2, `${thrown instanceof Error ? thrown.message : String(thrown)}\n${usage}`)
  }
}

function exitWith(status: number, text: string): never {
  process[status === 0 ? 'stdout' : 'stderr'].write(text)
  process.exit(status)
}

function readable({ name, figures, ratios, goals }: BenchReport): string {
  const rows = (table: Readonly<Record<string, unknown>>): string[] =>
    Object.entries(table).map(([key, value]) => `  ${key.padEnd(34)} ${JSON.stringify(value)}`)
  const verdicts = goals.map(
    ({ what, goal, measured, met }) => `  ${met ? 'met    ' : 'NOT MET'} ${what}: ${measured} (goal ${goal})`,
  )
  return [name, ...rows(figures), 'ratios', ...rows(ratios), 'goals', ...verdicts, ''].join('\n')
}

/** What the figures depend on beside the code. */
export function machine(): Readonly<Record<string, unknown>> {
  return { node: process.version, platform: process.platform, load: loadavg().map(rounded) }
}
