/** Tools that touch the game run on the server's own thread, within what a tick may cost, players in turn. */
import t from 'tap'
import { isMainThread, threadId } from 'node:worker_threads'
import { z } from 'zod'
import { FAST_POLICY, shown, type Registration, type ToolType } from '../../lib/agent/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { SquidServer } from '../../plugins/squid/types.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { DEFAULT_VERSION } from '../support/squid.js'
import { consoleSays, joinReader, openSystem, type SystemServer } from '../support/system.js'

/** One run of the tool: whose, between which ticks, and how long runs before it took in the same window. */
interface Run {
  readonly player: string
  readonly tick: number
  readonly spentMs: number
}

const CALLS = 40
const noInput = z.strictObject({ n: z.int() })
const output = z.strictObject({ n: z.int() })
const burstCard = {
  id: identifier('test:burst'),
  schema: z.strictObject({ done: z.int() }),
  build: ({ done }: { done: number }) => ({
    title: null,
    lines: [{ kind: 'text' as const, text: `done ${done}` }],
    buttons: [],
  }),
}

/** A server whose ticks are counted, and a command that calls a tool of `costMs` forty times at once. */
async function openBurst(t: Parameters<typeof openSystem>[0], costMs: number) {
  const clock = new ShiftedClock()
  const runs: Run[] = []
  const window = { tick: 0, startedAt: 0, spentMs: 0 }
  const names = new Map<string, string>()
  const type: ToolType<{ n: number }, { n: number }> = {
    id: 'test:cost',
    input: noInput,
    output,
    kind: 'game',
    write: false,
  }
  const register = (registration: Registration): void => {
    registration.cardType(burstCard)
    registration.tool({
      type,
      owner: identifier('test:burst'),
      handler: ({ n }, { player }) => {
        if (!isMainThread) throw new Error(`in thread ${threadId}`)
        runs.push({ player: names.get(player) ?? '', tick: window.tick, spentMs: window.spentMs })
        const start = clock.monotonic()
        clock.advance(costMs)
        window.spentMs += clock.monotonic() - start
        return { n }
      },
    })
    registration.module({
      id: identifier('test:burst'),
      version: 1,
      action: z.strictObject({}),
      description: 'Calls the tool many times.',
      help: { key: 'system.command.help.me' },
      tools: [type.id],
      policy: { ...FAST_POLICY, toolCalls: CALLS, steps: CALLS },
      routing: { selection: 'NORMAL', command: { name: 'burst' }, fromCommand: () => ({}) },
      async execute(context) {
        names.set(context.player, context.playerName)
        const all = await Promise.all(Array.from({ length: CALLS }, (_, n) => context.tool(type, { n })))
        return shown({ type: burstCard.id, data: { done: all.filter(({ ok }) => ok).length } })
      },
    })
  }
  const system = await openSystem(t, DEFAULT_VERSION, {
    clock,
    register,
    // before the System hears of the tick, so that what it runs in it counts for the new one
    early: (serv: SquidServer) =>
      void serv.on('tick', () => {
        window.tick += 1
        window.spentMs = 0
      }),
  })
  return { system, runs }
}

const byTick = (runs: readonly Run[]): Run[][] => {
  const ticks = new Map<number, Run[]>()
  for (const run of runs) ticks.set(run.tick, [...(ticks.get(run.tick) ?? []), run])
  return [...ticks.values()]
}

const ticksOf = async (system: SystemServer): Promise<string> =>
  (await consoleSays(system, 'system status')).find((line) => line.startsWith('ticks: ')) ?? ''

void t.test('never more than sixteen items in a tick', async (t) => {
  const { system, runs } = await openBurst(t, 0)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.equal(await alice.askText('/system burst'), `done ${CALLS}`)
  t.equal(runs.length, CALLS)
  const ticks = byTick(runs)
  t.ok(ticks.length >= 3, `${ticks.length} ticks`)
  for (const tick of ticks) t.ok(tick.length <= 16, `${tick.length} items`)
  t.match(await ticksOf(system), /on-arrival=\d+ in-tick=\d+ waiting=0/)
  const [, arrived, waited] = /on-arrival=(\d+) in-tick=(\d+)/.exec(await ticksOf(system)) ?? []
  t.equal(Number(arrived) + Number(waited), CALLS)
  t.ok(Number(arrived) > 0, 'while budget is left an item does not wait')
  t.ok(Number(waited) >= CALLS - 16)
})

void t.test('nothing starts after two milliseconds of a tick, and players take turns', async (t) => {
  // three of them fill a tick
  const { system, runs } = await openBurst(t, 0.7)
  const names = ['alice', 'bob', 'carol']
  const readers = []
  for (const name of names) readers.push(await joinReader(t, system, name))
  for (const reader of readers) await reader.next()
  for (const reader of readers) reader.client.say('/system burst')
  for (const reader of readers) t.equal(await reader.nextText(), `done ${CALLS}`)
  t.equal(runs.length, 3 * CALLS)
  for (const run of runs) if (run.spentMs >= 2) t.fail(`started after ${run.spentMs} ms`)
  const ticks = byTick(runs)
  for (const tick of ticks) t.ok(tick.length <= 3, `${tick.length} items`)
  // from the moment when all three wait to the moment when the first is served
  const left = new Map(names.map((name) => [name, CALLS]))
  const first = Math.max(...names.map((name) => runs.findIndex(({ player }) => player === name)))
  let before = ''
  for (const [at, { player }] of runs.entries()) {
    const others = names.filter((name) => name !== player && (left.get(name) ?? 0) > 0)
    if (at > first && others.length > 0) t.not(player, before, `item ${at}`)
    left.set(player, (left.get(player) ?? 0) - 1)
    before = player
  }
})

void t.test('an item that exceeds the budget alone is named in the log', async (t) => {
  const { system, runs } = await openBurst(t, 5)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.equal(await alice.askText('/system burst'), `done ${CALLS}`)
  for (const tick of byTick(runs)) t.equal(tick.length, 1, 'it has its tick for itself')
  const named = system.log.filter((line) => /\[system\] tool test:cost took \d+\.\d ms of a tick/.test(line))
  t.equal(named.length, CALLS)
  t.match(await ticksOf(system), /slow=40$/)
})
