/** A measured server in a process of its own, started with --expose-gc. */
import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { BroadcastChannel, MessageChannel, type Worker, type WorkerOptions } from 'node:worker_threads'
import type { SquidServer } from '../../plugins/squid/types.js'
import type { Runtime } from '../../plugins/squid/runtime.js'
import { bootSquid, squidSettings } from '../../test/support/squid.js'
import { childArgument } from './bench.js'
import { SentenceStream } from './sentence-stream.js'
import { serverArgumentSchema, type Measured } from './server-messages.js'
import { MAIN_THREAD, ThreadStat } from './thread-stat.js'
import { TickMeter } from './tick-meter.js'
import { TOOL_CHANNEL } from './worker-preload.js'

const { setup, version, players, configFolder, providerUrl, sentencesPerSecond } =
  childArgument(serverArgumentSchema)
/** What is left to do after a start. */
const SETTLE_MS = 300
/** How often the meter looks whether the event loop is free, and the stream whether sentences are due. */
const PULSE_MS = 5
const collect = (globalThis as { gc?: () => void }).gc

/** Resident memory after a full collection of the main thread's garbage. */
function residentMb(): number {
  collect?.()
  collect?.()
  return process.memoryUsage.rss() / 1_048_576
}

/** Loads a module before the worker file in every thread that is started from now on. */
function preloadIntoThreads(url: URL): void {
  const threads = createRequire(import.meta.url)('node:worker_threads') as {
    Worker: new (file: string | URL, options?: WorkerOptions) => Worker
  }
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      super(file, { ...options, execArgv: [...(options.execArgv ?? []), '--import', url.href] })
    }
  }
}

/** All players may ask at once and as much as they like. */
const pluginSettings = () => ({
  configFolder,
  autoGrant: 'system:default',
  config: {
    'system-model': { provider: 'generic', baseUrl: providerUrl, model: 'sim', apiKeyEnv: '' },
    'system-agent': {
      lanes: { interactive: { active: players, waiting: players } },
      modelConcurrency: players,
      dailyModelCalls: 1_000_000,
      dailyTokens: Number.MAX_SAFE_INTEGER,
      policies: { 'system:reasoning': { ...REASONING, reactIterations: 4 } },
    },
    'system-surface': { shield: { limits: false } },
  },
})

/** The module's own policy, with one decision more, so that a loop can call all three tools and answer. */
const REASONING = {
  modelCalls: 4,
  toolCalls: 8,
  steps: 14,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: 1_536,
  totalTokens: 262_144,
  ttlMillis: 60_000,
  modelTimeoutMillis: 12_000,
}

async function boot(): Promise<{ serv: SquidServer; port: number; runtime: Runtime | null }> {
  const settings = squidSettings(version, {
    'max-players': players + 4,
    kickTimeout: 120_000,
    // else minecraft-protocol compiles a validator at each login: 0.2 s of CPU that says nothing about ticks
    validateChannelProtocol: false,
  })
  if (setup === 'bare')
    return { ...(await bootSquid({ teardown() {} }, version, { settings })), runtime: null }
  if (setup === 'active') preloadIntoThreads(new URL('./worker-preload.js', import.meta.url))
  // loaded only here, so that the memory of a bare server is that of a bare server
  const plugin = await import('../../plugins/index.js')
  const { Installation } = await import('../../plugins/squid/installation.js')
  const { serv, port } = await bootSquid({ teardown() {} }, version, {
    settings,
    plugins: { system: [plugin, pluginSettings()] },
  })
  const { system } = serv as SquidServer & { readonly system?: unknown }
  if (!(system instanceof Installation)) throw new Error('the plugin was not installed')
  const state = await system.ready
  if (system.runtime === null) throw new Error(`the System is ${state}`)
  return { serv, port, runtime: system.runtime }
}

/** Gives each group one small job, so that its threads and all that they import are there. */
async function startGroups({ groups, local }: Runtime): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  await Promise.all([
    groups.storage.run({ kind: 'list-records', root: `${configFolder}/none`, collection: 'quests' }),
    local.route('what am I holding?'),
    // a job of no known shape: the thread loads all it needs, then refuses it
    groups.agent.run({ job: null, port: port2 }, { transferList: [port2] }),
  ])
  port1.close()
}

async function measure({ serv, runtime, meter }: Server, count: number): Promise<Measured> {
  const requests: number[] = []
  const tools: { ms: number; waitMs: number }[] = []
  const channel = new BroadcastChannel(TOOL_CHANNEL)
  // the parameter is typed as the browser's event
  channel.onmessage = (event) => void tools.push((event as { data: (typeof tools)[number] }).data)
  const onTick = (): void => void requests.push(runtime?.engine.state().active ?? 0)
  const toolsInTick = (): number => runtime?.tickQueue.state().ranInTick ?? 0
  const inTickBefore = toolsInTick()
  stream.reset()
  serv.on('tick', onTick)
  const start = performance.now()
  const ticks = await meter.sample(count)
  const seconds = (performance.now() - start) / 1_000
  const sentences = stream.result()
  serv.removeListener('tick', onTick)
  channel.close()
  return {
    ticks,
    isExact: meter.isExact,
    loadedMb: residentMb(),
    seconds,
    requests,
    sentences,
    tools,
    toolsInTick: toolsInTick() - inTickBefore,
  }
}

/** Keeps the router busy, and resolves when so many requests are under way. */
function load({ serv, runtime }: Server, requests: number): Promise<void> {
  if (runtime === null) return Promise.resolve()
  const { local, engine } = runtime
  stream = new SentenceStream((text) => local.route(text), sentencesPerSecond)
  return new Promise((resolve) => {
    const onTick = (): void => {
      if (engine.state().active < requests) return
      serv.removeListener('tick', onTick)
      resolve()
    }
    serv.on('tick', onTick)
  })
}

/** What is measured. */
interface Server {
  readonly serv: SquidServer
  /** Null without the plugin. */
  readonly runtime: Runtime | null
  readonly meter: TickMeter
}

/** Without a load the sentences are spoken too, and nobody hears them: their clock ticks in every set-up. */
let stream = new SentenceStream(() => Promise.resolve(null), sentencesPerSecond)

async function main(): Promise<void> {
  const { serv, port, runtime } = await boot()
  const meter = new TickMeter(serv, new ThreadStat(MAIN_THREAD))
  const server: Server = { serv, runtime, meter }
  setInterval(() => {
    meter.pulse()
    stream.catchUp()
  }, PULSE_MS)
  if (runtime !== null && setup === 'active') await startGroups(runtime)
  process.on('disconnect', () => process.exit(0))
  const say = (kind: string, fields: object = {}): void => void process.send?.({ kind, ...fields })
  process.on('message', (message: { kind?: unknown; ticks?: unknown; requests?: unknown }) => {
    if (message.kind === 'load') void load(server, Number(message.requests)).then(() => say('loaded'))
    if (message.kind === 'measure')
      void measure(server, Number(message.ticks)).then((measured) => say('measured', measured))
  })
  await delay(SETTLE_MS)
  say('ready', { port, restMb: residentMb() })
}

void main()
