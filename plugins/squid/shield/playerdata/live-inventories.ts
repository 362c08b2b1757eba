import { failure } from '../../../../lib/core/failure.js'
import { isUuid, type PlayerId } from '../../../../lib/core/ids.js'
import {
  NO_MARKS,
  type PlayerInventories,
  type PlayerInventory,
  type SaveOutcome,
} from '../../../../lib/inventory/index.js'
import type { SquidPlayer, SquidServer } from '../../types.js'
import { StackData } from '../item-persistence.js'
import { applyChanges, setXp, slotsOf, statsOf } from './live-player.js'

/** Inventories of players whom the host saves itself: they can be changed, and nothing is known of their saves. */
export class LiveInventories implements PlayerInventories {
  readonly #serv: SquidServer
  readonly #data: StackData

  constructor(serv: SquidServer) {
    this.#serv = serv
    this.#data = new StackData(serv)
  }

  find(player: PlayerId): PlayerInventory | null {
    const host = this.#serv.players.find(({ _client }) => _client.uuid?.toLowerCase() === player)
    if (host === undefined || host.disconnected === true || host.inventory === undefined) return null
    this.#data.learn(host)
    return inventoryOf(host, this.#data)
  }

  maxStack(item: string): number | null {
    return this.#data.maxStack(item)
  }
}

const unsaved: SaveOutcome = { saved: false, isCertain: true, failure: failure('system:storage_failed') }

const inventoryOf = (host: SquidPlayer, data: StackData): PlayerInventory => ({
  player: playerOf(host),
  slots: () => slotsOf(host, data),
  xp: () => statsOf(host).xp,
  change(changes, xp) {
    applyChanges(host, changes, data)
    if (xp !== undefined) setXp(host, xp)
  },
  marks: () => NO_MARKS,
  setMarks() {},
  save: () => Promise.resolve(unsaved),
  saveAhead: () => Promise.resolve(unsaved),
  release() {},
})

function playerOf(host: SquidPlayer): PlayerId {
  const uuid = host._client.uuid?.toLowerCase() ?? ''
  if (!isUuid(uuid)) throw new TypeError('not a player uuid')
  return uuid
}
