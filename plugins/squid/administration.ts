import type { SystemCommand } from '../../lib/command/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { InOrder } from '../../lib/core/in-order.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import { itemCountLine, itemTestLine } from '../../lib/inventory/index.js'
import type { Message } from '../../lib/text/index.js'
import { modulesOf, overrideModule } from './overriding.js'
import { idOf, type Players } from './players.js'
import type { Runtime } from './runtime.js'
import type { SquidPlayer } from './types.js'

/** An online player whom an administrator named. */
export interface FoundPlayer {
  readonly player: SquidPlayer
  readonly id: PlayerId
  readonly name: string
}

type ItemCommand = Extract<SystemCommand, { kind: 'item-test' | 'item-count' }>

const lineOf = (line: string): Result<Message> => ok({ key: 'system.admin.line', params: { line } })

/** Granting, revoking and testing items. Only for online single players; whoever calls has checked the right. */
export class Administration {
  readonly #runtime: Runtime
  readonly #players: Players
  /** Changes of one player: each is judged by what the one before has left. */
  readonly #changes = new InOrder<PlayerId>()
  readonly #onChange: (player: SquidPlayer, change: 'granted' | 'revoked') => void
  readonly #onModules: (player: SquidPlayer) => void

  /**
   * `onChange` is called after the change is durable: the player is told and gets its new commands; `onModules` when
   * other modules may be open to the player.
   */
  constructor(parts: {
    runtime: Runtime
    players: Players
    onChange: (player: SquidPlayer, change: 'granted' | 'revoked') => void
    onModules: (player: SquidPlayer) => void
  }) {
    this.#runtime = parts.runtime
    this.#players = parts.players
    this.#onChange = parts.onChange
    this.#onModules = parts.onModules
  }

  /** Binds the player; the message is for whoever asked. */
  async grant(system: string, name: string): Promise<Result<Message>> {
    const found = this.#find(name)
    if (!found.ok) return found
    const { player, id } = found.value
    return this.#changes.run(id, async () => {
      const granted = await this.#runtime.bindings.grant(id, system, player.username ?? name)
      if (!granted.ok) return granted
      this.#onChange(player, 'granted')
      return ok({ key: 'system.admin.granted', params: { player: player.username ?? name, system } })
    })
  }

  /** Ends all work of the player, deletes what is kept, kills the buttons. */
  async revoke(name: string): Promise<Result<Message>> {
    const found = this.#find(name)
    if (!found.ok) return found
    return this.#changes.run(found.value.id, () => this.#revoke(found.value, name))
  }

  async #revoke({ player, id }: FoundPlayer, name: string): Promise<Result<Message>> {
    const { bindings, sessions, cards } = this.#runtime
    if (bindings.systemOf(id) === null)
      return fail('system:player_not_bound', { player: player.username ?? name })
    // engine and tick queue hear of it and end what runs or waits
    sessions.moveGeneration(id)
    cards.clear(id)
    const revoked = await bindings.revoke(id)
    if (!revoked.ok) return revoked
    this.#onChange(player, 'revoked')
    return ok({ key: 'system.admin.revoked', params: { player: player.username ?? name } })
  }

  /** Opens or closes a module for one player, whatever its conditions say; null: as the System says. */
  async override({
    player,
    module,
    to,
  }: Extract<SystemCommand, { kind: 'override' }>): Promise<Result<Message>> {
    const found = this.#find(player)
    if (!found.ok) return found
    return this.#changes.run(found.value.id, async () => {
      const said = await overrideModule(this.#runtime, found.value, module, to === 'default' ? null : to)
      if (said.ok) this.#onModules(found.value.player)
      return said
    })
  }

  /** Which modules a player has. */
  modules(name: string): Result<Message> {
    const found = this.#find(name)
    return found.ok ? modulesOf(this.#runtime, found.value) : found
  }

  /** Gives, takes or counts items by the item lane; the message is the line that scripts read. */
  async testItems(command: ItemCommand): Promise<Result<Message>> {
    const found = this.#find(command.player)
    if (!found.ok) return found
    const player = found.value.id
    const { test } = this.#runtime.items
    if (command.kind === 'item-test') {
      const { action, item, count } = command
      return lineOf(itemTestLine(await test[action]({ player, item, count })))
    }
    const counted = await test.count(player, command.item)
    return counted.ok ? lineOf(itemCountLine(counted.value)) : counted
  }

  #find(name: string): Result<FoundPlayer> {
    const player = this.#players.byName(name)
    const id = player === undefined ? null : idOf(player)
    if (player === undefined || id === null) return fail('system:unknown_player', { player: name })
    return ok({ player, id, name: player.username ?? name })
  }
}
