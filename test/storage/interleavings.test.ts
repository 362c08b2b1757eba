import fc from 'fast-check'
import t from 'tap'
import type { FailureCode } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { PlayerStore, Reading, StorageDriver } from '../../lib/storage/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk, type Fate } from '../support/mortal-driver.js'
import { openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, LOG, ROUNDS, roundsOf, TWIN } from '../support/stored-things.js'

/** What happens to the world; updates go on meanwhile. */
const stepArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('update' as const), hasRound: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('throw' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.nat(80) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fate' as const),
      at: fc.constantFrom('read' as const, 'commit' as const),
      /** So many operations of that kind go well before. */
      after: fc.nat(3),
      fate: fc.constantFrom<Fate>(
        'system:storage_failed',
        'system:storage_unknown',
        'system:storage_full',
        'system:storage_conflict',
        'crash',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('relogin' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never

/** After these the caller knows that nothing has changed. */
const CERTAIN: ReadonlySet<FailureCode> = new Set([
  'system:storage_failed',
  'system:storage_full',
  'system:storage_conflict',
  'system:internal',
])

const SEEDS = 40
const RUNS = 25

/** What is seen in the end: by readers, by them some time later, and by another process. */
interface End {
  readonly memory: object | null
  readonly later: object | null
  readonly disk: object
  readonly view: Reading
}

/** One player's updates, each of which leaves four marks: two counters, a row, and perhaps a round. */
class World {
  readonly #disk = new Disk()
  readonly #clock = new ManualClock()
  readonly #player: PlayerId = somePlayer()
  readonly #fates: { at: string; after: number; fate: Fate }[] = []
  /** The number that each acknowledged update got. */
  readonly acknowledged = new Map<string, number>()
  readonly withRound = new Set<string>()
  readonly refused = new Set<string>()
  /** Updates that have not ended. */
  readonly open = new Set<string>()
  #store: PlayerStore
  #ids = 0

  constructor(turns: () => number) {
    this.#disk.fate = async ({ kind }) => {
      for (let left = turns(); left > 0; left--) await Promise.resolve()
      const next = this.#fates.find(({ at }) => at === kind)
      if (next === undefined || next.after-- > 0) return null
      this.#fates.splice(this.#fates.indexOf(next), 1)
      // a read can't be unsure of what it did
      return kind === 'read' && next.fate !== 'crash' ? 'system:storage_failed' : next.fate
    }
    this.#store = this.#open(this.#disk.open())
  }

  async do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'update':
        return this.#update(step.hasRound)
      case 'throw':
        return void this.#store.update(this.#player, (tx) => {
          countUp(tx)
          throw new Error('thrown away')
        })
      case 'wait':
        for (let left = step.turns; left > 0; left--) await Promise.resolve()
        return
      case 'fate':
        this.#fates.push({ at: step.at, after: step.after, fate: step.fate })
        return
      case 'relogin':
        this.#store.detach(this.#player)
        return void this.#store.attach(this.#player)
      case 'restart':
        this.#store = this.#open(await this.#disk.reopen())
    }
  }

  /** All that was begun ends (what a crash left unanswered never does); then memory and disk are held against each other. */
  async end(): Promise<End> {
    // whatever is under way is a chain of microtasks
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    this.#fates.length = 0
    const memory = this.#shown()
    // longer than any pause before the records are read again
    this.#clock.advance(30_000)
    await new Promise(setImmediate)
    const later = this.#shown()
    this.#store = this.#open(await this.#disk.reopen())
    const view = valueOf(await this.#store.read(this.#player))
    return { memory, later, disk: shown(view), view }
  }

  #shown(): object | null {
    const online = this.#store.online(this.#player)
    return online === null ? null : shown(online)
  }

  #update(hasRound: boolean): void {
    const id = `id-${this.#ids++}`
    this.open.add(id)
    if (hasRound) this.withRound.add(id)
    const done = this.#store.update(this.#player, (tx) => {
      tx.put(LOG, id, { text: id })
      if (hasRound) tx.append(ROUNDS, { conversation: 1, at: 1, body: id })
      tx.set(TWIN, { n: tx.get(TWIN).n + 1 })
      return countUp(tx)
    })
    void done.then((result) => {
      this.open.delete(id)
      if (result.ok) this.acknowledged.set(id, result.value)
      else if (CERTAIN.has(result.failure.code)) this.refused.add(id)
    })
  }

  #open(driver: StorageDriver): PlayerStore {
    const { store } = openStore({ types: ALL, driver, clock: this.#clock })
    void store.attach(this.#player)
    return store
  }
}

const shown = (kept: Reading): object => ({
  count: kept.get(COUNT).n,
  twin: kept.get(TWIN).n,
  rows: [...kept.rows(LOG).keys()].sort(),
  rounds: roundsOf(kept),
})

void t.test(
  'whatever fails or crashes when: acknowledged is there, the rest is whole or not at all',
  async (t) => {
    const property = fc.asyncProperty(
      fc.array(stepArbitrary, { maxLength: 60 }),
      fc.infiniteStream(fc.nat(6)),
      async (steps, turns) => {
        const world = new World(() => turns.next().value ?? 0)
        for (const step of steps) await world.do(step)
        const { memory, later, disk, view } = await world.end()
        const rows = [...view.rows(LOG).keys()]
        const rounds = roundsOf(view)
        const complain = (what: string): never => {
          throw new Error(`${what}: ${JSON.stringify({ disk, memory, later })}`)
        }
        if (view.get(COUNT).n !== rows.length || view.get(TWIN).n !== rows.length) complain('a mix')
        const isMortal = steps.some(
          (step) => step.kind === 'restart' || (step.kind === 'fate' && step.fate === 'crash'),
        )
        if (!isMortal && world.open.size > 0) complain(`${[...world.open].join()} never ended`)
        for (const [id, n] of world.acknowledged) {
          if (!rows.includes(id)) complain(`${id} was acknowledged and is gone`)
          if (n > rows.length) complain(`${id} counted what is not there`)
        }
        for (const id of rows)
          if (world.withRound.has(id) && !rounds.includes(id)) complain(`the round of ${id} is gone`)
        for (const id of world.refused) if (rows.includes(id)) complain(`${id} was refused and is there`)
        for (const id of rounds) if (!rows.includes(id)) complain(`a round without its change, ${id}`)
        if (new Set(rounds).size !== rounds.length) complain('a round twice')
        for (const seen of [memory, later])
          if (seen !== null && JSON.stringify(seen) !== JSON.stringify(disk))
            complain('memory is not the disk')
        if (!isMortal && later === null) complain('it does not become known')
      },
    )
    for (let seed = 1; seed <= SEEDS; seed++) await fc.assert(property, { numRuns: RUNS, seed })
    t.pass(`${SEEDS * RUNS} histories`)
  },
)
