/** One operation of each kind, ended at each of its steps, with each outcome of each save and commit. */
import t from 'tap'
import { PLAYER, Process, type Fate, KIND, type Disk } from './world.js'
import { claim, comeToRest, grant, judge, Ledger, order, stack } from './judge.js'

type Scenario = (process: Process, ledger: Ledger) => Promise<void>
interface Case {
  readonly name: string
  readonly filled?: number
  readonly prepare?: (disk: Disk) => void
  /** What happens in the world at a step. */
  readonly meanwhile?: Fate['step']
  readonly play: Scenario
}

/** Fills every free slot of the player with something else. */
function crowd(process: Process): void {
  const { player } = process
  if (player === null) return
  const free = player.slots().flatMap((one, slot) => (slot >= 9 && slot <= 44 && one === null ? [slot] : []))
  player.change(free.map((slot) => ({ slot, stack: stack('minecraft:dirt', 64) })))
}

const crowdAt =
  (point: string): Fate['step'] =>
  (process, at) => {
    if (at === point) crowd(process)
  }
const leaveAt =
  (point: string): Fate['step'] =>
  (process, at) => {
    if (at === point) void process.logout()
  }
const rejoinAt =
  (point: string): Fate['step'] =>
  (process, at) => {
    if (at === point) void process.logout().then(() => process.login())
  }
const autosaveAt =
  (point: string): Fate['step'] =>
  (process, at) => {
    if (at === point) void process.player?.save()
  }

const giveTen: Scenario = (process, ledger) => grant(process, ledger, { id: 'g', size: 10, xp: 5 })
const payTen: Scenario = (process, ledger) =>
  order(process, ledger, { id: 'o', price: 70, priceXp: 3, size: 5 })
const payOutside: Scenario = (process, ledger) =>
  order(process, ledger, { id: 'o', price: 70, size: 5, external: true })

const CASES: readonly Case[] = [
  { name: 'a give', play: giveTen },
  { name: 'a give of which some fits', filled: 33, play: (p, l) => grant(p, l, { id: 'g', size: 100 }) },
  { name: 'a give into an inventory that fills up', play: giveTen, meanwhile: crowdAt('save.done') },
  { name: 'a give with an autosave', play: giveTen, meanwhile: autosaveAt('save.begin') },
  { name: 'a give with an autosave before', play: giveTen, meanwhile: autosaveAt('store.read') },
  { name: 'a give to a player who leaves', play: giveTen, meanwhile: leaveAt('save.begin') },
  { name: 'a give to a player who rejoins', play: giveTen, meanwhile: rejoinAt('save.begin') },
  {
    name: 'a give of which less fits, to a player who rejoins',
    play: giveTen,
    meanwhile: (process, at) => {
      crowdAt('save.done')(process, at)
      rejoinAt('save.begin')(process, at)
    },
  },
  { name: 'a take', play: payTen },
  { name: 'a take that cannot be paid', play: (p, l) => order(p, l, { id: 'o', price: 700, size: 5 }) },
  { name: 'a take whose price no longer fits back', play: payTen, meanwhile: crowdAt('save.begin') },
  { name: 'a take with an autosave', play: payTen, meanwhile: autosaveAt('save.begin') },
  { name: 'a take with an autosave before', play: payTen, meanwhile: autosaveAt('store.read') },
  { name: 'a take of a player who leaves', play: payTen, meanwhile: leaveAt('save.begin') },
  { name: 'a take of a player who rejoins', play: payTen, meanwhile: rejoinAt('save.begin') },
  { name: 'a take with a cost outside', play: payOutside },
  {
    name: 'a take whose cost outside is refused',
    play: payOutside,
    prepare: (disk) => disk.refuses.add('o'),
  },
  {
    name: 'a take that costs something outside only',
    play: (p, l) => order(p, l, { id: 'o', price: 0, size: 5, external: true }),
  },
  {
    name: 'a take, then its claim',
    play: async (process, ledger) => {
      await payTen(process, ledger)
      await process.run(process.lane.give(PLAYER, 'o-e'))
    },
  },
]

