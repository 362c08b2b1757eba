/** A real server with a market, to be killed: see market-rounds.ts. */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../lib/core/clock.js'
import { identifier } from '../../lib/core/ids.js'
import type { FaultPoint } from '../../lib/inventory/index.js'
import { Installation } from '../../plugins/squid/installation.js'
import { serverHook } from '../../plugins/system.js'
import { bootSquid } from '../../test/support/squid.js'
import { childArgument } from '../support/bench.js'
import { creditFirst } from './credit-first.js'
import {
  marketArgumentSchema,
  MARKET_CLIENTS,
  VALUE_ITEM,
  WORTH,
  type MarketLine,
} from './market-messages.js'

const { folder, version, fault, isWrong } = childArgument(marketArgumentSchema)
const say = (line: MarketLine): void => void writeSync(1, `${JSON.stringify(line)}\n`)

let hits = 0
function pass(point: FaultPoint): void {
  if (fault?.point !== point) return
  hits += 1
  if (hits === fault.hit) process.kill(process.pid, 'SIGKILL')
}

async function main(): Promise<void> {
  if (isWrong) creditFirst()
  process.on('disconnect', () => process.exit(0))
  const { serv, port } = await bootSquid({ teardown() {} }, version, {
    settings: { worldFolder: join(folder, 'world'), validateChannelProtocol: false, kickTimeout: 120_000 },
    plugins: {
      system: [
        { server: serverHook({ clock: systemClock, fault: pass }) },
        {
          configFolder: join(folder, 'config'),
          packs: [join(folder, 'pack')],
          autoGrant: 'system:default',
          config: {
            'system-storage': { playerSaveSeconds: 1 },
            'system-surface': { shield: { limits: false } },
          },
        },
      ],
    },
  })
  const { system } = serv as { readonly system?: unknown }
  if (!(system instanceof Installation)) throw new Error('the plugin was not installed')
  const state = await system.ready
  const { runtime } = system
  if (runtime === null) throw new Error(`the System is ${state}`)
  process.on('message', (message: { readonly kind?: unknown }) => {
    void (async () => {
      for (;;) {
        const here = [...runtime.sessions.all()].filter(
          ({ player }) => runtime.items.inventories.find(player) !== null,
        )
        if (here.length < MARKET_CLIENTS.length) {
          await delay(20)
          continue
        }
        if (message.kind === 'endow')
          for (const { player } of here)
            await runtime.items.test.give({ player, item: identifier(VALUE_ITEM), count: WORTH })
        return say({ said: 'settled', items: runtime.items.lane.status() })
      }
    })()
  })
  say({ said: 'ready', port })
}

void main()
