import { PlayerSession } from '../../plugins/squid/shield/playerdata/session.js'

/**
 * Makes the lane wrong on purpose: items are put into the live inventory and saved with it before the save that names
 * their operation. Ended in between, the player has them and may claim them again.
 */
export function creditFirst(): void {
  const { saveAhead, change } = PlayerSession.prototype
  PlayerSession.prototype.saveAhead = async function (this: PlayerSession, content) {
    const before = this.slots()
    const changes = content.slots.flatMap((stack, slot) => (stack === before[slot] ? [] : [{ slot, stack }]))
    change.call(this, changes, content.xp)
    await this.save()
    // what the lane applies now is there already
    this.change = (): void => Reflect.deleteProperty(this, 'change') as unknown as void
    return saveAhead.call(this, content)
  }
}
