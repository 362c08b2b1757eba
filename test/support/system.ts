/**
 * A System on a real server, and what a player reads of it. Messages are taken in the order in which they arrived, so a
 * message too many breaks the next step of a test.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProviderSimulator, type ProviderSimulator } from '../../lib/testing/index.js'
import { systemClock, type Clock } from '../../lib/core/clock.js'
import { componentText, type Component } from '../../lib/text/index.js'
import type { Registration } from '../../lib/agent/index.js'
import type { SquidServer } from '../../plugins/squid/types.js'
import type { SystemHandle } from '../../plugins/index.js'
import { serverHook } from '../../plugins/system.js'
import { allParts, decodeComponent } from './component.js'
import {
  bootSquid,
  joinRaw,
  nextEvent,
  type BootedServer,
  type PluginObject,
  type RawClient,
} from './squid.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

/** How a System is opened for a test. */
export interface SystemOptions {
  /** Contents of configuration files, over those that name the simulator and switch the limits off. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Further settings of the plugin; `autoGrant` is `system:default` unless given. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Settings of flying-squid. */
  readonly squid?: Record<string, unknown>
  /** The System's clock; the machine's unless given. */
  readonly clock?: Clock
  /** Called when plugins are loaded, before the System is. */
  readonly early?: (serv: SquidServer) => void
  /** Folder of other worker files, with a slash at the end. */
  readonly workersUrl?: URL
  /** What another plugin registers. */
  readonly register?: (registration: Registration) => void
}

/** A server with a ready System. */
export interface SystemServer extends BootedServer {
  readonly version: string
  readonly system: SystemHandle
  readonly provider: ProviderSimulator
  /** Lines of the server's log, colours included, the System's among them. */
  readonly log: readonly string[]
  readonly configFolder: string
}

