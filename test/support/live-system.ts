/** A System whose inside a test can count, and what reaches the process as an error. */
import type { PlayerId } from '../../lib/core/ids.js'
import { Installation } from '../../plugins/squid/installation.js'
import { idOf } from '../../plugins/squid/players.js'
import type { Runtime } from '../../plugins/squid/runtime.js'
import type { SquidPlayer } from '../../plugins/squid/types.js'
import { catalogue } from './catalogues.js'
import { eventually } from './eventually.js'
import { nextEvent } from './squid.js'
import {
  consoleSays,
  joinReader,
  openSystem,
  type Reader,
  type SystemOptions,
  type SystemServer,
} from './system.js'
import { DEFAULT_VERSION } from './versions.js'

/** What a player who is no admin reads after `/system status`: it ends nothing and tells nobody. */
const REFUSAL = catalogue('en_us')['system.failure.no_permission']

interface Test {
  teardown(fn: () => unknown): void
}

export interface LiveSystem extends SystemServer {
  readonly installation: Installation
  readonly runtime: Runtime
  /** What reached the process, the server or a connection as an error: a test should find it empty. */
  readonly stray: readonly unknown[]
  /** Joins; the line that tells of the grant has been taken. */
  join(name: string): Promise<Seat>
  /** The server's status by key. */
  status(): Promise<Readonly<Record<string, string>>>
}

/** A player at a client. */
export interface Seat {
  readonly reader: Reader
  /** The server's side of it. */
  readonly player: SquidPlayer
  readonly id: PlayerId
  say(line: string): void
  /** The text of the message that follows the line. */
  ask(line: string): Promise<string>
  /** Messages that have come by now and that nobody took; nobody else hears how it is found out. */
  rest(): Promise<string[]>
  /** Leaves; resolves when the server has noticed. */
  leave(): Promise<void>
}

/** Opens a server with a System; what it leaves behind is closed by `t.teardown`. */
export async function openLive(t: Test, options: SystemOptions = {}): Promise<LiveSystem> {
  const stray = watchProcess(t)
  const system = await openSystem(t, DEFAULT_VERSION, options)
  const { serv, errors } = system
  const known = new Set<PlayerId>()
  const installation = system.system
  const runtime = installation instanceof Installation ? installation.runtime : null
  if (!(installation instanceof Installation) || runtime === null) throw new Error('the System did not start')
  serv.on('error', (error: unknown) => stray.push(error))
  stray.push(...errors)
  return {
    ...system,
    installation,
    runtime,
    stray,
    join: (name) => sit(t, { system, bindings: runtime.bindings, known }, name),
    async status() {
      const lines = await consoleSays(system, 'system status')
      return Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
    },
  }
}

/** Errors that nothing has caught, from now until the end of the test. */
export function watchProcess(t: Test): unknown[] {
  const stray: unknown[] = []
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    const note = (thrown: unknown): void => void stray.push({ event, thrown })
    process.on(event, note)
    t.teardown(() => process.removeListener(event, note))
  }
  return stray
}

interface Hall {
  readonly system: SystemServer
  readonly bindings: Runtime['bindings']
  readonly known: Set<PlayerId>
}

async function sit(t: Test, { system, bindings, known }: Hall, name: string): Promise<Seat> {
  const joined = nextEvent<SquidPlayer>(
    system.serv,
    'newPlayer',
    (player) => player._client.username === name,
  )
  const reader = await joinReader(t, system, name)
  const player = await joined
  const id = idOf(player)
  if (id === null) throw new Error('a player without an id')
  // who was here before has the System still, and is not told again
  if (known.has(id)) await eventually(() => bindings.systemOf(id) !== null)
  else {
    const first = await reader.nextText()
    if (!first.includes('The System is now with you')) throw new Error(`an unexpected first line: ${first}`)
  }
  known.add(id)
  return {
    reader,
    player,
    id,
    say: (line) => reader.client.say(line),
    ask: (line) => reader.askText(line),
    async rest() {
      const texts: string[] = []
      for (
        let text = await reader.askText('/system status');
        text !== REFUSAL;
        text = await reader.nextText()
      )
        texts.push(text)
      return texts
    },
    async leave() {
      if (player.disconnected === true) return
      const gone = nextEvent(player, 'disconnected')
      reader.client.end('bye')
      await gone
      // flying-squid goes on after the event
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
