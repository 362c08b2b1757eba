import type { Failure } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import { ok, type Result } from '../../lib/core/result.js'
import {
  NO_MARKS,
  type FoundFile,
  type ItemCounts,
  type Marks,
  type Order,
  type Reconciliation,
} from '../../lib/inventory/index.js'
import type { Channels } from './channels/index.js'
import type { CommandSurface } from './commands/index.js'
import type { ClientLocales } from './locales.js'
import type { Notices } from './notices.js'
import { idOf } from './players.js'
import type { Runtime } from './runtime.js'
import type { Surface } from './surface/index.js'
import type { SquidPlayer } from './types.js'

export interface ArrivalsParts {
  readonly runtime: Runtime
  readonly surface: Surface
  readonly commands: CommandSurface
  readonly channels: Pick<Channels, 'tell'>
  readonly notices: Pick<Notices, 'arrived'>
  readonly locales: ClientLocales
  readonly logger: Logger
  /** The System that everybody gets; null: none. */
  readonly autoGrant: string | null
}

/** What a player's arrival brings about, and what the player is told of it. */
export class Arrivals {
  readonly #parts: ArrivalsParts
  /** What the login of players who are not in the world yet has decided about their items. */
  readonly #reconciled = new Map<PlayerId, ItemCounts>()
  /** The same of orders that a cost outside of the server decides: it may take its time. */
  readonly #outside = new Map<PlayerId, Promise<ItemCounts>>()

  constructor(parts: ArrivalsParts) {
    this.#parts = parts
  }

  /**
   * What a player's file and the store say about items becomes one, before the host reads the file. A store that can't be
   * used doesn't keep the player out: nothing is decided then, the file's marks stay as they are, and the lane lets
   * nothing of the player begin.
   */
  async beforeLogin(player: PlayerId, found: FoundFile): Promise<Result<Marks>> {
    const decided = await this.#decide(player, found)
    return ok(decided?.marks ?? found.marks ?? NO_MARKS)
  }

  /** The System is off for a player whose data can't be used; the log has said why. */
  onUnusable(player: SquidPlayer, reason: Failure): void {
    this.#parts.commands.refresh(player)
    this.#parts.surface.failure(player, reason)
  }

  /** Gives a new player the System that the host wants everybody to have; lets event tasks of before go on. */
  async welcome(player: SquidPlayer, id: PlayerId): Promise<void> {
    await this.#welcome(player, id)
    this.#parts.notices.arrived(id)
    // what it began before goes on
    await this.#parts.runtime.engine.events.resume(id)
  }

  async #welcome(player: SquidPlayer, id: PlayerId): Promise<void> {
    const { autoGrant, commands, locales, logger, runtime } = this.#parts
    const { bindings } = runtime
    await this.#decideLate(id)
    void this.#tellOutcomes(player, id)
    // who waits for a System that isn't defined now gets no other in its place, and who comes back while it is taken none
    if (autoGrant === null || bindings.boundTo(id) !== null || bindings.isSuspended(id))
      return commands.refresh(player)
    const granted = await bindings.grant(id, autoGrant, player.username ?? '')
    commands.refresh(player)
    if (!granted.ok) return logger.warn(`autoGrant ${autoGrant}: ${granted.failure.code}`)
    await locales.whenKnown(player._client)
    // taken away again meanwhile
    if (bindings.systemOf(id) !== null) this.announce(player, 'granted')
  }

  /** Tells of a binding that began or ended. */
  announce(player: SquidPlayer, change: 'granted' | 'revoked'): void {
    const tone = change === 'granted' ? 'good' : 'muted'
    this.#parts.surface.line(player, { key: `system.binding.${change}` }, tone)
    const id = idOf(player)
    const system = id === null ? null : this.#parts.runtime.bindings.systemOf(id)
    this.#parts.channels.tell(player, { type: 'binding', system })
  }

  /** Null: the login could not decide. */
  async #decide(player: PlayerId, found: FoundFile): Promise<Reconciliation | null> {
    const { lane } = this.#parts.runtime.items
    const decided = await lane.login(player, found)
    if (!decided.ok) return null
    this.#remember(player, decided.value)
    // what is outside of the server may take its time, and needs neither the file nor the player
    if (decided.value.external.length > 0)
      this.#outside.set(player, this.#decideOutside(player, decided.value.external))
    return decided.value
  }

  /** Where the host reads and saves players itself nobody asked before; else what the login could not decide. */
  async #decideLate(player: PlayerId): Promise<void> {
    const { lane } = this.#parts.runtime.items
    if (lane.mode === 'at-most-once') {
      await this.#decide(player, { exists: true, isReadable: true, marks: null })
      return
    }
    const decided = await lane.decide(player)
    if (!decided.ok || decided.value === null) return
    this.#remember(player, decided.value)
    this.#outside.set(player, this.#outcomes(player, decided.value.external))
  }

  async #decideOutside(player: PlayerId, orders: readonly string[]): Promise<ItemCounts> {
    await this.#parts.runtime.items.lane.decideExternal(player, orders)
    return this.#outcomes(player, orders)
  }

  /** What a cost outside of the server has made of orders. */
  async #outcomes(player: PlayerId, orders: readonly string[]): Promise<ItemCounts> {
    const book = await this.#parts.runtime.items.lane.book(player)
    const all = book.ok ? book.value.orders.filter(({ id }) => orders.includes(id)) : []
    const count = (state: Order['state']): number => all.filter((order) => order.state === state).length
    return {
      completed: count('COMPLETED'),
      failed: count('FAILED'),
      voided: 0,
      flagged: count('PAYMENT_UNKNOWN'),
    }
  }

  #remember(player: PlayerId, { counts }: Reconciliation): void {
    if (Object.values(counts).some((count) => count > 0)) this.#reconciled.set(player, counts)
  }

  /** At once what the login decided, and later what it had to ask for. */
  async #tellOutcomes(player: SquidPlayer, id: PlayerId): Promise<void> {
    const [reconciled, outside] = [this.#reconciled.get(id), this.#outside.get(id)]
    this.#reconciled.delete(id)
    this.#outside.delete(id)
    if (reconciled !== undefined) this.#tellCounts(player, reconciled)
    const counts = await outside
    if (counts !== undefined && player.disconnected !== true) this.#tellCounts(player, counts)
  }

  #tellCounts(player: SquidPlayer, { completed, failed, voided, flagged }: ItemCounts): void {
    if (completed + failed + voided + flagged === 0) return
    const params = { completed, undone: failed + voided, flagged }
    this.#parts.surface.line(
      player,
      { key: 'system.items.reconciled', params },
      flagged > 0 ? 'bad' : 'muted',
    )
  }
}
