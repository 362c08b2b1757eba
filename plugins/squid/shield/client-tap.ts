import { EventEmitter } from 'node:events'
import type { SquidClient, SquidPlayer, SquidServer } from '../types.js'
import type { LogLimit } from './log-limit.js'

/** A packet of a client on its way to the host's listeners. `data` may be corrected in place. */
export interface PacketIn {
  readonly client: SquidClient
  /** Undefined until flying-squid's player hooks have run. */
  readonly player: SquidPlayer | undefined
  /** Whether the login is over and the player may act. */
  readonly isSpawned: boolean
  readonly data: Record<string, unknown>
}

/** Decides over one packet; `swallow` keeps it from every later filter and every listener. */
export type PacketFilter = (packet: PacketIn) => 'pass' | 'swallow'

const MAX_LISTENERS = 32

interface Tapped {
  player: SquidPlayer | undefined
  isSpawned: boolean
  release(): void
}

type Emit = (event: string | symbol, ...args: unknown[]) => boolean
type EmitHolder = { emit: Emit }

/**
 * Stands between minecraft-protocol and the listeners of each connection by wrapping `emit` on the instance, once for
 * all repairs. Independent of load order; a plugin that wraps `emit` later sees packets first.
 */
export class ClientTap {
  readonly #filters = new Map<string | symbol, PacketFilter[]>()
  readonly #tapped = new WeakMap<SquidClient, Tapped>()
  readonly #onClient: ((client: SquidClient) => void)[] = []
  readonly #onPlayer: ((player: SquidPlayer) => void)[] = []
  #isIsolating = false
  #isOpen = false
  readonly #connected = (client: SquidClient): void => void this.#attach(client)
  readonly #joined = (player: SquidPlayer): void => this.#adopt(player, false)

  constructor(
    private readonly serv: SquidServer,
    private readonly log: LogLimit,
  ) {}

  /** Adds a filter for packets of one name; filters run in the order of their adding. */
  filter(name: string, filter: PacketFilter): void {
    const list = this.#filters.get(name)
    if (list === undefined) this.#filters.set(name, [filter])
    else list.push(filter)
  }

  /** Runs for every connection there is and will be. */
  onClient(listener: (client: SquidClient) => void): void {
    this.#onClient.push(listener)
  }

  /** Runs for every player there is, and for each new one when all of the host's player hooks have run. */
  onPlayer(listener: (player: SquidPlayer) => void): void {
    this.#onPlayer.push(listener)
  }

  /** From now on a listener that throws or rejects is logged; the others run and the process lives. */
  isolate(): void {
    this.#isIsolating = true
  }

  /** Starts tapping. Filters and listeners are added before. */
  open(): void {
    this.#isOpen = true
    this.serv._server.on('connection', this.#connected)
    this.serv.on('newPlayer', this.#joined)
    for (const client of Object.values(this.serv._server.clients)) this.#attach(client)
    for (const player of this.serv.players ?? []) this.#adopt(player, true)
  }

  /** Takes the wrappers off where no one wrapped on top; elsewhere they only pass on. */
  close(): void {
    this.#isOpen = false
    this.serv._server.removeListener('connection', this.#connected)
    this.serv.removeListener('newPlayer', this.#joined)
    for (const client of Object.values(this.serv._server.clients)) this.#tapped.get(client)?.release()
  }

  /** Hands an event to the listeners without filters, as if the client had sent it. */
  deliver(client: SquidClient, name: string, data: Record<string, unknown>): void {
    emitToEach(client, [name, data, { name, state: client.state }], this.#report)
  }

  #attach(client: SquidClient): Tapped {
    const known = this.#tapped.get(client)
    if (known !== undefined) return known
    const holder = client as unknown as EmitHolder
    const hadOwn = Object.hasOwn(client, 'emit')
    const inner = holder.emit
    const outer: Emit = (event, ...args) => this.#emit(client, inner, [event, ...args])
    holder.emit = outer
    const release = (): void => {
      if (holder.emit !== outer) return
      if (hadOwn) holder.emit = inner
      else Reflect.deleteProperty(client, 'emit')
    }
    const tapped: Tapped = { player: undefined, isSpawned: false, release }
    this.#tapped.set(client, tapped)
    for (const listener of this.#onClient) this.#guarded(() => listener(client))
    return tapped
  }

  #adopt(player: SquidPlayer, isSpawned: boolean): void {
    // each part that keeps something of a player listens for its end: more than Node takes for a leak
    player.setMaxListeners(Math.max(player.getMaxListeners(), MAX_LISTENERS))
    const tapped = this.#attach(player._client)
    tapped.player = player
    tapped.isSpawned = isSpawned
    // each part of ours and of other plugins waits for the leaving of a player: more than Node takes for a leak
    player.setMaxListeners(0)
    player.once('spawned', () => {
      tapped.isSpawned = true
    })
    for (const listener of this.#onPlayer) this.#guarded(() => listener(player))
  }

  #emit(client: SquidClient, inner: Emit, args: [string | symbol, ...unknown[]]): boolean {
    if (!this.#isOpen) return Reflect.apply(inner, client, args)
    const filters = this.#filters.get(args[0])
    if (filters !== undefined && this.#isSwallowed(client, filters, args[1])) return true
    if (!this.#isIsolating) return Reflect.apply(inner, client, args)
    // EventEmitter's own rules for 'error' are kept; so is whatever an earlier plugin put in place of emit
    if (args[0] !== 'error' && inner === EventEmitter.prototype.emit)
      return emitToEach(client, args, this.#report)
    try {
      return Reflect.apply(inner, client, args)
    } catch (error) {
      this.#report(args[0], error)
      return true
    }
  }

  #isSwallowed(client: SquidClient, filters: readonly PacketFilter[], data: unknown): boolean {
    const tapped = this.#tapped.get(client)
    const packet: PacketIn = {
      client,
      player: tapped?.player,
      isSpawned: tapped?.isSpawned ?? false,
      data: (data ?? {}) as Record<string, unknown>,
    }
    try {
      return filters.some((filter) => filter(packet) === 'swallow')
    } catch (error) {
      // what a filter can't digest, the host can't either
      this.#report('filter', error)
      return true
    }
  }

  #guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#report('hook', error)
    }
  }

  readonly #report = (event: string | symbol, error: unknown): void => {
    this.log.write(`listener ${String(event)}`, `shield: a listener of ${String(event)} failed`, error)
  }
}

type Report = (event: string | symbol, error: unknown) => void

/** Like emit, but every listener is called, and what one throws or rejects with is reported. */
function emitToEach(client: SquidClient, args: [string | symbol, ...unknown[]], report: Report): boolean {
  const [event, ...rest] = args
  if (client.listenerCount(event) === 0) return false
  for (const listener of client.rawListeners(event)) {
    try {
      const result: unknown = Reflect.apply(listener, client, rest)
      if (result instanceof Promise) result.catch((error: unknown) => report(event, error))
    } catch (error) {
      report(event, error)
    }
  }
  return true
}
