/** Random lives of a server: operations that overlap, faults, deaths, and older copies put back in between. */
import t from 'tap'
import { comeToRest, grant, claim, judge, Ledger, order, stack, type Verdict } from './judge.js'
import { PLAYER, Process, valueOf, type Disk, type Fate } from './world.js'
import { INVENTORY_LOG, INBOX } from '../../lib/inventory/index.js'

/** Numbers of mulberry32: the same from the same seed. */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
type Roll = ReturnType<typeof dice>

const pick = <T>(roll: Roll, from: readonly T[]): T => from[roll(from.length)] as T

/** How much goes wrong: one in so many. */
interface Weather {
  readonly fault: number
  readonly death: number
  readonly event: number
}

function fateOf(roll: Roll, weather: Weather, ledger: Ledger): Fate {
  const goesWrong = (): boolean => roll(weather.fault) === 0
  return {
    save: () => (goesWrong() ? pick(roll, ['failed', 'doubt-new', 'doubt-old'] as const) : 'saved'),
    commit: () =>
      goesWrong() ? pick(roll, ['failed', 'doubt-new', 'doubt-lost', 'doubt-old'] as const) : 'durable',
    reread: () => !goesWrong(),
    external: () => (goesWrong() ? pick(roll, ['throw', 'unknown', 'nonsense'] as const) : 'answer'),
    step: (process) => {
      if (roll(weather.death) === 0) return roll(3) === 0 ? process.exit() : process.kill()
      if (roll(weather.event) === 0) happen(process, roll, ledger)
    },
  }
}

/**
 * Entries that the store has acknowledged. After a commit in doubt an entry may be seen that a power cut takes away again:
 * what is claimed of it by then stays in the player's file, and is flagged.
 */
const known = (ledger: Ledger): string[] =>
  [...ledger.grants].filter(([, { isKnown }]) => isKnown).map(([id]) => id)

/** Something happens in the world. */
function happen(process: Process, roll: Roll, ledger: Ledger): void {
  const { player } = process
  if (player === null) return
  const slots = player
    .slots()
    .map((one, slot) => ({ one, slot }))
    .slice(9, 45)
  const event = roll(6)
  if (event === 0) {
    const free = slots.filter(({ one }) => one === null).slice(0, 1 + roll(36))
    player.change(free.map(({ slot }) => ({ slot, stack: stack('minecraft:dirt', 64) })))
  } else if (event === 1) {
    const dirt = slots.filter(({ one }) => one?.item === 'minecraft:dirt').slice(0, 1 + roll(36))
    player.change(dirt.map(({ slot }) => ({ slot, stack: null })))
  } else if (event === 2) void player.save()
  else if (event === 3) void process.logout()
  else if (event === 4) void process.logout().then(() => (process.player === null ? process.login() : null))
  else void claim(process, ledger, pick(roll, ['none', ...known(ledger)]))
}

/** One life: a login and some operations, alone or two at once. */
async function live(disk: Disk, ledger: Ledger, roll: Roll): Promise<void> {
  const weather = {
    fault: pick(roll, [3, 8, 40, 10_000]),
    death: pick(roll, [40, 200, 10_000]),
    event: pick(roll, [8, 40, 1000]),
  }
  const process = new Process(disk, fateOf(roll, weather, ledger))
  for (let n = 1 + roll(6); n > 0 && process.isAlive; n--) {
    if (process.player === null) {
      const external = await process.run(process.login())
      if (external?.ok === true) void process.lane.decideExternal(PLAYER, external.value)
    }
    const started = [operate(process, ledger, roll)]
    if (roll(4) === 0) started.push(operate(process, ledger, roll))
    await process.run(Promise.all(started))
  }
  if (process.isAlive && roll(2) === 0) await process.run(process.lane.close().then(() => process.logout()))
  if (roll(3) === 0) process.exit()
  process.kill()
}

async function operate(process: Process, ledger: Ledger, roll: Roll): Promise<void> {
  const kind = roll(10)
  const id = process.disk.ids.token()
  if (kind < 4) {
    const item = pick(roll, ['minecraft:diamond', 'minecraft:egg', 'minecraft:sword'])
    await grant(process, ledger, {
      id,
      item,
      size: 1 + roll(item === 'minecraft:sword' ? 5 : 150),
      xp: roll(3),
    })
  } else if (kind < 8) {
    const external = roll(3) === 0
    if (external && roll(3) === 0) process.disk.refuses.add(id)
    const price = external && roll(4) === 0 ? 0 : 1 + roll(90)
    await order(process, ledger, { id, external, price, priceXp: roll(3), size: roll(30) })
  } else if (kind === 8) {
    const ids = known(ledger)
    const open = valueOf(process.committed, INBOX).filter((one) => one.state === 'AVAILABLE')
    const mine = open.filter((one) => one.order !== null || ids.includes(one.id.split('.')[0] ?? ''))
    if (mine.length > 0) await process.run(process.lane.give(PLAYER, pick(roll, mine).id))
  } else await process.run(process.lane.settle(PLAYER))
}

/** Lives, perhaps an older copy, another life; answers what is wrong. */
async function play(seed: number): Promise<readonly string[]> {
  const roll = dice(seed)
  const ledger = new Ledger(500, 40)
  const disk = ledger.disk(roll(27))
  const lives = 1 + roll(4)
  for (let life = 0; life < lives; life++) await live(disk, ledger, roll)
  const kind = pick(roll, ['plain', 'plain', 'old-file', 'lost-store', 'two-pasts'] as const)
  if (kind === 'plain') {
    const flagged = await comeToRest(disk)
    return judge(disk, ledger, { kind, flagged })
  }
  // older copies are put back while the server is down, and the next login finds them
  await comeToRest(disk)
  const { file, business } = disk
  if (kind === 'lost-store') disk.business = pick(roll, disk.businesses)
  else disk.file = pick(roll, disk.files)
  const seq = valueOf(disk.business, INVENTORY_LOG).seq
  const isOlder = kind === 'lost-store' ? seq < valueOf(business, INVENTORY_LOG).seq : isBehind(disk)
  const flagged = await comeToRest(disk)
  const unseen = isOlder && flagged === 0 ? ['not flagged'] : []
  await live(disk, ledger, roll)
  await comeToRest(disk)
  if (kind === 'two-pasts') {
    disk.file = file
    await comeToRest(disk)
  }
  const verdict: Verdict = { kind, flagged }
  return [...judge(disk, ledger, verdict), ...unseen]
}

/** Whether the store has operations that the file doesn't name. */
function isBehind(disk: Disk): boolean {
  const marks = disk.file?.marks
  const named = new Set([...(marks?.ops ?? []), ...(marks?.recent ?? [])].map(({ id }) => id))
  return valueOf(disk.business, INVENTORY_LOG).log.some(({ id }) => !named.has(id))
}

void t.test('nothing is lost or doubled in thousands of random lives', async (t) => {
  const first = Number(process.env['SEED'] ?? 1)
  const runs = Number(process.env['RUNS'] ?? 3000)
  const found = new Map<string, number>()
  for (let seed = first; seed < first + runs; seed++) {
    for (const text of await play(seed)) {
      const kind = text.replace(/t?\d+/g, '#')
      if (!found.has(kind)) found.set(`${kind} (${text})`, seed)
    }
    if (found.size > 8) break
  }
  t.strictSame([...found], [])
})
