/**
 * A server in memory that can die at every step: a durable and a volatile half of the player's file and of the store, saves
 * and commits that fail or end in doubt, and players that pick up, leave and come back in between.
 */
import { failure } from '../../lib/core/failure.js'
import { playerId, type PlayerId } from '../../lib/core/ids.js'
import { silentLogger } from '../../lib/core/logger.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import {
  ItemLane,
  NO_MARKS,
  type ExternalAnswer,
  type FaultPoint,
  type InventoryContent,
  type ItemMode,
  type ItemStorageType,
  type ItemTransaction,
  type ItemView,
  type PlayerInventory,
  type PlayerTransactions,
  type SaveOutcome,
  type SlotChange,
  type Stack,
} from '../../lib/inventory/index.js'
import { ManualClock } from '../support/manual-clock.js'
import { frozen, valueOf, type Business, type Disk } from './disk.js'

export { Disk, valueOf } from './disk.js'

export const PLAYER = playerId('00000000-0000-4000-8000-000000000001')
export type Receipts = readonly string[]

/** What a test writes beside the lane, in the lane's own transactions. */
export const RECEIPTS = { id: 'test:receipts', empty: [] as Receipts } as unknown as ItemStorageType<Receipts>

/** What the world does where it may do one of several things; 0 is always the plain course. */
export interface Fate {
  save(): 'saved' | 'failed' | 'doubt-new' | 'doubt-old'
  commit(): 'durable' | 'failed' | 'doubt-new' | 'doubt-lost' | 'doubt-old'
  /** Whether the store, which doesn't know how a commit ended, can read what is kept. */
  reread(): boolean
  external(): 'answer' | 'throw' | 'unknown' | 'nonsense' | 'hang'
  /** Called at every step of a process: whatever else happens in the world. */
  step(process: Process, point: string): void
}

/** Nothing goes wrong. */
export const KIND: Fate = {
  save: () => 'saved',
  commit: () => 'durable',
  reread: () => true,
  external: () => 'answer',
  step: () => {},
}

const hang = (): Promise<never> => new Promise(() => {})
class Dead extends Error {}

/** One life of the server. */
export class Process {
  readonly disk: Disk
  readonly clock = new ManualClock()
  readonly lane: ItemLane
  readonly store: PlayerTransactions
  fate: Fate
  isAlive = true
  /** Steps so far. */
  steps = 0
  player: LiveInventory | null = null
  #endNow: () => void = () => {}
  readonly ended = new Promise<void>((resolve) => {
    this.#endNow = resolve
  })
  #committed: Business

