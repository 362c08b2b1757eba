import { existsSync } from 'node:fs'
import * as plugin from '../system.js'
import type { SystemHandle } from '../squid/system-handle.js'
import type { SquidServer } from '../squid/types.js'
import type { ServeOptions } from './arguments.js'
import { loadSquid } from './load-squid.js'

const START_MS = 30_000
/** How often is looked whether npm still runs. */
const PARENT_MS = 1_000
/**
 * A stop is over after this long, whatever still hangs. The sum of the bounds inside is more: what is cut then is said at
 * `stop`.
 */
const STOP_MS = 2_500

/** Starts the server. Resolves with null once it runs, or with an exit status when it can't. */
export async function serve(options: ServeOptions): Promise<number | null> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { squid, defaults, console: reader } = loadSquid()
  const serv = squid.createMCServer({
    ...defaults,
    port: options.port,
    version: options.version,
    worldFolder: options.world,
    'online-mode': options.onlineMode,
    'everybody-op': false,
    'max-players': 24,
    'max-entities': 1_000,
    gameMode: 0,
    logging: false,
    // else minecraft-protocol compiles a validator of its plugin channels at each login: 0.2 s in which no tick runs
    validateChannelProtocol: false,
    motd: 'flying-squid with the System',
    generation: { name: 'superflat', options: { worldHeight: 80 } },
    plugins: {},
  })
  takeSignals(() => void stop(serv))
  followNpm(() => void stop(serv))
  const { config, languageFolder } = options
  serv.addPlugin('flying-squid-system', plugin, {
    configFolder: config,
    autoGrant: 'system:default',
    ...(languageFolder === undefined ? {} : { languageFolder }),
  })
  const failed = new Promise<Error>((resolve) => serv.once('error', resolve))
  const started = await Promise.race([serv.waitForReady(START_MS).then(() => null), failed])
  if (started !== null) {
    console.error(`the server did not start: ${started.message}`)
    return 1
  }
  const system = systemOf(serv)
  reader?.on('SIGINT', () => void stop(serv))
  listenToConsole(serv)
  if ((await system?.ready) === 'ready') {
    console.log(`System ready on port ${serv._server.socketServer.address()?.port ?? options.port}`)
  }
  return null
}

/**
 * Makes `stop` the one answer to the signals that end a server. flying-squid's own handlers end the process with another
 * status and without waiting for anybody; they come whenever a module that it imports has been loaded.
 */
function takeSignals(stop: () => void): void {
  const isEnd = (event: string | symbol): boolean => event === 'SIGINT' || event === 'SIGTERM'
  const events: NodeJS.EventEmitter = process
  events.on('newListener', (event: string | symbol, listener: () => void) => {
    if (isEnd(event) && listener !== stop) queueMicrotask(() => events.removeListener(event, listener))
  })
  for (const signal of ['SIGINT', 'SIGTERM']) {
    events.removeAllListeners(signal)
    events.on(signal, stop)
  }
}

/**
 * npm passes a signal to a shell that dies of it and tells nobody: a server started by `npm start` or npx would run on,
 * with its port, as an orphan. Another parent than at the start means that npm has gone.
 */
function followNpm(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, PARENT_MS)
  timer.unref()
}

/** Takes console lines with or without a slash; `stop` waits for the System and for no player longer than a signal does. */
function listenToConsole(serv: SquidServer): void {
  const info = { info: 'Stop the server', usage: '/stop', op: true }
  serv.commands.add({ base: 'stop', ...info, action: () => void stop(serv) })
  const handle = serv.handleCommand.bind(serv)
  serv.handleCommand = async (line) => {
    const text = line.trim().replace(/^\//, '')
    if (text !== '') await handle(text)
  }
}

/**
 * Ends the server and the process: players are told, threads are ended, the status is 0. What decides comes first: the last
 * saves of players, then usage and configuration, then requests, items and records. After STOP_MS the rest is cut: changes
 * that nobody was told to be durable, the lock of the data folder (the next start takes it over), the gentle end of
 * threads. Players' files that are not saved by then are written at the exit, on this thread, for up to 2 s more.
 */
async function stop(serv: SquidServer): Promise<void> {
  const end = async (): Promise<void> => {
    await serv.quit('Server closed')
    await systemOf(serv)?.closed
  }
  const late = new Promise((resolve) => {
    setTimeout(resolve, STOP_MS)
  })
  await Promise.race([end(), late]).catch((thrown: unknown) => console.error(thrown))
  process.exit(0)
}

const systemOf = (serv: SquidServer): SystemHandle | undefined => (serv as { system?: SystemHandle }).system
