import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../../../lib/core/clock.js'
import type { Logger } from '../../../../lib/core/logger.js'
import {
  installShield,
  type RepairName,
  type Shield,
  type ShieldOptions,
} from '../../../../plugins/squid/shield/index.js'
import type { SquidClient, SquidPlayer, SquidServer } from '../../../../plugins/squid/types.js'
import { shippedLanguages } from '../../../support/catalogues.js'
import {
  bootSquid,
  clientSettings,
  nextEvent,
  type BootedServer,
  type PluginObject,
  type RawClient,
} from '../../../support/squid.js'

/** Keeps log lines. */
export class LogLines implements Logger {
  readonly lines: string[] = []
  info(message: string): void {
    this.lines.push(message)
  }
  warn(message: string): void {
    this.lines.push(message)
  }
  error(message: string, cause?: unknown): void {
    this.lines.push(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

export interface ShieldedServer extends BootedServer {
  readonly shield: Shield
  readonly log: LogLines
}

interface BootOptions {
  /** The repairs to install; all by default. */
  readonly only?: readonly RepairName[]
  readonly plugin?: PluginObject
  readonly settings?: Record<string, unknown>
  readonly shield?: Partial<ShieldOptions>
}

/** A real server with the shield installed as early as a plugin can. */
export async function bootShielded(
  t: { teardown(fn: () => unknown): void },
  version: string,
  { only, plugin, settings, shield: over }: BootOptions = {},
): Promise<ShieldedServer> {
  const log = new LogLines()
  const installed: Shield[] = []
  const booted = await bootSquid(t, version, {
    plugins: {
      shield: [
        {
          server: (serv) => {
            const options = shieldOptions(log, { enabled: (name) => only?.includes(name) ?? true, ...over })
            installed.push(installShield(serv, options))
          },
        },
        {},
      ],
      ...(plugin === undefined ? {} : { extra: [plugin, {}] }),
    },
    ...(settings === undefined ? {} : { settings }),
  })
  const [shield] = installed
  if (shield === undefined) throw new Error('the plugin was not loaded')
  t.teardown(() => shield.close())
  return { ...booted, shield, log }
}

const languages = shippedLanguages()

export const shieldOptions = (logger: Logger, over: Partial<ShieldOptions> = {}): ShieldOptions => ({
  logger,
  clock: systemClock,
  enabled: () => true,
  complete: () => null,
  text: (_player, message) => languages.text(message, 'en_us'),
  ...over,
})

/** The server's view of a player. */
export function playerOf(serv: SquidServer, name: string): SquidPlayer {
  const player = serv.getPlayer(name)
  if (player === null || player === undefined) throw new Error(`${name} is not on the server`)
  return player
}

/** The server's side of a player's connection. */
export const connectionOf = (serv: SquidServer, name: string): SquidClient => playerOf(serv, name)._client

/** Ends a connection that stock has silenced, which would linger for 30 s. */
export async function hangUp(connection: SquidClient): Promise<void> {
  const ended = once(connection, 'end')
  connection.socket?.destroy()
  await ended
}

/** Whatever text a chat packet of any version shows. */
export const chatText = (data: Record<string, unknown>): string =>
  JSON.stringify(data['content'] ?? data['message'] ?? '')

/** Waits for a chat line that contains `text`. */
export async function heard(client: RawClient, text: string, timeoutMs = 10_000): Promise<void> {
  const isIt = (name: string, data: Record<string, unknown>): boolean =>
    (name === 'system_chat' || name === 'chat') && chatText(data).includes(text)
  if (client.received.some(({ name, data }) => isIt(name, data))) return
  await new Promise<void>((resolve, reject) => {
    const over = (error?: Error): void => {
      clearTimeout(timer)
      client.removeListener('packet', listen)
      if (error === undefined) resolve()
      else reject(error)
    }
    const timer = setTimeout(() => over(new Error(`${client.username} did not hear ${text}`)), timeoutMs)
    const listen = (data: Record<string, unknown>, meta: { name: string }): void => {
      if (isIt(meta.name, data)) over()
    }
    client.on('packet', listen)
  })
}

/** The server answers this client's command: it runs, and what this client sent before has been handled. */
export async function isServed(client: RawClient, timeoutMs?: number): Promise<void> {
  const pong = nextEvent<Record<string, unknown>>(
    client,
    'packet',
    (data) => chatText(data).includes('pong'),
    timeoutMs,
  )
  client.say('/ping')
  await pong
}

/** `ended`: the process is gone. `hung`: it runs, but does nothing more. `silent`: it lives, but serves nobody. */
export type FaultOutcome = 'survived' | 'ended' | 'hung' | 'silent'

const HUNG_AFTER_MS = 10_000
const BOOT_MS = 90_000

/** Runs a fault on a stock server in a process of its own and tells how that ended. */
export async function outcomeOf(fault: string, version: string): Promise<FaultOutcome> {
  const script = fileURLToPath(new URL('../../../fixtures/shield-fault.js', import.meta.url))
  const child = spawn(process.execPath, [script, fault, version], { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  let isHung = false
  const kill = (): void => {
    isHung = output.includes('ATTACKED')
    child.kill('SIGKILL')
  }
  let timer = setTimeout(kill, BOOT_MS)
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (!output.includes('ATTACKED')) return
    clearTimeout(timer)
    timer = setTimeout(kill, HUNG_AFTER_MS)
  })
  await once(child, 'close')
  clearTimeout(timer)
  if (!output.includes('ATTACKED')) throw new Error(`the fault ${fault} on ${version} was not tried`)
  if (output.includes('SURVIVED')) return 'survived'
  return isHung ? 'hung' : output.includes('SILENT') ? 'silent' : 'ended'
}

/** A client's settings with this view distance, in the form of all versions. */
export const settingsPacket = (viewDistance: number, locale = 'en_us'): Record<string, unknown> => ({
  ...clientSettings(locale),
  viewDistance,
})
