import type { SquidPlayer } from '../types.js'

/**
 * Calls `changed` after each change of `player.op`. flying-squid has no event for it: `/op` and other plugins just
 * assign the property, so it becomes an accessor on this one player. This is the only place where we alter an object
 * of flying-squid's; the returned function restores a plain property with the value of then.
 */
export function watchOp(player: SquidPlayer, changed: () => void): () => void {
  let op = player.op
  const get = (): boolean | undefined => op
  const set = (value: boolean | undefined): void => {
    const before = Boolean(op)
    op = value
    if (before !== Boolean(value)) changed()
  }
  Object.defineProperty(player, 'op', { configurable: true, enumerable: true, get, set })
  return () => {
    if (Object.getOwnPropertyDescriptor(player, 'op')?.get !== get) return
    Object.defineProperty(player, 'op', { configurable: true, enumerable: true, writable: true, value: op })
  }
}
