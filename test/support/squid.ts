/** Real servers and real clients for host tests. Everything opened here is closed by `t.teardown`. */
import { createRequire } from 'node:module'
import { PassThrough } from 'node:stream'
import { once, type EventEmitter } from 'node:events'
import type { SquidPlayer, SquidServer } from '../../plugins/squid/types.js'

const require = createRequire(import.meta.url)
const readline = require('node:readline') as { cursorTo: () => boolean }
// flying-squid's log opens a readline when it is loaded, else with the first server: its prompt and cursor codes would corrupt the TAP stream, and
// its standard input would keep a finished test alive
readline.cursorTo = () => true
const stdout = Object.getOwnPropertyDescriptor(process, 'stdout')
Object.defineProperty(process, 'stdout', { configurable: true, value: new PassThrough() })
const squid = require('flying-squid') as { createMCServer(settings: unknown): SquidServer }
void require('flying-squid/src/lib/plugins/log.js')
if (stdout !== undefined) Object.defineProperty(process, 'stdout', stdout)
process.stdin.destroy()
// stock flying-squid leaks one 5 s interval per login; without the shield it would keep a finished test alive
const realSetInterval = globalThis.setInterval
globalThis.setInterval = ((fn: () => void, ms?: number, ...rest: unknown[]) => {
  const handle = realSetInterval(fn, ms, ...(rest as []))
  return ms === 5000 ? handle.unref() : handle
}) satisfies typeof setInterval

// minecraft-protocol forgets the 30 s timer of a connection that is ended twice; it would do the same
const realSetTimeout = globalThis.setTimeout
globalThis.setTimeout = Object.assign((fn: () => void, ms?: number, ...rest: unknown[]) => {
  const handle = realSetTimeout(fn, ms, ...(rest as []))
  return ms === 30_000 ? handle.unref() : handle
}, realSetTimeout)

export { DEFAULT_VERSION, VERSIONS } from './versions.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

/** A plugin object as flying-squid takes it. */
export interface PluginObject {
  server?(serv: SquidServer, settings: unknown): void
  player?(player: SquidPlayer, serv: SquidServer): void
}

/** Settings of a small, quiet, superflat server without a world folder; `over` wins. */
export function squidSettings(version: string, over: Record<string, unknown> = {}): Record<string, unknown> {
  const defaults = structuredClone(require('flying-squid/config/default-settings.json')) as Record<
    string,
    unknown
  >
  return {
    ...defaults,
    version,
    port: 0,
    'online-mode': false,
    logging: false,
    noConsoleOutput: true,
    worldFolder: undefined,
    generation: { name: 'superflat', options: { worldHeight: 80 } },
    'max-players': 100,
    'max-entities': 1000,
    'view-distance': 2,
    gameMode: 0,
    'everybody-op': false,
    plugins: {},
    hideErrors: true,
    // keeps flying-squid's errorHandler from adding two process listeners per login
    debug: () => {},
    ...over,
  }
}

export interface BootedServer {
  readonly serv: SquidServer
  readonly port: number
  /** Errors that reached the server's or a connection's error event. */
  readonly errors: Error[]
  /** Ends clients, quits and stops the tick; safe to call twice. */
  stop(): Promise<void>
}

/** Starts a real flying-squid with the plugins added by `addPlugin`, on a free port. */
export async function bootSquid(
  t: Teardown,
  version: string,
  options: { plugins?: Record<string, [PluginObject, unknown]>; settings?: Record<string, unknown> } = {},
): Promise<BootedServer> {
  const serv = squid.createMCServer(squidSettings(version, options.settings))
  const errors: Error[] = []
  serv.on('error', (error: Error) => errors.push(error))
  serv.on('clientError', (_client: unknown, error: Error) => errors.push(error))
  for (const [name, [plugin, settings]] of Object.entries(options.plugins ?? {}))
    serv.addPlugin(name, plugin, settings)
  await serv.waitForReady(30_000)
  const port = serv._server.socketServer.address()?.port ?? 0
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= stopSquid(serv))
  t.teardown(stop)
  return { serv, port, errors, stop }
}

async function stopSquid(serv: SquidServer): Promise<void> {
  serv.stopTickInterval()
  const gone = serv.players
    .filter((player) => player.disconnected !== true)
    .map((player) => once(player, 'disconnected'))
  for (const client of Object.values(serv._server.clients)) client.end('bye')
  await Promise.race([Promise.all(gone), new Promise((resolve) => setTimeout(resolve, 2000).unref())])
  await serv.quit().catch(() => {})
  // its folders may be removed next
  await (serv as { readonly system?: { readonly closed: Promise<void> } }).system?.closed
}

/** The next event that satisfies `accept`, or a rejection after `timeoutMs`. */
export function nextEvent<T>(
  emitter: EventEmitter,
  event: string,
  accept: (value: T) => boolean = () => true,
  timeoutMs = 10_000,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      emitter.removeListener(event, listen)
      reject(new Error(`no ${event} within ${timeoutMs} ms`))
    }, timeoutMs)
    const listen = (value: T): void => {
      if (!accept(value)) return
      clearTimeout(timer)
      emitter.removeListener(event, listen)
      resolve(value)
    }
    emitter.on(event, listen)
  })
}

