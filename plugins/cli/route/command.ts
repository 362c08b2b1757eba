import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../../lib/core/json.js'
import {
  trainRouting,
  type LabeledText,
  type LinearRouting,
  type RoutingReport,
} from '../../../lib/lexical/linear/index.js'
import { EXIT, UsageError } from '../tool.js'

export const ROUTE_HELP = `flying-squid-system route --train <file> [--queries <file> [--out <file>]] [options]

Trains the lexical router on sentences with labels and asks it. Files hold JSON lines: { "text", "label" } to learn from,
{ "text" } to ask; the answers are { "text", "label", "confidence", "accepted" }. A label of null, or the one that --foreign
names, stands for what no label answers. Exit status: 0 done, 1 a file can't be used, 2 wrong usage.

  --train <file>      sentences to learn from
  --queries <file>    sentences to ask
  --out <file>        where the answers go (standard output)
  --report            how each label fares with sentences that the router hasn't seen, and what is confused with what
  --precision <p>     share of right answers among those accepted, 0 to 1 (0.98)
  --foreign <label>   the label of what no label answers (oos)
  --json              the report as one JSON document
  --help              this text`

const lineSchema = z.object({ text: z.string().max(10_000), label: z.string().nullish() })

/** Runs the command; resolves with its exit status. Throws a `UsageError`. */
export async function routeCommand(words: readonly string[]): Promise<number> {
  const { train, queries, out, report, precision, foreign, json, help } = parse(words)
  if (help) {
    console.log(ROUTE_HELP)
    return EXIT.fine
  }
  const target = Number(precision)
  if (train === undefined) throw new UsageError('route needs --train')
  if (queries === undefined && !report) throw new UsageError('route needs --queries or --report')
  if (!(target > 0 && target <= 1)) throw new UsageError(`not a precision: ${precision}`)
  const examples = await readLines(train)
  const asked = queries === undefined ? [] : await readLines(queries)
  if (examples === null || asked === null) return EXIT.finding
  const texts = examples.map(({ text, label }): LabeledText => ({
    text,
    label: label === foreign ? null : (label ?? null),
  }))
  if (texts.every(({ label }) => label === null)) {
    console.error(`${train}: no sentence has a label`)
    return EXIT.finding
  }
  const routing = trained(texts, target)
  if (queries !== undefined) await answer(routing, asked, out)
  if (report) console.log(json ? JSON.stringify(routing.report) : readable(routing.report))
  return EXIT.fine
}

function parse(words: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        train: text,
        queries: text,
        out: text,
        precision: { ...text, default: '0.98' },
        foreign: { ...text, default: 'oos' },
        report: flag,
        json: flag,
        help: flag,
      },
    })
    return values
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : 'wrong arguments')
  }
}

function trained(texts: readonly LabeledText[], targetPrecision: number): LinearRouting {
  const pieces = trainRouting(texts, targetPrecision)
  // nobody waits for anything else here
  for (;;) {
    const piece = pieces.next()
    if (piece.done === true) return piece.value
  }
}

type Line = z.infer<typeof lineSchema>

/** Null, said on standard error: the file can't be read, or a line of it isn't as it should be. */
async function readLines(file: string): Promise<readonly Line[] | null> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    console.error(`${file} can't be read`)
    return null
  }
  const lines: Line[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const read = lineSchema.safeParse(parseJson(line))
    if (!read.success) {
      console.error(`${file}:${at + 1} is no { "text", "label" }`)
      return null
    }
    lines.push(read.data)
  }
  return lines
}

async function answer(
  routing: LinearRouting,
  asked: readonly Line[],
  out: string | undefined,
): Promise<void> {
  const lines = asked.map(({ text }) => {
    const { label, confidence, isAccepted } = routing.route(text)
    return `${JSON.stringify({ text, label, confidence, accepted: isAccepted })}\n`
  })
  if (out === undefined) process.stdout.write(lines.join(''))
  else await writeFile(out, lines.join(''))
}

function readable({ targetPrecision, margin, labels, confusions }: RoutingReport): string {
  const share = (part: number, of: number): string => (of === 0 ? '-' : `${Math.round((100 * part) / of)} %`)
  const width = Math.max(5, ...labels.map(({ label }) => label.length))
  const limit = margin > 1 ? 'never: too little evidence' : `from a confidence of ${margin.toFixed(3)} on`
  return [
    `accepted ${limit}, for ${targetPrecision} of right answers`,
    `${'label'.padEnd(width)}  examples  coverage  precision`,
    ...labels.map(({ label, examples, right, wrong }) =>
      [
        label.padEnd(width),
        String(examples).padStart(8),
        share(right, examples).padStart(8),
        share(right, right + wrong).padStart(9),
      ].join('  '),
    ),
    ...confusions.map(
      ({ label, takenFor, count, example }) =>
        `${label ?? 'nothing'} taken for ${takenFor}: ${count}, such as ${JSON.stringify(example)}`,
    ),
  ].join('\n')
}
