import { createHash } from 'node:crypto'
import type { SigninReward } from '../commerce/index.js'
import type { PlayerId } from '../core/ids.js'
import type { Holder } from '../registry/index.js'

/** Bits of a hash that a number holds exactly. */
const BITS = 52

/**
 * The rewards that a player may choose from on a day: drawn by weight without putting back, and the same whenever they are
 * asked for. Each reward has a number of its own from player, day and id; the smallest exponential keys win (Efraimidis and
 * Spirakis), so one that leaves the catalogue makes room for the next and changes nothing about the others.
 */
export function candidatesOf(
  rewards: readonly Holder<SigninReward>[],
  {
    player,
    day,
    count,
    isUsable,
  }: {
    readonly player: PlayerId
    readonly day: string
    readonly count: number
    /** Whether it can be given as it is: what this version of the game hasn't is no choice. */
    readonly isUsable: (reward: SigninReward) => boolean
  },
): readonly Holder<SigninReward>[] {
  const ranked = rewards
    .map((holder) => ({
      holder,
      key: -Math.log(shareOf(`${player} ${day} ${holder.id}`)) / holder.value.weight,
    }))
    .sort((a, b) => a.key - b.key || (a.holder.id < b.holder.id ? -1 : 1))
  const found: Holder<SigninReward>[] = []
  for (const { holder } of ranked) {
    if (found.length >= count) break
    if (isUsable(holder.value)) found.push(holder)
  }
  return found
}

/** A number between 0 and 1, neither of them. */
function shareOf(text: string): number {
  const hash = createHash('sha256').update(text).digest()
  const whole = Number(hash.readBigUInt64BE(0) >> BigInt(64 - BITS))
  return (whole + 0.5) / 2 ** BITS
}
