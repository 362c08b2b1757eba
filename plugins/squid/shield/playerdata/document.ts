import { createHash } from 'node:crypto'
import {
  composeCompound,
  composeRoot,
  decodeTree,
  encodeTree,
  TagType,
  type NbtCompound,
  type NbtRoot,
  type NbtTree,
} from '../../../../lib/codec/nbt/index.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
import type { Marks } from '../../../../lib/inventory/index.js'
import { marksMembers, marksOf } from './marks-tag.js'
import {
  byte,
  compound,
  compounds,
  compoundsOf,
  int,
  integerOf,
  membersOf,
  numberOf,
  numbersOf,
  string,
  text,
  textOf,
} from './nbt-values.js'

/** Our one member of the file; everything else is as stock flying-squid reads and writes it. */
export const OURS = 'flying-squid-system'
const VERSION = 1
const INVENTORY = 'Inventory'

/** What stock keeps of a player beside the inventory. */
export interface PlayerStats {
  readonly health: number
  readonly food: number
  readonly gameMode: number
  readonly xp: number
  readonly heldItemSlot: number
  readonly position: readonly [x: number, y: number, z: number]
  readonly yaw: number
  readonly pitch: number
  readonly onGround: boolean
}

/** What a stack's entry in the file can't say. */
export interface Detail {
  /** All of the stack but type and count, as `StackData` writes it. */
  readonly data?: string
  /** More than the entry's byte holds. */
  readonly count?: number
}

/** A stack that lies in no slot: this version doesn't have it, or it was in the crafting grid or at the cursor. */
export interface Parked extends Detail {
  /** As it stood in `Inventory`, or as it would. */
  readonly entry: NbtCompound
}

/** A player's file, decoded as far as we know it. */
export interface PlayerFile {
  readonly root: NbtRoot
  /** Those that are there and make sense. */
  readonly stats: Partial<PlayerStats>
  readonly entries: readonly NbtCompound[]
  /** Null when we never saved it. */
  readonly marks: Marks | null
  /** By the file's slot numbers; none when somebody else has changed the inventory since. */
  readonly details: ReadonlyMap<number, Detail>
  readonly parked: readonly Parked[]
}

/** A stack as the file holds it, encoded. */
export interface WrittenStack {
  /** Tag bytes of its entry in `Inventory`. */
  readonly entry: Uint8Array
  /** Tag bytes of what the entry can't say, with the entry's slot number; null when it says all. */
  readonly detail: Uint8Array | null
}

/** What a save writes. */
export interface PlayerContent {
  /** The file so far: members that we don't know stay as they are. */
  readonly root: NbtRoot
  readonly stats: PlayerStats
  readonly stacks: readonly WrittenStack[]
  readonly parked: readonly Parked[]
  readonly marks: Marks
}

/** Decodes a file that was cut into its members. `system:storage_unreadable`, `system:storage_newer`. */
export function readPlayerFile(root: NbtRoot): Result<PlayerFile> {
  const inventory = root.parts.get(INVENTORY)
  const entries = inventory === undefined ? null : compoundsOf(treeOf(inventory))
  if (inventory === undefined || entries === null) return unreadable('no list of items')
  const base = { root, stats: statsOf(root), entries }
  const part = root.parts.get(OURS)
  if (part === undefined) return ok({ ...base, marks: null, details: new Map(), parked: [] })
  const ours = membersOf(treeOf(part))
  const version = integerOf(ours?.['v'])
  if (ours === null || version === null) return unreadable(`${OURS} is damaged`)
  if (version > VERSION) return fail('system:storage_newer')
  const marks = marksOf(ours)
  const extras = membersOf(ours['extras'])
  if (marks === null || extras === null) return unreadable(`${OURS} is damaged`)
  const isOurs = textOf(ours['invHash']) === hashOf(inventory)
  return ok({
    ...base,
    marks,
    details: isOurs ? detailsOf(extras['slots']) : new Map<number, Detail>(),
    parked: parkedOf(extras['parked']),
  })
}

/** The document to be written, uncompressed. Fails for what NBT can't hold. */
export function composePlayerFile({ root, stats, stacks, parked, marks }: PlayerContent): Result<Uint8Array> {
  const inventory = listOf(stacks.map(({ entry }) => entry))
  const waiting = encodeTree(
    compounds(parked.map(({ entry, ...detail }) => ({ entry: compound(entry), ...detailMembers(detail) }))),
  )
  if (!waiting.ok) return waiting
  const extras = new Map([
    ['slots', listOf(stacks.flatMap(({ detail }) => (detail === null ? [] : [detail])))],
    ['parked', waiting.value],
  ])
  const ours = encodedMembers({ v: int(VERSION), invHash: string(hashOf(inventory)) })
  const markParts = encodedMarks(marks)
  const parts = new Map(root.parts)
  const statParts = encodedMembers(statMembers(stats))
  if (!ours.ok) return ours
  if (!markParts.ok) return markParts
  if (!statParts.ok) return statParts
  for (const [name, tag] of statParts.value) parts.set(name, tag)
  parts.set(INVENTORY, inventory)
  parts.set(OURS, composeCompound([...ours.value, ...markParts.value, ['extras', composeCompound(extras)]]))
  return ok(composeRoot(parts, root.name))
}

