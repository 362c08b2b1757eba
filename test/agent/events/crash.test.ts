/**
 * Killed between a write step and the end of an event task, at random and at each named point: each effect exists exactly
 * once, the task ends after the restart with its original deadline, one whose rule was withdrawn doesn't run.
 * `SYSTEM_CRASH_ROUNDS=100 TAP_TIMEOUT=400` makes more of it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { z } from 'zod'
import type { StepPoint } from '../../../lib/agent/index.js'
import { Dice } from '../../../bench/demo/dice.js'
import { startChild } from '../../support/child.js'
import { temporaryFolder } from '../../support/system.js'

const FIXTURE = fileURLToPath(new URL('../../fixtures/event-process.js', import.meta.url))
const ROUNDS = Number(process.env['SYSTEM_CRASH_ROUNDS'] ?? 14)
const TTL_MS = 60_000

const ENDS: readonly { readonly point: StepPoint | null; readonly hit: number }[] = [
  { point: 'step.committed', hit: 1 },
  { point: null, hit: 1 },
  { point: 'step.committing', hit: 2 },
  { point: 'task.ending', hit: 1 },
  { point: null, hit: 1 },
  { point: 'step.committed', hit: 2 },
  { point: 'task.ended', hit: 1 },
  { point: 'task.queued', hit: 1 },
  { point: null, hit: 1 },
  { point: 'task.running', hit: 1 },
  { point: 'step.committing', hit: 1 },
]

const reportSchema = z.object({
  effects: z.record(z.string(), z.int()),
  tasks: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      createdAt: z.int(),
      deadline: z.int(),
      over: z.int(),
    }),
  ),
  problems: z.array(z.string()),
})
type Report = z.infer<typeof reportSchema>

/** What the processes so far have shown of their tasks. */
interface Known {
  readonly deadlines: Map<string, number>
  /** Tasks that were open when a process had no rule for them. */
  readonly withdrawn: Set<string>
  readonly ends: Map<string, number>
  resumed: number
}

function judge(t: Test, report: Report, { known, isWithdrawn }: { known: Known; isWithdrawn: boolean }) {
  for (const { id, state, createdAt, deadline, over } of report.tasks) {
    const made = ['first', 'second'].map((step) => report.effects[`${id} ${step}`] ?? 0)
    const isNew = !known.deadlines.has(id)
    known.deadlines.set(id, known.deadlines.get(id) ?? deadline)
    if (deadline !== createdAt + TTL_MS || deadline !== known.deadlines.get(id))
      t.fail(`task ${id} has another deadline`)
    if (over === 0) t.fail(`task ${id} is ${state} still`)
    if (isNew && state === 'FAILED') known.withdrawn.add(id)
    const isRight =
      state === 'DONE'
        ? made.every((times) => times === 1)
        : known.withdrawn.has(id) && made.every((times) => times <= 1)
    if (!isRight) t.fail(`task ${id} is ${state}: ${made.join(' and ')}; ${report.problems.join('; ')}`)
    if (isNew && state === 'FAILED' && !isWithdrawn)
      t.fail(`task ${id} has failed; ${report.problems.join('; ')}`)
    if (isNew) known.resumed++
  }
}

void t.test(
  `${ROUNDS} processes, killed one after the other`,
  { timeout: 60_000 + ROUNDS * 5_000 },
  async (t) => {
    const folder = await temporaryFolder(t)
    const dice = new Dice(1)
    const known: Known = { deadlines: new Map(), withdrawn: new Set(), ends: new Map(), resumed: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const { point, hit } = ENDS[round % ENDS.length] ?? { point: null, hit: 1 }
      const isWithdrawn = round % 5 === 4
      // a process that ends while it resumes says nothing; the next one has to
      const early = !isWithdrawn && round % 7 === 6
      const argument = { point, hit, early, withdrawn: isWithdrawn, pauseMs: dice.roll(8) }
      const child = startChild(t, FIXTURE, { args: [folder, JSON.stringify(argument)], cwd: folder })
      const isSubmitting = await child.line(/"submitting"/).then(
        () => true,
        () => false,
      )
      if (isSubmitting && point === null) {
        await delay(dice.roll(60))
        child.process.kill('SIGKILL')
      }
      t.equal(await child.ended, 'SIGKILL', `round ${round}`)
      const line = child.lines.find((text) => text.includes('"report"'))
      if (line !== undefined) judge(t, reportSchema.parse(JSON.parse(line)), { known, isWithdrawn })
      else if (!early) t.fail(`no report: ${child.lines.join('\n')}`)
      known.ends.set(point ?? 'random', (known.ends.get(point ?? 'random') ?? 0) + 1)
    }
    t.comment(
      JSON.stringify({
        ends: Object.fromEntries(known.ends),
        tasks: known.resumed,
        withdrawn: known.withdrawn.size,
      }),
    )
    t.ok(known.resumed >= ROUNDS / 2, 'tasks were found again')
    if (ROUNDS > 10) t.ok(known.withdrawn.size > 0, 'some had lost their rule')
  },
)
