import type { NbtCompound, NbtTree } from '../../../../lib/codec/nbt/index.js'
import type { PlayerId } from '../../../../lib/core/ids.js'
import { byte, compound, compounds, int, string } from './nbt-values.js'

const float = (value: number): NbtTree => ({ type: 'float', value })
const double = (value: number): NbtTree => ({ type: 'double', value })
const short = (value: number): NbtTree => ({ type: 'short', value })
const empty: NbtTree = { type: 'list', value: { type: 'end', value: [] } }

/** Attributes of a new player: name before and after the names in snake case, and base value. */
const ATTRIBUTES: readonly (readonly [old: string, name: string, base: number])[] = [
  ['generic.maxHealth', 'generic.max_health', 20],
  ['generic.knockbackResistance', 'generic.knockback_resistance', 0],
  ['generic.movementSpeed', 'generic.movement_speed', 0.10000000149011612],
  ['generic.armor', 'generic.armor', 0],
  ['generic.armorToughness', 'generic.armor_toughness', 0],
  ['generic.attackDamage', 'generic.attack_damage', 1],
  ['generic.attackSpeed', 'generic.attack_speed', 4],
  ['generic.luck', 'generic.luck', 0],
]

/** The same for everybody. */
const FIXED: NbtCompound = {
  HurtByTimestamp: int(0),
  SleepTimer: short(0),
  Invulnerable: byte(0),
  FallFlying: byte(0),
  PortalCooldown: int(0),
  AbsorptionAmount: float(0),
  abilities: compound({
    invulnerable: byte(0),
    mayfly: byte(0),
    instabuild: byte(0),
    walkSpeed: float(0.10000000149011612),
    mayBuild: byte(1),
    flying: byte(0),
    flySpeed: float(0.05000000074505806),
  }),
  FallDistance: float(0),
  recipeBook: compound({
    recipes: empty,
    isFilteringCraftable: byte(0),
    toBeDisplayed: empty,
    isGuiOpen: byte(0),
  }),
  DeathTime: short(0),
  XpSeed: int(0),
  seenCredits: byte(0),
  Motion: { type: 'list', value: { type: 'double', value: [0, -0.0784000015258789, 0] } },
  foodSaturationLevel: float(5),
  Air: short(300),
  Dimension: int(0),
  XpLevel: int(0),
  Score: int(0),
  Sleeping: byte(0),
  Fire: short(-20),
  XpP: float(0),
  EnderItems: empty,
  DataVersion: int(1343),
  foodExhaustionLevel: float(0),
  HurtTime: short(0),
  foodTickTimer: int(0),
}

/** What flying-squid 1.12 writes for a player who had no file, without what every save replaces. */
export function newPlayerMembers(player: PlayerId, hasSnakeCase: boolean): NbtCompound {
  const attributes = ATTRIBUTES.map(([old, name, base]) => ({
    Base: double(base),
    Name: string(hasSnakeCase ? name : old),
  }))
  return {
    ...FIXED,
    Attributes: compounds(attributes),
    ...uuidMembers(player),
  }
}

/** The members that name the player. Nobody reads them, as the file's name does; a file under another name is adapted. */
export function uuidMembers(player: PlayerId): NbtCompound {
  const bits = BigInt(`0x${player.replaceAll('-', '')}`)
  return {
    UUIDLeast: { type: 'long', value: BigInt.asIntN(64, bits) },
    UUIDMost: { type: 'long', value: BigInt.asIntN(64, bits >> 64n) },
  }
}