  constructor(disk: Disk, fate: Fate, mode: ItemMode = 'exactly-once') {
    this.disk = disk
    this.fate = fate
    this.#committed = disk.business
    this.store = {
      readAgain: () => this.#reads(),
      read: () => this.#read(),
      update: (_, work) => this.#inOrder(() => this.#update(work)),
    }
    this.lane = new ItemLane({
      mode,
      inventories: { find: () => this.alive(this.player), maxStack: (item) => MAX_STACK[item] ?? 64 },
      store: this.store,
      ids: disk.ids,
      clock: this.clock,
      logger: silentLogger,
      onUnreadable: () => 'refuse',
      external: { charge: (_, { id }) => this.#charge(id), status: (_, { id }) => this.#status(id) },
      changed: (tx, change) => {
        const record = change.kind === 'entry' ? change.entry : change.order
        tx.set(RECEIPTS, [...tx.get(RECEIPTS), `${change.kind} ${record.id} ${record.state}`])
      },
      fault: (point: FaultPoint) => this.step(point),
    })
  }

  alive<T>(value: T): T {
    if (!this.isAlive) throw new Dead()
    return value
  }

  /** A place where the process may die or something else may happen. */
  step(point: string): void {
    this.alive(null)
    this.steps++
    this.fate.step(this, point)
    this.alive(null)
  }

  async point(name: string): Promise<void> {
    // what comes from a dead process never arrives
    if (!this.isAlive) return hang()
    try {
      this.step(name)
    } catch (thrown) {
      if (thrown instanceof Dead) return hang()
      throw thrown
    }
    await Promise.resolve()
    if (!this.isAlive) return hang()
  }

  /** Time passes. */
  async pause(): Promise<void> {
    await Promise.resolve()
    if (!this.isAlive) return hang()
  }

  /** SIGKILL. */
  kill(): void {
    this.isAlive = false
    this.#endNow()
  }

  /** process.exit: the exit handler writes what is dirty. */
  exit(): void {
    if (this.isAlive && this.player !== null) this.disk.setFile(this.player.held ?? this.player.content())
    this.kill()
  }

  /** Resolves with what the work does, or null when the process ends first. */
  run<T>(work: Promise<T>): Promise<T | null> {
    return Promise.race([work, this.ended.then(() => null)])
  }

  /** A second login of a player who is here or on the way is refused. */
  async login(): Promise<Result<readonly string[]>> {
    if (this.#isEntering || this.player?.isLeaving === false) return fail('system:busy')
    this.#isEntering = true
    const done = await this.#enter()
    this.#isEntering = false
    return done
  }
  #isEntering = false

  async #enter(): Promise<Result<readonly string[]>> {
    while (this.player !== null) await this.pause()
    const { file } = this.disk
    const found = { exists: file !== null, isReadable: true, marks: file?.marks ?? null }
    const done = await this.lane.login(PLAYER, found)
    await this.point('login.read')
    const empty = { slots: Array<Stack | null>(46).fill(null), xp: 0, marks: NO_MARKS }
    const content = file ?? empty
    // who could not be decided about comes in all the same
    this.player = new LiveInventory(this, done.ok ? { ...content, marks: done.value.marks } : content)
    if (!done.ok) return done
    this.flagged += done.value.counts.flagged
    return ok(done.value.external)
  }
  /** What logins of this process flagged. */
  flagged = 0

  async logout(): Promise<void> {
    const leaving = this.player
    if (leaving === null || leaving.isLeaving) return
    leaving.isLeaving = true
    // what began during the last save makes another one the last
    do await leaving.save()
    while (leaving.held !== null || leaving.isSaving)
    leaving.isDead = true
    this.player = null
  }

  get committed(): Business {
    return this.#committed
  }

  #queue: Promise<unknown> = Promise.resolve()
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(work)
    this.#queue = mine
    return mine
  }

  /** Whether the record can't be read, and whether the store remembers that. */
  isUnreadable = false
  isRemembered = false

  async #reads(): Promise<Result<void>> {
    this.isRemembered = this.isUnreadable
    return this.isRemembered ? fail('system:storage_unreadable') : ok(undefined)
  }

  #isKnown = true
  #knows(): boolean {
    this.#isKnown ||= this.fate.reread()
    return this.#isKnown
  }

  async #read(): Promise<Result<ItemView>> {
    if (this.isRemembered) return fail('system:storage_unreadable')
    await this.point('store.read')
    if (!this.#knows()) return fail('system:storage_failed')
    const now = this.#committed
    return ok({ get: (type) => valueOf(now, type) })
  }

  async #update<R>(work: (tx: ItemTransaction) => R): Promise<Result<R>> {
    if (this.isRemembered) return fail('system:storage_unreadable')
    await this.point('store.begin')
    if (!this.#knows()) return fail('system:storage_failed')
    const next = new Map(this.#committed)
    let isChanged = false
    const value = work({
      get: (type) => valueOf(next, type),
      set: (type, value) => {
        next.set(type.id, value)
        isChanged = true
      },
    })
    if (!isChanged) return ok(value)
    const fate = this.fate.commit()
    if (fate === 'durable' || fate === 'doubt-new') this.disk.setBusiness(next)
    if (fate !== 'failed' && fate !== 'doubt-old') this.#committed = frozen(next)
    this.#isKnown = fate === 'durable' || fate === 'failed'
    await this.point('store.done')
    // as soon as it has ended, and else at the next use
    this.#knows()
    if (fate === 'durable') return ok(value)
    return fail(fate === 'failed' ? 'system:storage_failed' : 'system:storage_unknown')
  }

  async #charge(id: string): Promise<ExternalAnswer> {
    await this.point('external.begin')
    const fate = this.fate.external()
    if (!this.disk.refuses.has(id)) this.disk.charged.add(id)
    await this.point('external.done')
    return fate === 'hang' ? hang() : this.#say(fate, id)
  }

  async #status(id: string): Promise<ExternalAnswer> {
    await this.point('external.status')
    return this.#say(this.fate.external(), id)
  }

  #say(fate: ReturnType<Fate['external']>, id: string): ExternalAnswer {
    if (fate === 'throw') throw new Error('the economy is broken')
    if (fate === 'nonsense') return 'yes' as ExternalAnswer
    return fate === 'unknown' ? 'unknown' : this.disk.charged.has(id) ? 'charged' : 'not_charged'
  }
}

