/** Parts of minecraft-protocol's server connection that only the shield touches. */
import type { Transform } from 'node:stream'
import type { CommandContext, SquidClient, SquidPlayer, SquidServer } from '../types.js'

type TransformFn = (chunk: Buffer, encoding: string, done: (error?: Error) => void) => void

/** A byte stream of a connection; `_transform` is replaced on the instance. */
export interface ByteStage extends Transform {
  _transform: TransformFn
}

/** The compiled readers of a protocol's types, by name; of them, the one for NBT lists. */
export interface NbtReaders {
  list?: (buffer: Buffer, offset: number) => unknown
}

/** A connection with its inner stages. */
export interface ClientInternals {
  readonly isServer: boolean
  readonly version: string
  /** Setting it makes the serializer of that state. */
  state: string
  /** `buffer`: the beginning of a frame whose rest hasn't come. */
  readonly splitter: ByteStage & { recognizeLegacyPing: boolean; buffer: Buffer }
  readonly decompressor: ByteStage | null
  readonly deserializer: { noErrorLogging: boolean; readonly proto?: { readonly readCtx?: NbtReaders } }
  hideErrors: boolean
  /** Absent on the server side of 1.68, where a client's acknowledgement of chat then throws. */
  readonly _lastSeenMessages?: unknown
  setCompressionThreshold: (threshold: number) => void
  write: (name: string, params: unknown) => void
  end: (reason?: unknown, full?: unknown) => void
}

/** The same object, seen from inside. */
export const internalsOf = (client: SquidClient): ClientInternals => client as unknown as ClientInternals

/** A player with the members that repairs replace. */
export interface PlayerInternals {
  behavior: (name: string, ...rest: unknown[]) => Promise<unknown>
  /** The host's chest that is open; it shows nothing but the player's own slots. */
  readonly windowId?: number
  windowType?: string
  windowPos?: unknown
  login: () => Promise<unknown>
  save: () => Promise<unknown>
  kick(reason?: string): void
  setXp(xp: number): void
  collect: (entity: unknown) => unknown
  playSoundAtSelf(sound: string): void
  /** Set by the login to what `playerDat.read` gave, whose members are then copied to the player. */
  _playerData?: {
    player: Record<string, unknown>
    inventory: { forEach(run: (entry: unknown) => void): void }
  }
  readonly spawnPoint?: { clone(): { x: number; y: number; z: number } }
  yaw?: number
  pitch?: number
  onGround?: boolean
}

/** The same object, seen from inside. */
export const playerInternals = (player: SquidPlayer): PlayerInternals => player as unknown as PlayerInternals

/** A server with the members that repairs replace or call. */
export interface ServerInternals {
  isClosed?: boolean
  quit: (reason?: string) => Promise<unknown>
  destroy: () => Promise<unknown>
  _sendPlayerList: (toPlayer: unknown) => void
  spawnObject(type: number, world: unknown, position: unknown, options: Record<string, unknown>): unknown
}

/** The same object, seen from inside. */
export const serverInternals = (serv: SquidServer): ServerInternals => serv as unknown as ServerInternals

/** The part of a command table that is replaced. */
export interface CommandsInternals {
  use: (command: string, context?: CommandContext, op?: boolean) => Promise<unknown>
}

/** A setting of flying-squid; minecraft-protocol keeps the whole settings object as its options. */
export const settingOf = (serv: SquidServer, name: string): unknown => serv._server.options[name]