/** Encodes what a stack's entry can't say; null when it says all. */
export function encodeDetail(slot: number, detail: Detail): Result<Uint8Array> | null {
  if (detail.data === undefined && detail.count === undefined) return null
  return encodeTree(compound({ Slot: byte(slot), ...detailMembers(detail) }))
}

type Parts = readonly (readonly [string, Uint8Array])[]

function encodedMembers(members: NbtCompound): Result<Parts> {
  const parts: [string, Uint8Array][] = []
  for (const [name, tree] of Object.entries(members)) {
    const tag = encodeTree(tree)
    if (!tag.ok) return tag
    parts.push([name, tag.value])
  }
  return ok(parts)
}

/** Marks change with each operation and are written with each save. */
const encodedOnce = new WeakMap<Marks, Parts>()

function encodedMarks(marks: Marks): Result<Parts> {
  const known = encodedOnce.get(marks)
  if (known !== undefined) return ok(known)
  const parts = encodedMembers(marksMembers(marks))
  if (parts.ok) encodedOnce.set(marks, parts.value)
  return parts
}

/** Tag bytes of a list of compounds from theirs. */
function listOf(tags: readonly Uint8Array[]): Uint8Array {
  const head = 6
  const bytes = new Uint8Array(tags.reduce((size, tag) => size + tag.length - 1, head))
  bytes[0] = TagType.List
  bytes[1] = TagType.Compound
  new DataView(bytes.buffer).setInt32(2, tags.length)
  let at = head
  for (const tag of tags) {
    bytes.set(tag.subarray(1), at)
    at += tag.length - 1
  }
  return bytes
}

const unreadable = (cause: string): Result<never> => fail('system:storage_unreadable', {}, cause)

function treeOf(tag: Uint8Array | undefined): NbtTree | undefined {
  const tree = tag === undefined ? undefined : decodeTree(tag)
  return tree?.ok === true ? tree.value : undefined
}

const hashOf = (tag: Uint8Array): string => createHash('sha256').update(tag).digest('base64url').slice(0, 22)

const detailMembers = ({ data, count }: Detail): NbtCompound => ({
  ...(data === undefined ? {} : { data: text(data) }),
  ...(count === undefined ? {} : { count: int(count) }),
})

function detailOf(members: NbtCompound): Detail {
  const data = textOf(members['data'])
  const count = integerOf(members['count'])
  return { ...(data === null ? {} : { data }), ...(count === null ? {} : { count }) }
}

function detailsOf(tree: NbtTree | undefined): ReadonlyMap<number, Detail> {
  const details = new Map<number, Detail>()
  for (const members of compoundsOf(tree) ?? []) {
    const slot = integerOf(members['Slot'])
    if (slot !== null) details.set(slot, detailOf(members))
  }
  return details
}

const parkedOf = (tree: NbtTree | undefined): readonly Parked[] =>
  (compoundsOf(tree) ?? []).flatMap((members) => {
    const entry = membersOf(members['entry'])
    return entry === null ? [] : [{ entry, ...detailOf(members) }]
  })

const statMembers = (stats: PlayerStats): NbtCompound => ({
  Health: { type: 'float', value: stats.health },
  foodLevel: int(stats.food),
  playerGameType: int(stats.gameMode),
  XpTotal: int(stats.xp),
  SelectedItemSlot: int(stats.heldItemSlot),
  Pos: { type: 'list', value: { type: 'double', value: [...stats.position] } },
  Rotation: { type: 'list', value: { type: 'float', value: [stats.yaw, stats.pitch] } },
  OnGround: byte(stats.onGround ? 1 : 0),
})

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function statsOf({ parts }: NbtRoot): Partial<PlayerStats> {
  const stats: Partial<Writable<PlayerStats>> = {}
  const whole = (name: string, from: number, to: number): number | null => {
    const value = integerOf(treeOf(parts.get(name)))
    return value !== null && value >= from && value <= to ? value : null
  }
  const set = <K extends keyof PlayerStats>(key: K, value: PlayerStats[K] | null): void => {
    if (value !== null) stats[key] = value
  }
  set('health', numberOf(treeOf(parts.get('Health'))))
  set('food', whole('foodLevel', -1_000, 1_000))
  set('gameMode', whole('playerGameType', 0, 3))
  set('xp', whole('XpTotal', 0, 2 ** 31 - 1))
  set('heldItemSlot', whole('SelectedItemSlot', 0, 8))
  const [x, y, z] = numbersOf(treeOf(parts.get('Pos'))) ?? []
  if (x !== undefined && y !== undefined && z !== undefined) set('position', [x, y, z])
  const [yaw, pitch] = numbersOf(treeOf(parts.get('Rotation'))) ?? []
  set('yaw', yaw ?? null)
  set('pitch', pitch ?? null)
  const onGround = integerOf(treeOf(parts.get('OnGround')))
  set('onGround', onGround === null ? null : onGround !== 0)
  return stats
}