export const MAX_STACK: Readonly<Record<string, number>> = { 'minecraft:sword': 1, 'minecraft:egg': 16 }

/** A player's inventory as the host's saver keeps it. */
export class LiveInventory implements PlayerInventory {
  readonly player: PlayerId = PLAYER
  readonly #process: Process
  #slots: readonly (Stack | null)[]
  #xp: number
  #marks
  held: InventoryContent | null = null
  isSaving = false
  isLeaving = false
  isDead = false

  constructor(process: Process, content: InventoryContent) {
    this.#process = process
    this.#slots = content.slots
    this.#xp = content.xp
    this.#marks = content.marks
  }

  slots(): readonly (Stack | null)[] {
    return this.#process.alive(this.#slots)
  }

  xp(): number {
    return this.#process.alive(this.#xp)
  }

  marks(): typeof NO_MARKS {
    return this.#process.alive(this.#marks)
  }

  content(): InventoryContent {
    return { slots: this.#slots, xp: this.#xp, marks: this.#marks }
  }

  change(changes: readonly SlotChange[], xp?: number): void {
    this.#process.alive(null)
    if (this.isDead) return
    const slots = [...this.#slots]
    for (const { slot, stack } of changes) slots[slot] = stack
    this.#slots = slots
    this.#xp = xp ?? this.#xp
  }

  setMarks(marks: typeof NO_MARKS): void {
    this.#process.alive(null)
    if (!this.isDead) this.#marks = marks
  }

  async save(): Promise<SaveOutcome> {
    await this.#process.point('save.asked')
    while (this.held !== null || this.isSaving) await this.#process.pause()
    return this.isDead ? GONE : this.#write(() => this.content())
  }

  async saveAhead(content: InventoryContent): Promise<SaveOutcome> {
    this.#process.alive(null)
    if (this.isDead) return GONE
    this.held = content
    while (this.isSaving) await this.#process.pause()
    return this.#write(() => content)
  }

  release(marks: typeof NO_MARKS): void {
    this.#process.alive(null)
    this.held = null
    if (!this.isDead) this.#marks = marks
  }

  async #write(content: () => InventoryContent): Promise<SaveOutcome> {
    this.isSaving = true
    const bytes = frozen(content())
    await this.#process.point('save.begin')
    const fate = this.#process.fate.save()
    if (fate === 'saved' || fate === 'doubt-new') this.#process.disk.setFile(bytes)
    await this.#process.point('save.done')
    this.isSaving = false
    if (fate === 'saved') return { saved: true }
    const isCertain = fate === 'failed'
    return {
      saved: false,
      isCertain,
      failure: failure(isCertain ? 'system:storage_failed' : 'system:storage_unknown'),
    }
  }
}

const GONE: SaveOutcome = { saved: false, isCertain: true, failure: failure('system:disconnected') }
