import { canonicalJson, isJsonObject, parseJson } from '../../../lib/core/json.js'
import type { SquidItem, SquidPlayer, SquidServer } from '../types.js'
import { fromPlain, toPlain } from './plain-data.js'

/** How many it are. Stock's /give leaves counts as text; zero for what makes no sense. */
export function countOf(item: SquidItem): number {
  const count: unknown = item.count
  return Math.max(0, Math.trunc(Number(count)) || 0)
}

/** One data component as prismarine-item keeps it: the protocol's own fields. */
export interface ItemComponent {
  readonly type: string
  readonly data?: unknown
}

/** A stack's tag; on the wire its root has a name. */
export interface ItemTag {
  readonly type: 'compound'
  readonly name: ''
  readonly value: Readonly<Record<string, unknown>>
}

/** The members of a stack that its class doesn't tell of. */
export interface ItemInternals extends SquidItem {
  nbt: ItemTag | null
  metadata: number
  /** From 1.20.5 on. */
  components?: readonly ItemComponent[]
  removedComponents?: readonly unknown[]
  /** What setters of prismarine-item write; `components` is what goes to clients. */
  componentMap?: Map<string, ItemComponent>
}

/** The same stack, seen from inside. */
export const itemInternals = (item: SquidItem): ItemInternals => item as ItemInternals

interface ItemClass {
  new (type: number, count: number): ItemInternals
  toNotch(item: SquidItem | null): unknown
}

/** Components whose data names no number of a version's registries: they mean the same in every version. */
const PORTABLE = new Set([
  'custom_data',
  'custom_name',
  'damage',
  'enchantment_glint_override',
  'item_name',
  'lore',
  'max_damage',
  'max_stack_size',
  'rarity',
  'repair_cost',
  'unbreakable',
])

/** Turns what distinguishes stacks into canonical text and back: for files, and for whoever compares stacks. */
export class StackData {
  readonly #serv: SquidServer
  readonly #version: string
  readonly #hasComponents: boolean
  readonly #hasMetadata: boolean
  #Item: ItemClass | null = null

  constructor(serv: SquidServer) {
    this.#serv = serv
    this.#version = String(serv.registry.version.minecraftVersion)
    this.#hasComponents = serv.supportFeature('itemsWithComponents')
    this.#hasMetadata = !serv.supportFeature('theFlattening')
  }

  /** Takes the class of stacks from a player's window; all players of a server have the same. */
  learn({ inventory }: SquidPlayer): void {
    if (this.#Item === null && inventory !== undefined) this.#Item = itemClass(inventory)
  }

  /** The largest stack of an item by its id, with or without `minecraft:`; null for an id that this version doesn't have. */
  maxStack(item: string): number | null {
    return this.#facts(item)?.stackSize ?? null
  }

  /** Whether the file needs this text to bring the stack back: stock saves its tag, and nothing else from 1.20.5 on. */
  hasComponents(item: SquidItem): boolean {
    if (!this.#hasComponents) return false
    const { components = [], removedComponents = [], componentMap } = itemInternals(item)
    return components.length > 0 || removedComponents.length > 0 || (componentMap?.size ?? 0) > 0
  }

  /** Canonical text of all but type and count; empty for a plain stack, and for one that no text can hold. */
  textOf(item: SquidItem): string {
    try {
      return this.#textOf(item)
    } catch {
      return ''
    }
  }

  #textOf(item: SquidItem): string {
    const { nbt, metadata, components = [], removedComponents = [], componentMap } = itemInternals(item)
    const members: Record<string, unknown> = {}
    if (nbt !== null && nbt !== undefined && Object.keys(nbt.value).length > 0) members['nbt'] = nbt.value
    if (this.#hasMetadata && metadata !== 0) members['metadata'] = metadata
    if (this.hasComponents(item)) {
      const sent = new Set(components.map(({ type }) => type))
      const mapped = [...(componentMap?.values() ?? [])].filter(({ type }) => !sent.has(type))
      members['version'] = this.#version
      members['components'] = components
      if (removedComponents.length > 0) members['removed'] = removedComponents
      if (mapped.length > 0) members['mapped'] = mapped
    }
    return Object.keys(members).length === 0 ? '' : canonicalJson(toPlain(members))
  }

  /**
   * The stack of an id, a count and a text; null when this version doesn't have the item or can't hold what the text
   * says. `owner` is any player.
   */
  make(owner: SquidPlayer, stack: { item: string; count: number; data: string }): ItemInternals | null {
    const facts = this.#facts(stack.item)
    this.learn(owner)
    const Item = this.#Item
    if (facts === undefined || Item === null) return null
    const item = new Item(facts.id, stack.count)
    // for tools the class makes a tag of its own; what was saved is the truth
    item.nbt = null
    if (stack.data === '') return item
    const members = fromPlain(parseJson(stack.data))
    if (!isJsonObject(members)) return null
    const { nbt, metadata } = members
    if (isJsonObject(nbt)) item.nbt = { type: 'compound', name: '', value: nbt }
    if (typeof metadata === 'number') item.metadata = metadata
    if (members['components'] === undefined) return item
    return this.#applyComponents(item, members) && isSendable(owner, Item.toNotch(item)) ? item : null
  }

  #applyComponents(item: ItemInternals, members: Record<string, unknown>): boolean {
    const components = componentList(members['components'])
    const mapped = componentList(members['mapped'] ?? [])
    const removed = members['removed'] ?? []
    if (!this.#hasComponents || components === null || mapped === null || !Array.isArray(removed))
      return false
    const isForeign = members['version'] !== this.#version
    if (
      isForeign &&
      (removed.length > 0 || ![...components, ...mapped].every(({ type }) => PORTABLE.has(type)))
    )
      return false
    item.components = components
    item.removedComponents = removed
    item.componentMap = new Map([...components, ...mapped].map((component) => [component.type, component]))
    return true
  }

  #facts(item: string): { readonly id: number; readonly stackSize: number } | undefined {
    const name = item.startsWith('minecraft:') ? item.slice('minecraft:'.length) : item
    const { itemsByName } = this.#serv.registry
    return Object.hasOwn(itemsByName, name) ? itemsByName[name] : undefined
  }
}

/** The window knows the class and hands it out nowhere; half of a stack, which it splits off, is an instance of it. */
export function itemClass(window: object): ItemClass {
  const split = { selectedItem: {}, updateSlot: () => {} }
  const { splitSlot } = window as { splitSlot: (item: unknown) => void }
  Reflect.apply(splitSlot, split, [{ type: 1, count: 2, metadata: 0, nbt: null }])
  return split.selectedItem.constructor as ItemClass
}

function componentList(value: unknown): readonly ItemComponent[] | null {
  if (!Array.isArray(value)) return null
  const isSound = value.every((entry) => isJsonObject(entry) && typeof entry['type'] === 'string')
  return isSound ? (value as readonly ItemComponent[]) : null
}

/** Whether a client of this version could be told of it. One that has gone isn't told anyway. */
function isSendable({ _client: { serializer } }: SquidPlayer, item: unknown): boolean {
  if (serializer?.writable !== true) return true
  try {
    serializer.createPacketBuffer({ name: 'set_slot', params: { windowId: 0, stateId: 0, slot: 0, item } })
    return true
  } catch {
    return false
  }
}