const SAVES = ['saved', 'failed', 'doubt-new', 'doubt-old'] as const
const COMMITS = ['durable', 'failed', 'doubt-new', 'doubt-lost', 'doubt-old'] as const
/** The first outcomes differ, what follows goes well; or it goes on as it began. */
const PLANS = SAVES.flatMap((save) =>
  COMMITS.flatMap((commit) =>
    (save === 'saved' && commit === 'durable' ? [1] : [1, 9]).flatMap((times) => {
      // after a commit in doubt what is kept can't be read for a while: one more attempt, or all of the operation
      const unread = commit.startsWith('doubt') && times === 1 ? [0, 2, 99] : [0]
      return unread.map((failing) => ({ save, commit, times, failing }))
    }),
  ),
)

interface Course {
  readonly plan: (typeof PLANS)[number]
  /** The step at which the process ends. */
  readonly endAt: number
  readonly how: 'kill' | 'exit'
}

/** Plays a case; answers what is wrong afterwards, and how many steps there were. */
async function play(one: Case, { plan, endAt, how }: Course): Promise<{ wrong: string[]; steps: number }> {
  const ledger = new Ledger(100, 10)
  const disk = ledger.disk(one.filled)
  one.prepare?.(disk)
  const process = new Process(disk, KIND)
  await process.login()
  const first = process.steps
  let [saves, commits, readings] = [0, 0, 0]
  process.fate = {
    save: () => (saves++ < plan.times ? plan.save : 'saved'),
    // the transaction that asks for the operation goes well
    commit: () => (commits++ > 0 && commits <= plan.times + 1 ? plan.commit : 'durable'),
    reread: () => ++readings > plan.failing,
    external: () => 'answer',
    step: (process, point) => {
      if (process.steps - first === endAt) process[how]()
      else one.meanwhile?.(process, point)
    },
  }
  await one.play(process, ledger)
  const steps = process.steps - first
  process.kill()
  const flagged = await comeToRest(disk)
  return { wrong: judge(disk, ledger, { kind: 'plain', flagged }), steps }
}

for (const one of CASES) {
  void t.test(`B23: ${one.name} is whole or not at all`, async (t) => {
    let runs = 0
    const found = new Map<string, string>()
    for (const plan of PLANS) {
      let steps = Infinity
      for (let endAt = 1; endAt <= steps + 1; endAt++) {
        for (const how of ['kill', 'exit'] as const) {
          const course = await play(one, { plan, endAt, how })
          if (endAt > course.steps) steps = course.steps
          runs++
          for (const text of course.wrong)
            if (!found.has(text)) found.set(text, `${JSON.stringify(plan)} ${how} at ${endAt}`)
        }
      }
    }
    t.strictSame([...found], [])
    t.comment(`${runs} runs`)
  })
}

void t.test('B23: a player’s file of any earlier moment, beside a store that went on', async (t) => {
  const found: string[] = []
  let steps = Infinity
  let restored = 0
  for (let endAt = 1; endAt <= steps + 1; endAt++)
    for (let at = 0, files = 1; at < files; at++) {
      const ledger = new Ledger(100, 10)
      const disk = ledger.disk()
      const process = new Process(disk, KIND)
      await process.login()
      const first = process.steps
      process.fate = { ...KIND, step: (dying) => void (dying.steps - first === endAt && dying.kill()) }
      await process.run(
        (async () => {
          await payTen(process, ledger)
          await claim(process, ledger, 'o-e')
          await grant(process, ledger, { id: 'g', size: 3 })
        })(),
      )
      if (endAt > process.steps - first) steps = process.steps - first
      process.kill()
      files = disk.files.length
      disk.file = disk.files[at] ?? null
      restored++
      const flagged = await comeToRest(disk)
      for (const text of judge(disk, ledger, { kind: 'old-file', flagged }))
        found.push(`killed at ${endAt}, file ${at} of ${files}: ${text}`)
    }
  t.strictSame(found, [])
  t.ok(restored > steps, `${restored} files of ${steps} steps`)
})
