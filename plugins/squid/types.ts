/**
 * What we use of flying-squid 1.12 and minecraft-protocol, which ship no types. This is the boundary: packet fields
 * arrive as `unknown` and are decoded before use.
 */
import type { EventEmitter } from 'node:events'

/** One connection of minecraft-protocol, server side. */
export interface SquidClient extends EventEmitter {
  readonly uuid: string
  readonly username: string
  readonly state: string
  readonly ended?: boolean
  readonly socket: { readonly remoteAddress?: string; destroy(): void } | null
  readonly serializer?: {
    readonly writable: boolean
    createPacketBuffer(packet: { name: string; params: unknown }): Buffer
  }
  write(name: string, params: unknown): void
  writeRaw(packet: Buffer): void
  end(reason?: string): void
}

/** A stack as prismarine-item holds it. */
export interface SquidItem {
  readonly type: number
  readonly name: string
  readonly displayName: string
  count: number
  readonly nbt?: unknown
  readonly stackSize: number
}

/** A player of flying-squid; members appear while its hooks run, so the late ones are optional. */
export interface SquidPlayer extends EventEmitter {
  readonly _client: SquidClient
  readonly id: number
  /** Undefined until login. */
  username?: string
  uuid?: string
  op?: boolean
  view?: number
  gameMode: number
  health: number
  food: number
  level?: number
  xp?: number
  heldItemSlot: number
  position: { x: number; y: number; z: number }
  disconnected?: boolean
  world?: unknown
  inventory?: {
    slots: (SquidItem | null | undefined)[]
    updateSlot(slot: number, item: SquidItem | null): void
  }
  chat(text: unknown): void
  handleCommand(text: string): Promise<void>
}

/** Who ran a command: a player, or the console when `player` is absent. */
export interface CommandContext {
  readonly player?: SquidPlayer
}

/** A command as flying-squid registers it; only the first word is looked up. */
export interface SquidCommandParams {
  readonly base: string
  readonly aliases?: readonly string[]
  readonly info?: string
  readonly usage?: string
  op?: boolean
  readonly onlyConsole?: boolean
  readonly tab?: readonly string[]
  /** `false` shows the usage. */
  readonly parse?: ((text: string, context: CommandContext) => unknown) | RegExp
  /** A truthy result is shown in red. */
  readonly action: (parsed: unknown, context: CommandContext) => unknown
}

/** flying-squid's command table. */
export interface SquidCommands {
  readonly hash: Record<string, { readonly params: SquidCommandParams; readonly base: string }>
  readonly uniqueHash: Record<string, { readonly params: SquidCommandParams; readonly base: string }>
  use(command: string, context?: CommandContext, op?: boolean): Promise<unknown>
  add(params: SquidCommandParams): void
}

/** The registry facts we read. */
export interface SquidRegistry {
  readonly version: {
    readonly minecraftVersion?: string
    '>='(version: string): boolean
    '<'(version: string): boolean
  }
  readonly itemsByName: Readonly<
    Record<
      string,
      { readonly id: number; readonly displayName: string; readonly stackSize: number } | undefined
    >
  >
  readonly items: Readonly<Record<number, { readonly name: string; readonly stackSize: number } | undefined>>
  readonly itemsArray: readonly { readonly id: number; readonly name: string; readonly displayName: string }[]
  readonly blocksByName: Readonly<Record<string, unknown>>
  readonly enchantmentsArray: readonly { readonly id: number; readonly name: string }[]
  /** What clients are told when they come; the registries that the server lists, by name. */
  readonly loginPacket?: {
    readonly dimensionCodec?: Readonly<
      Record<string, { readonly entries?: readonly { readonly key: string }[] } | undefined>
    >
  }
  readonly protocol: {
    readonly types: {
      /** From 1.20.5 on: names of data components by their number. */
      readonly SlotComponentType: readonly [string, { readonly mappings: Readonly<Record<string, string>> }]
    }
  }
  /** The client's own English texts by translation key. */
  readonly language?: Readonly<Record<string, string>>
}

/** A flying-squid server. */
export interface SquidServer extends EventEmitter {
  readonly _server: EventEmitter & {
    readonly socketServer: { address(): { port: number } | null }
    readonly options: Record<string, unknown>
    readonly maxPlayers?: unknown
    readonly clients: Readonly<Record<string, SquidClient>>
  }
  readonly registry: SquidRegistry
  readonly commands: SquidCommands
  readonly plugins: Record<string, { readonly settings?: unknown; readonly server?: unknown }>
  readonly players: SquidPlayer[]
  readonly netherworld?: unknown
  readonly entities: Record<string, unknown>
  readonly pluginsReady: boolean
  /** Ticks since the world began. */
  readonly time?: number
  readonly tabComplete?: { readonly types: Record<string, (data: unknown) => readonly string[]> }
  supportFeature(name: string): boolean
  getPlayer(name: string): SquidPlayer | null | undefined
  handleCommand(text: string): Promise<void>
  addPlugin(name: string, plugin: unknown, settings?: unknown): void
  waitForReady(timeoutMs: number): Promise<unknown>
  quit(reason?: string): Promise<void>
  stopTickInterval(): void
  setTickInterval(ticksPerSecond: number): void
  info(text: string): void
  warn(text: string): void
  err(text: string): void
}