/** A raw minecraft-protocol client that answers what a vanilla client answers and keeps what it received. */
export interface RawClient extends EventEmitter {
  readonly username: string
  readonly ended?: boolean
  write(name: string, params: unknown): void
  end: (reason?: string) => void
  /** Names and fields of received play packets, chunks and the like left out. */
  readonly received: { name: string; data: Record<string, unknown> }[]
  readonly clientErrors: Error[]
  /** Sends a chat line or, with a leading slash, a command, in the form of the version. */
  say(line: string): void
}

const NOISE = /chunk|light|player_info|keep_alive|^tags$|recipes|registry_data|update_time/

/** Joins with a raw client and waits until the server let it into the world. */
export async function joinRaw(
  t: Teardown,
  port: number,
  version: string,
  username: string,
  options: {
    locale?: string
    brand?: string
    /** Where the settings are told: vanilla from 1.20.2 on does it before the game only. */
    settingsPhase?: 'play' | 'configuration'
    timeoutMs?: number
  } = {},
): Promise<RawClient> {
  const protocol = require('minecraft-protocol') as {
    createClient(options: unknown): RawClient
    supportFeature?: unknown
  }
  const settings = clientSettings(options.locale ?? 'en_us')
  const client = protocol.createClient({
    host: '127.0.0.1',
    port,
    username,
    auth: 'offline',
    version,
    hideErrors: true,
    // most of what a client costs here
    validateChannelProtocol: false,
    // told while it is configured, as Java clients do from 1.20.2 on
    clientSettings: settings,
  })
  // ending twice would leave a timer of 30 s behind
  const { end } = client
  client.end = (reason) => {
    client.end = () => {}
    end.call(client, reason)
  }
  t.teardown(() => client.end('done'))
  const { brand } = options
  // as Java clients do from 1.20.2 on
  if (brand !== undefined)
    client.on('state', (state) => {
      if (state !== 'configuration') return
      const data = Buffer.concat([Buffer.from([brand.length]), Buffer.from(brand)])
      client.write('custom_payload', { channel: 'minecraft:brand', data })
    })
  // flying-squid sends health as the last step of a login
  const spawned = nextEvent(client, 'update_health', undefined, options.timeoutMs ?? 20_000)
  const received: RawClient['received'] = []
  const clientErrors: Error[] = []
  let looked = false
  client.on('error', (error: Error) => clientErrors.push(error))
  client.on('packet', (data: Record<string, unknown>, meta: { state: string; name: string }) => {
    if (meta.state === 'play' && !NOISE.test(meta.name)) received.push({ name: meta.name, data })
  })
  if (options.settingsPhase !== 'configuration') client.on('login', () => client.write('settings', settings))
  client.on('position', (at: Record<string, number | undefined>) => {
    if (at['teleportId'] !== undefined) client.write('teleport_confirm', { teleportId: at['teleportId'] })
    const flags = { onGround: true, hasHorizontalCollision: false }
    client.write('position_look', {
      x: at['x'],
      y: at['y'],
      z: at['z'],
      yaw: 0,
      pitch: 0,
      onGround: true,
      flags,
    })
    if (looked) return
    looked = true
    // flying-squid finishes a login only after the first 'look' or 'flying'
    client.write('look', { yaw: 1, pitch: 0, onGround: true, flags })
  })
  Object.assign(client, { received, clientErrors, say: (line: string) => sayAs(client, version, line) })
  await spawned
  return client
}

/** The `settings` packet of every version. */
export function clientSettings(locale: string): Record<string, unknown> {
  return {
    locale,
    viewDistance: 2,
    chatFlags: 0,
    chatColors: true,
    skinParts: 127,
    mainHand: 1,
    enableTextFiltering: false,
    enableServerListing: true,
    particleStatus: 'all',
    particles: 'all',
  }
}

function sayAs(client: RawClient, version: string, line: string): void {
  const data = require('minecraft-data')(version) as { supportFeature(name: string): boolean }
  if (!data.supportFeature('signedChat')) return client.write('chat', { message: line })
  const common = {
    timestamp: BigInt(Date.now()),
    salt: 0n,
    messageCount: 0,
    offset: 0,
    acknowledged: Buffer.alloc(3),
    checksum: 0,
  }
  if (line.startsWith('/')) {
    client.write('chat_command', {
      command: line.slice(1),
      argumentSignatures: [],
      signedPreview: false,
      ...common,
    })
  } else {
    client.write('chat_message', { message: line, signature: undefined, signedPreview: false, ...common })
  }
}

/** A mineflayer bot in the world. */
export interface Bot extends EventEmitter {
  readonly username: string
  readonly _client: EventEmitter
  chat(text: string): void
  end(reason?: string): void
}

/** Joins with a mineflayer bot and waits for its spawn. */
export async function joinBot(t: Teardown, port: number, version: string, username: string): Promise<Bot> {
  const mineflayer = require('mineflayer') as { createBot(options: unknown): Bot }
  const bot = mineflayer.createBot({
    host: '127.0.0.1',
    port,
    username,
    auth: 'offline',
    version,
    hideErrors: true,
  })
  t.teardown(() => bot.end('done'))
  await nextEvent(bot, 'spawn', undefined, 20_000)
  return bot
}
