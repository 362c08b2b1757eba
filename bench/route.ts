/** `npm run bench:route`: how well the trained router does on public collections, next to others. Results: RESULTS.md. */
import { performance, PerformanceObserver } from 'node:perf_hooks'
import type { LabeledText, LinearRouting } from '../lib/lexical/linear/index.js'
import { collections, COLLECTIONS, type Collection } from './route/data.js'
import { ours, rivals } from './route/routers.js'
import { atMost, machine, progress, runBench, type BenchOptions, type BenchReport } from './support/bench.js'
import { percentile, rounded } from './support/statistics.js'

/** Of CLINC150's test part. */
const FOREIGN_SHARE = 1_000 / 5_500
const LEAST_IN_SCOPE = 0.92
const GARBAGE_QUERIES = 200

const share = (part: number, of: number): number => rounded(of === 0 ? 0 : part / of)
const isForeign = ({ label }: LabeledText): boolean => label === null

/** Right labels of the sentences that have one; nothing is rejected but as foreign. */
const accuracy = (asked: readonly LabeledText[], label: (text: string) => string | null): number => {
  const own = asked.filter((text) => !isForeign(text))
  return share(own.filter((text) => label(text.text) === text.label).length, own.length)
}

interface Silence {
  readonly precision: number
  readonly coverage: number
  /** Foreign sentences that are found out, at the limit at which so many of the others are still right. */
  readonly foreignRecall: number
}

/** What is accepted by the margin that the examples gave; foreign sentences weigh as much as they do in the test part. */
function silence(routing: LinearRouting, asked: readonly LabeledText[]): Silence {
  const routes = asked.map((text) => ({ text, ...routing.route(text.text) }))
  const [foreign, own] = [
    routes.filter(({ text }) => isForeign(text)),
    routes.filter(({ text }) => !isForeign(text)),
  ]
  const weight = ((FOREIGN_SHARE / (1 - FOREIGN_SHARE)) * own.length) / Math.max(1, foreign.length)
  const accepted = own.filter(({ isAccepted }) => isAccepted)
  const right = accepted.filter(({ label, text }) => label === text.label).length
  const wrongly = foreign.filter(({ isAccepted }) => isAccepted).length * weight
  let foreignRecall = 0
  for (let limit = 0; limit < 1; limit += 0.01) {
    const kept = own.filter(({ label, text, confidence }) => label === text.label && confidence >= limit)
    if (kept.length / own.length < LEAST_IN_SCOPE) break
    const found = foreign.filter(({ label, confidence }) => label === null || confidence < limit)
    foreignRecall = Math.max(foreignRecall, found.length / Math.max(1, foreign.length))
  }
  return {
    precision: share(right, accepted.length + wrongly),
    coverage: share(accepted.length, own.length),
    foreignRecall: rounded(foreignRecall),
  }
}

interface Speed {
  readonly trainMs: number
  readonly p50: number
  readonly p99: number
}

function timed<R>(
  train: () => R,
  asked: readonly LabeledText[],
  ask: (router: R, text: string) => unknown,
): Speed & { readonly router: R } {
  const start = performance.now()
  const router = train()
  const trainMs = rounded(performance.now() - start)
  const times = asked.map(({ text }) => {
    const begun = performance.now()
    ask(router, text)
    return performance.now() - begun
  })
  return { router, trainMs, p50: rounded(percentile(times, 0.5)), p99: rounded(percentile(times, 0.99)) }
}

/** Bytes of garbage that a question leaves, of runs in which nothing was collected. */
async function garbage(routing: LinearRouting, asked: readonly LabeledText[]): Promise<number> {
  const texts = asked.slice(0, GARBAGE_QUERIES)
  const found: number[] = []
  let collections = 0
  const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))
  observer.observe({ entryTypes: ['gc'] })
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const [before, collected] = [process.memoryUsage().heapUsed, collections]
    for (const { text } of texts) routing.route(text)
    const grown = process.memoryUsage().heapUsed - before
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (collections === collected && grown > 0) found.push(grown / texts.length)
  }
  observer.disconnect()
  return found.length === 0 ? Number.NaN : percentile(found, 0.5)
}

