/** A real server with the System and a load; it says each promise in the moment in which it is made. */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { setEnvironmentData } from 'node:worker_threads'
import { systemClock } from '../../lib/core/clock.js'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import type { FaultPoint } from '../../lib/inventory/index.js'
import type { Registration } from '../../lib/agent/index.js'
import { Installation } from '../../plugins/squid/installation.js'
import type { Runtime } from '../../plugins/squid/runtime.js'
import { serverHook } from '../../plugins/system.js'
import { bootSquid } from '../../test/support/squid.js'
import { Dice } from '../demo/dice.js'
import { childArgument } from '../support/bench.js'
import { creditFirst } from './credit-first.js'
import { ROUND, ROUNDS, RECEIPTS, startLoad, STATE } from './load.js'
import { CLIENTS, ITEM, serverArgumentSchema, type Line } from './messages.js'

const argument = childArgument(serverArgumentSchema)
const { folder, version, seed, fault, variant } = argument
/** How often is looked whether all players are there. */
const LOOK_MS = 20
const GIVEN = 24
const TAKEN = 40

setEnvironmentData('crash', { fault, variant })
const dice = new Dice(seed)
// before anything else happens: a write to a pipe is complete when it returns
const say = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`)

let hits = 0
function pass(point: FaultPoint): void {
  if (fault?.point !== point) return
  hits += 1
  if (hits === fault.hit) process.kill(process.pid, 'SIGKILL')
}

const types = {
  server: (serv: { on(event: string, listener: (registration: Registration) => void): unknown }): void => {
    serv.on('system:register', (registration) => {
      registration.storage(STATE)
      registration.storage(RECEIPTS)
      registration.storage(ROUND)
      registration.storage(ROUNDS)
    })
  },
}

async function boot(): Promise<{ runtime: Runtime; port: number }> {
  const { serv, port } = await bootSquid({ teardown() {} }, version, {
    settings: { worldFolder: join(folder, 'world'), validateChannelProtocol: false, kickTimeout: 120_000 },
    plugins: {
      types: [types, {}],
      system: [
        {
          server: serverHook({
            clock: systemClock,
            workersUrl: new URL('./workers/', import.meta.url),
            fault: pass,
          }),
        },
        {
          configFolder: join(folder, 'config'),
          autoGrant: 'system:default',
          config: { 'system-storage': { playerSaveSeconds: 1 } },
        },
      ],
    },
  })
  const { system } = serv as { readonly system?: unknown }
  if (!(system instanceof Installation)) throw new Error('the plugin was not installed')
  const state = await system.ready
  if (system.runtime === null) throw new Error(`the System is ${state}`)
  return { runtime: system.runtime, port }
}

/** Resolves with the players once all of them are in the world, their files reconciled. */
async function settled({ sessions, items }: Runtime): Promise<ReadonlyMap<string, PlayerId>> {
  for (;;) {
    const here = new Map(
      [...sessions.all()]
        .filter(({ player }) => items.inventories.find(player) !== null)
        .map(({ name, player }) => [name, player]),
    )
    if (CLIENTS.every((name) => here.has(name))) return here
    await delay(LOOK_MS)
  }
}

/** Gives and takes, one after the other, until the process ends. */
async function moveItems(runtime: Runtime, name: string, player: PlayerId): Promise<never> {
  const item = identifier(ITEM)
  for (;;) {
    const kind = dice.roll(5) < 3 ? 'give' : 'take'
    const count = 1 + dice.roll(kind === 'give' ? GIVEN : TAKEN)
    say({ said: 'item-asked', name, kind, count })
    const { code, moved, rest } = await runtime.items.test[kind]({ player, item, count })
    say({ said: 'item-done', name, kind, count, code, moved, rest })
    // what waits in the inbox is claimed now and then: it stays the player's whatever becomes of that
    if (dice.roll(4) === 0) await claim(runtime, player)
    await delay(dice.roll(10))
  }
}

async function claim({ items }: Runtime, player: PlayerId): Promise<void> {
  const book = await items.lane.book(player)
  const entry = book.ok ? book.value.entries.find(({ state }) => state === 'AVAILABLE') : undefined
  if (entry !== undefined) await items.lane.give(player, entry.id)
}

async function main(): Promise<void> {
  process.on('disconnect', () => process.exit(0))
  if (variant === 'credit-first') creditFirst()
  const { runtime, port } = await boot()
  process.on('message', (message: { readonly kind?: unknown }) => {
    void settled(runtime).then((players) => {
      if (message.kind === 'settle') {
        const problems = runtime.store.problems().map(({ player, failure }) => `${player}: ${failure.code}`)
        say({ said: 'settled', problems, items: runtime.items.lane.status() })
        return
      }
      const broken = variant === 'receipt-apart' ? variant : null
      startLoad(runtime.store, { dice, said: say, broken })
      for (const [name, player] of players) void moveItems(runtime, name, player)
    })
  })
  say({ said: 'ready', port })
}

void main()
