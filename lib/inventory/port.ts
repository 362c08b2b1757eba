import { z } from 'zod'
import type { Failure } from '../core/failure.js'
import type { Identifier, PlayerId } from '../core/ids.js'

/** One stack of an inventory. */
export interface Stack {
  readonly item: Identifier
  /** 1 to `max`. */
  readonly count: number
  /** Largest stack of this item. */
  readonly max: number
  /**
   * What distinguishes it from a plain stack of the item (damage, name, lore, enchantments …): canonical text that only
   * the host reads, empty for a plain one. Stacks merge only when item and data are equal.
   */
  readonly data: string
}

/** All 46 slots of a player: 0–4 crafting, 5–8 armour, 9–35 main, 36–44 hotbar, 45 off hand. */
export type Slots = readonly (Stack | null)[]

/** Id of an operation: that of its inbox entry or order. */
export const opIdSchema = z.string().min(1).max(64)
const count = z.int().min(0)
export const lineSchema = z.strictObject({
  item: z.string().min(1).max(256),
  count,
  data: z.string().max(65_535),
})
/** So many of an item. */
export type ItemLine = z.infer<typeof lineSchema>

const opSchema = z.strictObject({
  /** Random, or derived from a random one; one per inbox part or order, never used again. */
  id: opIdSchema,
  /** `seq` as this operation left it. */
  seq: count,
  kind: z.enum(['give', 'take']),
  /** What went into the inventory or out of it. */
  moved: z.array(lineSchema).max(64),
  /** Total experience points that went in or out. */
  xp: count,
  /** give: what did not fit. take: only of a payment that was given back, what of it did not fit any more. */
  rest: z.array(lineSchema).max(64),
})

/** M of the item protocol, as far as the lane is concerned: it is in every save of the player's file. */
export const marksSchema = z.strictObject({
  /** Grows by one with each operation on the inventory. */
  seq: count,
  /** Operations that the store does not have durably yet. */
  ops: z.array(opSchema).max(64),
  /** The last 256 operations that left `ops`, oldest first. */
  recent: z.array(z.strictObject({ id: opIdSchema, rest: z.array(lineSchema).max(64) })).max(256),
})
export type Marks = z.infer<typeof marksSchema>
export type MarkedOp = z.infer<typeof opSchema>

/** The marks of a file that has none. */
export const NO_MARKS: Marks = Object.freeze({ seq: 0, ops: [], recent: [] })

/** What a save writes of the inventory. */
export interface InventoryContent {
  readonly slots: Slots
  /** Total experience points. */
  readonly xp: number
  readonly marks: Marks
}

/** How a save of the player's file ended. Not certain: the new bytes may or may not be what a restart finds. */
export type SaveOutcome =
  { readonly saved: true } | { readonly saved: false; readonly isCertain: boolean; readonly failure: Failure }

/** New content of one slot. */
export interface SlotChange {
  readonly slot: number
  readonly stack: Stack | null
}

/**
 * The inventory of one player whose file was loaded: live while the player is here, detached from logout until the last
 * save is done. Saves of one player never overlap; each holds the marks of its moment. After the last save the object is
 * dead (what was asked for before that moment is done first): `save` and `saveAhead` answer a certain failure and write nothing, the other calls change nothing. A new login
 * has a new object. Nothing here throws or rejects.
 */
export interface PlayerInventory {
  readonly player: PlayerId
  slots(): Slots
  /** Total experience points. */
  xp(): number
  /** Changes the live inventory at once and tells the client; nothing is saved. */
  change(changes: readonly SlotChange[], xp?: number): void
  marks(): Marks
  /** The marks that every later save writes. */
  setMarks(marks: Marks): void
  /** Saves the live inventory as it is when the save begins, after the saves before it. */
  save(): Promise<SaveOutcome>
  /**
   * Saves this content in place of the live inventory (everything else of the player as it is now). From this call to
   * `release` no other save of the player begins, one that was asked for earlier neither; logout waits (a hold that
   * begins during the last save makes another one the last), and the exit
   * handler writes this content again: anything else would name an operation without its effect. May be called again
   * while held.
   */
  saveAhead(content: InventoryContent): Promise<SaveOutcome>
  /** Ends the hold of `saveAhead`; later saves write the live inventory with these marks. */
  release(marks: Marks): void
}

/** The host's side of the item protocol. */
export interface PlayerInventories {
  /** Null: the player is not here and no last save is under way. */
  find(player: PlayerId): PlayerInventory | null
  /** The largest stack of an item, null for one that this version does not have. */
  maxStack(item: string): number | null
}

/** What the player's file says before the host reads it at login. */
export interface FoundFile {
  /** Whether there is a file at all. */
  readonly exists: boolean
  /** False: neither the file nor its previous generation can be read. */
  readonly isReadable: boolean
  /** Null: there is no file, or it was never saved by us. */
  readonly marks: Marks | null
}