/** A folder of its own that is removed at the end. */
export async function temporaryFolder(t: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'system-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A plugin that keeps the server's log. */
export function logKeeper(lines: string[]): PluginObject {
  return { server: (serv) => void Object.assign(serv, { log: (line: string) => lines.push(line) }) }
}

/** Starts a server, a provider simulator and a System that asks it; resolves when the System is ready (or off). */
export async function openSystem(
  t: Teardown,
  version: string,
  options: SystemOptions = {},
): Promise<SystemServer> {
  const provider = await createProviderSimulator()
  t.teardown(() => provider.close())
  const configFolder = await temporaryFolder(t)
  const log: string[] = []
  const { register, clock = systemClock, workersUrl, config = {} } = options
  const settings = {
    configFolder,
    autoGrant: 'system:default',
    ...options.settings,
    config: {
      ...config,
      'system-model': {
        provider: 'generic',
        baseUrl: provider.url,
        model: 'sim',
        apiKeyEnv: '',
        ...config['system-model'],
      },
      'system-surface': { shield: { limits: false }, ...config['system-surface'] },
    },
  }
  const extension: PluginObject = {
    server(serv) {
      options.early?.(serv)
      serv.on('system:register', (given: Registration) => register?.(given))
    },
  }
  const booted = await bootSquid(t, version, {
    plugins: {
      log: [logKeeper(log), {}],
      extension: [extension, {}],
      system: [{ server: serverHook({ clock, workersUrl }) }, settings],
    },
    ...(options.squid === undefined ? {} : { settings: options.squid }),
  })
  const { system } = booted.serv as unknown as { system: SystemHandle }
  await system.ready
  return { ...booted, version, system, provider, log, configFolder }
}

/** What the console says when alice's System was taken. */
export const REVOKED =
  'alice no longer has a System. Not undone: inventory, quest progress of the team, advancements, usage, AI permission. ' +
  'A payment under way may still finish.'

/** Types a line at the server's console and gives what it printed: at least one line. */
export async function consoleSays({ serv }: Pick<BootedServer, 'serv'>, line: string): Promise<string[]> {
  const lines: string[] = []
  const real = console.log
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the console said nothing to: ${line}`)), 10_000)
      console.log = (text: unknown) => {
        lines.push(String(text))
        clearTimeout(timer)
        // an answer of several lines is printed in one go
        setImmediate(resolve)
      }
      serv.handleCommand(line).catch(reject)
    })
  } finally {
    console.log = real
  }
  return lines
}

/** A button as a client sees it. */
export interface SeenButton {
  readonly label: string
  readonly action: string
  /** The command that a click runs or suggests. */
  readonly command: string
}

/** A player at a raw client, who reads the System's messages one after the other. */
export class Reader {
  readonly client: RawClient
  #at = 0
  #fences = 0

  constructor(client: RawClient) {
    this.client = client
  }

  /** Says a line and takes the message that comes next. */
  ask(line: string): Promise<Component> {
    this.client.say(line)
    return this.next()
  }

  /** The text of what comes next after the line. */
  async askText(line: string): Promise<string> {
    return componentText(await this.ask(line))
  }

  /** The next message that was not taken yet; waits for it. Notices of logins and the action bar are none. */
  async next(): Promise<Component> {
    for (;;) {
      const found = this.#scan()
      if (found !== undefined) return found
      await nextEvent(this.client, 'packet', undefined, 15_000)
    }
  }

  async nextText(): Promise<string> {
    return componentText(await this.next())
  }

  /** Messages that have come by now and that nobody took. */
  async rest(): Promise<string[]> {
    const fence = `fence-${this.client.username}-${(this.#fences += 1)}`
    this.client.say(fence)
    const texts: string[] = []
    for (;;) {
      const text = await this.nextText()
      if (text.includes(fence)) return texts
      texts.push(text)
    }
  }

  /** Texts above the hotbar so far. */
  get progress(): string[] {
    return this.client.received.filter(isActionBar).map(({ data }) => componentText(contentOf(data)))
  }

  #scan(): Component | undefined {
    const { received } = this.client
    while (this.#at < received.length) {
      const packet = received[this.#at]
      this.#at += 1
      if (packet === undefined || !/^(system_)?chat$/.test(packet.name) || isActionBar(packet)) continue
      const component = contentOf(packet.data)
      const text = componentText(component)
      if (!NOTICE.test(text) && (!FENCE.test(text) || text.includes(`fence-${this.client.username}-`)))
        return component
    }
    return undefined
  }
}

/** Buttons of a message in their order. */
export const buttonsOf = (component: Component): SeenButton[] =>
  allParts(component).flatMap((part) =>
    part.clickEvent === undefined
      ? []
      : [{ label: componentText(part), action: part.clickEvent.action, command: part.clickEvent.value }],
  )

/** What the button does that is called so; throws where there is none. */
export function commandOf(card: Component, label: string | RegExp): string {
  const found = buttonsOf(card).find((one) =>
    typeof label === 'string' ? one.label === label : label.test(one.label),
  )
  if (found === undefined) throw new Error(`no ${String(label)} in ${componentText(card)}`)
  return found.command
}

/** Joins with a raw client; nothing was taken yet, the announcement of a granted System included. */
export async function joinReader(
  t: Teardown,
  { port, version }: Pick<SystemServer, 'port' | 'version'>,
  name: string,
  locale = 'en_us',
): Promise<Reader> {
  return new Reader(await joinRaw(t, port, version, name, { locale }))
}

/** What flying-squid says of others, the System before a player's first request, and a reader to mark a place in the chat. */
const NOTICE = / (joined|left) the game|AI outside of this server: |本服务器之外的 AI：/
const FENCE = /^<\w+> fence-/

type Packet = RawClient['received'][number]

const isActionBar = ({ name, data }: Packet): boolean =>
  (name === 'system_chat' && data['isActionBar'] === true) || (name === 'chat' && data['position'] === 2)

const contentOf = (data: Packet['data']): Component => decodeComponent(data['content'] ?? data['message'])
