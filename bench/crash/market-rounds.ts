/** Rounds of the market under SIGKILL: real clients press real buttons; files are counted by zlib and prismarine-nbt alone. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { componentText } from '../../lib/text/index.js'
import { buttonsOf, joinReader, type Reader } from '../../test/support/system.js'
import type { Dice } from '../demo/dice.js'
import { readMarket } from './market-files.js'
import {
  MARKET_CLIENTS,
  MARKET_PACK,
  marketLineSchema,
  WORTH,
  type MarketArgument,
} from './market-messages.js'
import { offlineUuid } from './rounds.js'

/** Where the process under test ends itself. */
export const MARKET_POINTS = [
  'give.planned',
  'give.saved',
  'give.applied',
  'give.committed',
  'take.reserved',
  'take.debited',
  'take.saved',
  'take.charged',
  'take.committed',
  'login.committed',
] as const
const RUN_MS = { least: 60, most: 1_500 }
const FAULT_MS = 2_500
const START_MS = 60_000

export interface MarketRun {
  readonly folder: string
  readonly version: string
  /** Whether the server is one that must be caught. */
  readonly isWrong: boolean
  readonly dice: Dice
  readonly wrong: string[]
  /** Rounds by where they ended, and orders by their state. */
  readonly ends: Map<string, number>
  readonly states: Map<string, number>
  /** Orders that a client was told are paid. */
  readonly paid: Set<string>
  presses: number
}

export async function writePack(folder: string): Promise<void> {
  for (const [path, value] of Object.entries(MARKET_PACK)) {
    const file = join(folder, 'pack', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(value))
  }
}

/** The process under test. */
class Market {
  readonly #child: ChildProcess
  readonly #lines: unknown[] = []
  readonly exited: Promise<void>
  isOver = false
  #wake: () => void = () => {}
  stderr = ''

  constructor(argument: MarketArgument) {
    const file = fileURLToPath(new URL('./market-process.js', import.meta.url))
    this.#child = spawn(process.execPath, [file, JSON.stringify(argument)], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child.stderr?.on(
      'data',
      (data: Buffer) => (this.stderr = (this.stderr + data.toString()).slice(-4_000)),
    )
    const { stdout } = this.#child
    if (stdout === null) throw new Error('no standard output')
    createInterface({ input: stdout }).on('line', (text) => {
      if (!text.startsWith('{"said"') || !text.endsWith('}')) return
      this.#lines.push(marketLineSchema.parse(JSON.parse(text)))
      this.#wake()
    })
    this.exited = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.isOver = true
        this.#wake()
        resolve()
      })
    })
  }

  /** The next line; null when it has ended before. */
  async next(): Promise<ReturnType<typeof marketLineSchema.parse> | null> {
    const until = Date.now() + START_MS
    while (this.#lines.length === 0) {
      if (this.isOver) return null
      if (Date.now() > until) throw new Error(`the server says nothing: ${this.stderr}`)
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), delay(1_000)])
    }
    return marketLineSchema.parse(this.#lines.shift())
  }

  send(kind: 'settle' | 'endow'): void {
    if (!this.isOver) this.#child.send({ kind }, () => {})
  }

  kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    return this.exited
  }
}

export async function marketRound(run: MarketRun, number: number): Promise<void> {
  const { dice } = run
  const fault =
    number % 2 === 0
      ? { point: dice.pick(MARKET_POINTS), hit: 1 + dice.roll(number % 3 === 0 ? 20 : 4) }
      : null
  const { folder, version, isWrong } = run
  const market = new Market({ folder, version, isWrong, fault: number === 1 ? null : fault })
  const closing: (() => unknown)[] = []
  try {
    const ready = await market.next()
    if (ready?.said !== 'ready') {
      if (fault === null) throw new Error(`no start: ${market.stderr}`)
      return
    }
    const seats = await Promise.all(
      MARKET_CLIENTS.map((name) =>
        joinReader(
          { teardown: (fn) => closing.push(fn) },
          { port: ready.port, version: run.version },
          name,
        ).catch(() => null),
      ),
    )
    market.send(number === 1 ? 'endow' : 'settle')
    if ((await market.next()) !== null) {
      // the first save with what they were given
      if (number === 1) await delay(100)
      await judge(run, `before round ${number}`)
      const loads = seats.flatMap((seat) => (seat === null ? [] : [shop(run, seat, market)]))
      await Promise.race([
        market.exited,
        delay(fault === null ? RUN_MS.least + dice.roll(RUN_MS.most - RUN_MS.least) : FAULT_MS),
      ])
      await market.kill()
      await Promise.race([Promise.all(loads), delay(500)])
    }
  } finally {
    const end = market.isOver && fault !== null ? fault.point : 'random'
    await market.kill()
    run.ends.set(end, (run.ends.get(end) ?? 0) + 1)
    for (const close of closing) await close()
  }
}

/** Presses buttons as they come until the server is gone. */
async function shop(run: MarketRun, seat: Reader, market: Market): Promise<void> {
  const { dice } = run
  try {
    while (!market.isOver) {
      const what = dice.roll(10)
      if (what < 3) {
        await press(run, seat, await seat.ask('/system inbox'), /Take all|Diamond|Emerald|Gold|coin/i)
        continue
      }
      const list = await seat.ask(what < 8 ? '/system shop' : '/system lottery')
      const [quote, pressed] = await press(run, seat, list, /^(buy|sell|coins|back|mixed|pool)$/)
      if (quote === null || pressed === null) continue
      await press(run, seat, quote, /Buy it|Pay and draw/)
    }
  } catch {
    // the server is gone in the middle of a word
  }
}

/** Presses one of the buttons that are called so, and takes what comes; null: there is none. */
async function press(
  run: MarketRun,
  seat: Reader,
  card: Awaited<ReturnType<Reader['ask']>>,
  called: RegExp,
): Promise<[Awaited<ReturnType<Reader['ask']>> | null, string | null]> {
  const buttons = buttonsOf(card).filter(({ label }) => called.test(label))
  const button = buttons[run.dice.roll(buttons.length)]
  if (button === undefined) return [null, null]
  const answer = await seat.ask(button.command)
  run.presses += 1
  const text = componentText(answer)
  const paid = /^Order: .*\nPaid\.[^]*\nOrder: ([\w-]{22})/.exec(text)?.[1]
  if (paid !== undefined) run.paid.add(paid)
  return [answer, button.label]
}

/** Everybody is worth what everybody was, and whoever was told of a paid order has one. */
async function judge(run: MarketRun, when: string): Promise<void> {
  const orders = new Map<string, string>()
  for (const name of MARKET_CLIENTS) {
    const found = await readMarket(join(run.folder, 'world'), offlineUuid(name))
    if (found.worth !== WORTH)
      run.wrong.push(
        `${when}: ${name} is worth ${found.worth} in place of ${WORTH} (${JSON.stringify(found.parts)})`,
      )
    for (const { id, state } of found.orders) orders.set(id, state)
  }
  for (const [id, state] of orders) {
    run.states.set(state, [...orders.values()].filter((other) => other === state).length)
    if (state === 'RESERVED' || state === 'PAYMENT_UNKNOWN')
      run.wrong.push(`${when}: order ${id} is ${state}`)
    if (run.paid.has(id) && state !== 'COMPLETED')
      run.wrong.push(`${when}: order ${id} was paid and is ${state}`)
  }
  // finished orders are kept by number: an older one may be gone, the newest are not
  run.paid.clear()
}