interface Row extends Speed {
  readonly accuracy: number
}

/** Every router on one collection. */
function compare({ name, train, asked }: Collection): {
  readonly rows: Record<string, Row>
  readonly own: LinearRouting
} {
  const { router, ...speed } = timed(
    () => ours(train),
    asked,
    (routing, text) => routing.route(text),
  )
  const rows: Record<string, Row> = {
    ours: { accuracy: accuracy(asked, (text) => router.route(text).label), ...speed },
  }
  for (const [rival, trainer] of rivals()) {
    const { router: other, ...other_speed } = timed(
      () => trainer(train),
      asked,
      (one, text) => one.label(text),
    )
    rows[rival] = { accuracy: accuracy(asked, (text) => other.label(text)), ...other_speed }
  }
  progress(`${name} done`)
  return { rows, own: router }
}

async function measure({ quick }: BenchOptions): Promise<BenchReport> {
  if (COLLECTIONS === null) {
    progress(
      'no collections of sentences beside the repository (../shared/data/benchmarks/intent): nothing is measured',
    )
    return { name: 'bench:route', figures: machine(), ratios: {}, goals: [] }
  }
  const { clinc, few, usual, others } = await collections()
  const small = compare(few)
  const figures: Record<string, unknown> = {
    ...machine(),
    [few.name]: small.rows,
    [usual.name]: compare(usual).rows,
  }
  const goals = [
    ...others.flatMap((collection) => {
      const { rows } = compare(collection)
      figures[collection.name] = rows
      const wanted = GOALS.get(collection.name) ?? 0
      return [
        atMost(`${collection.name}: wrong labels`, rounded(1 - wanted), 1 - (rows['ours']?.accuracy ?? 0)),
      ]
    }),
    atMost(`${few.name}: wrong labels`, 0.28, 1 - (small.rows['ours']?.accuracy ?? 0)),
  ]
  if (quick) return { name: 'bench:route', figures, ratios: {}, goals }
  const { rows, own } = compare(clinc)
  const silent = silence(own, clinc.asked)
  const bytes = await garbage(own, clinc.asked)
  const { accuracy: right = 0, p50 = 0, p99 = 0, trainMs = 0 } = rows['ours'] ?? {}
  const usualMs = (figures[usual.name] as Record<string, Row>)['ours']?.trainMs ?? 0
  return {
    name: 'bench:route',
    figures: {
      ...figures,
      [clinc.name]: rows,
      'clinc150, by the margin of its examples': silent,
      'garbage a question, bytes': Math.round(bytes),
      'model, bytes': own.byteLength,
    },
    ratios: { 'time of a question, to naive Bayes': rounded(p50 / (rows['naive Bayes']?.p50 ?? 1)) },
    goals: [
      ...goals,
      atMost('clinc150: wrong labels', 0.075, 1 - right),
      atMost('clinc150: not right among accepted', 0.025, 1 - silent.precision),
      atMost('clinc150: not accepted', 0.22, 1 - silent.coverage),
      atMost(`clinc150: foreign not found, at ${LEAST_IN_SCOPE} in scope`, 0.35, 1 - silent.foreignRecall),
      atMost('a question, p50 ms', 0.3, p50),
      atMost('a question, p99 ms', 1, p99),
      atMost('garbage a question, bytes', 4_096, bytes),
      atMost('model, bytes', 10_000_000, own.byteLength),
      atMost('training with its margin, 15,000 sentences, ms', 30_000, trainMs),
      atMost('training with its margin, 150 labels of 20, ms', 2_000, usualMs),
    ],
  }
}

/** Accuracies that are wanted. */
const GOALS: ReadonlyMap<string, number> = new Map([
  ['banking77', 0.915],
  ['hwu64', 0.88],
  ['zh_smp2019', 0.93],
  ['zh_smp2020', 0.93],
])

void runBench('bench:route', measure)
