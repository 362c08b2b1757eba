import type { SystemCommand } from '../../lib/command/index.js'
import type { AiLevel } from '../../lib/core/ai-level.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { InOrder } from '../../lib/core/in-order.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import { itemCountLine, itemTestLine } from '../../lib/inventory/index.js'
import type { Revoked } from '../../lib/binding/index.js'
import type { Message } from '../../lib/text/index.js'
import { administerCommerce } from './commerce-admin.js'
import { aiOfPlayer } from './ai-levels.js'
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

/** What players are told by, and get their commands from. */
interface AdministrationEvents {
  /** The player's commands may be others now. */
  onChange(player: SquidPlayer): void
  /** A change is durable. */
  announce(player: SquidPlayer, change: 'granted' | 'revoked'): void
}

/** Granting, revoking and testing items. Only for online single players; whoever calls has checked the right. */
export class Administration {
  readonly #runtime: Runtime
  readonly #players: Players
  /** Changes of one player: each is judged by what the one before has left. */
  readonly #changes = new InOrder<PlayerId>()
  readonly #events: AdministrationEvents
  readonly #isOfflineMode: boolean

  constructor(parts: {
    runtime: Runtime
    players: Players
    events: AdministrationEvents
    isOfflineMode: boolean
  }) {
    this.#isOfflineMode = parts.isOfflineMode
    this.#runtime = parts.runtime
    this.#players = parts.players
    this.#events = parts.events
  }

  /** Binds the player; the message is for whoever asked. */
  async grant(system: string, name: string): Promise<Result<Message>> {
    const found = this.#find(name)
    if (!found.ok) return found
    const { player, id } = found.value
    return this.#changes.run(id, async () => {
      const granted = await this.#runtime.bindings.grant(id, system, player.username ?? name)
      if (!granted.ok) return granted
      this.#tell(id, 'granted')
      return ok({ key: 'system.admin.granted', params: { player: player.username ?? name, system } })
    })
  }

  /** Ends all work of the player, deletes what is kept, kills the buttons. `reset`: also what can't be read. */
  async revoke(name: string, kind: 'revoke' | 'reset'): Promise<Result<Message>> {
    const found = this.#find(name)
    if (!found.ok) return found
    const { player, id } = found.value
    const revoked = { id, name: player.username ?? name }
    return this.#changes.run(id, async () => {
      const done = await this.#runtime.revocation.run(revoked, kind)
      if (done.ok) this.#tell(id, 'revoked')
      // what was begun may have taken commands away
      else if (done.failure.code === 'system:revoke_failed') this.#tell(id, null)
      return done.ok ? ok(revokedMessage(revoked.name, kind, done.value)) : done
    })
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
      const said = await overrideModule(this.#runtime, found.value, {
        module,
        to: to === 'default' ? null : to,
      })
      if (said.ok) this.#events.onChange(found.value.player)
      return said
    })
  }

  /** Which modules a player has. */
  modules(name: string): Result<Message> {
    const found = this.#find(name)
    return found.ok ? modulesOf(this.#runtime, found.value) : found
  }

  /** Prints (undefined), sets, or takes back (null) what a player, here or not, may have of a model. */
  ai(name: string, level: AiLevel | null | undefined): Promise<Result<Message>> {
    const [runtime, players, isOfflineMode] = [this.#runtime, this.#players, this.#isOfflineMode]
    return aiOfPlayer({ runtime, players, isOfflineMode }, name, level)
  }

  /** Orders and currencies of a player, here or not; each message is a line. */
  commerce(command: Parameters<typeof administerCommerce>[1]): Promise<Result<readonly Message[]>> {
    const [runtime, players, isOfflineMode] = [this.#runtime, this.#players, this.#isOfflineMode]
    return administerCommerce({ runtime, players, isOfflineMode }, command)
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

  /** The player as it is here now: it may have gone, or come again, meanwhile. */
  #tell(id: PlayerId, change: 'granted' | 'revoked' | null): void {
    const player = this.#players.find(id)
    if (player === undefined) return
    this.#events.onChange(player)
    if (change !== null) this.#events.announce(player, change)
  }

  #find(name: string): Result<FoundPlayer> {
    const player = this.#players.byName(name)
    const id = player === undefined ? null : idOf(player)
    if (player === undefined || id === null) return fail('system:unknown_player', { player: name })
    return ok({ player, id, name: player.username ?? name })
  }
}

function revokedMessage(player: string, kind: 'revoke' | 'reset', { discarded }: Revoked): Message {
  const left: Message = { key: 'system.admin.not_undone' }
  if (kind === 'revoke') return { key: 'system.admin.revoked', params: { player, left } }
  if (discarded === null) return { key: 'system.admin.reset', params: { player, left } }
  return { key: 'system.admin.reset_discarded', params: { player, code: discarded, left } }
}
