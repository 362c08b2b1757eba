import { isUuid } from '../../../lib/core/ids.js'
import type { SquidPlayer } from '../types.js'
import { playerInternals } from './internals.js'
import type { RepairContext } from './repair.js'

/** Ids of our own windows. The host's chests count from 1, and an id is a signed byte up to 1.20.4. */
export const OWN_WINDOWS = { first: 101, last: 120 } as const

/** Who shows windows of our own and hears what clients do in them. What a packet says is the client's claim. */
export interface WindowOwner {
  /** A click with one of our ids, whether that window is open or not. */
  click(player: SquidPlayer, click: Readonly<Record<string, unknown>>): void
  /** The client says that it has closed a window with one of our ids. */
  closed(player: SquidPlayer, windowId: number): void
  /** Shows what is open once more; false: nothing is. */
  show(player: SquidPlayer): boolean
}

type GateParts = Pick<RepairContext, 'tap' | 'sync' | 'limits'>

/**
 * What concerns our own windows goes to who shows them and is seen by nobody else, whatever repairs are on. Clicks beyond
 * the limit are dropped here, those of the host's windows too.
 */
export class WindowGate {
  #owner: WindowOwner | null = null

  constructor({ tap, sync, limits }: GateParts) {
    sync.ours((player) => this.#owner?.show(player) ?? false)
    tap.filter('window_click', ({ client, player, data }) => {
      if (player === undefined) return 'pass'
      const id = client.uuid.toLowerCase()
      if (isUuid(id) && limits.take(id, 'click') !== 'ok') {
        sync.answer(client, data, false)
        sync.resyncSoon(player)
        return 'swallow'
      }
      if (this.#owner === null || !isOurs(player, data['windowId'])) return 'pass'
      this.#owner.click(player, data)
      return 'swallow'
    })
    tap.filter('close_window', ({ player, data }) => {
      const { windowId } = data
      if (this.#owner === null || player === undefined || !isOurs(player, windowId)) return 'pass'
      this.#owner.closed(player, windowId)
      return 'swallow'
    })
  }

  /** From now on our ids are this one's; null: there are no such windows any more. */
  own(owner: WindowOwner | null): void {
    this.#owner = owner
  }
}

function isOurs(player: SquidPlayer, id: unknown): id is number {
  if (typeof id !== 'number' || id < OWN_WINDOWS.first || id > OWN_WINDOWS.last) return false
  const { windowId, windowType = '' } = playerInternals(player)
  // somebody has opened a hundred chests
  return windowType === '' || windowId !== id
}
