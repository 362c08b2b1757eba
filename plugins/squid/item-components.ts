import { z } from 'zod'
import { identifierSchema } from '../../lib/codec/index.js'
import { encodeTree, parseSnbt, type NbtCompound, type NbtTree } from '../../lib/codec/nbt/index.js'
import { ok } from '../../lib/core/result.js'
import { toNbt } from './text/index.js'
import type { SquidServer } from './types.js'

const MAX_INT = 2 ** 31 - 1
const int32 = z
  .int()
  .min(-MAX_INT - 1)
  .max(MAX_INT)
const count = z.int().min(0).max(MAX_INT)
const shown = z.boolean().default(true)
/** A component that is there or not; the wire has nothing for it. */
const mark = z.strictObject({}).transform(() => undefined)

/** Levels as vanilla writes them: bare, or beside whether the tooltip tells them. */
const levelsSchema = z.record(identifierSchema, z.int().min(1).max(255))
const levels = levelsSchema
  .transform((levels) => ({ levels, show_in_tooltip: true }))
  .or(z.strictObject({ levels: levelsSchema, show_in_tooltip: shown }))

const color = int32
  .transform((rgb) => ({ rgb, show_in_tooltip: true }))
  .or(z.strictObject({ rgb: int32, show_in_tooltip: shown }))

/** A compound that packets and files can carry: texts and depth have their limits. Null: it is none. */
export const carriedCompound = ({ type, value }: NbtTree): NbtCompound | null =>
  type === 'compound' && encodeTree({ type, value }).ok ? value : null

/** Vanilla takes SNBT or an object here, whose whole numbers become ints. */
const customData = z
  .string()
  .or(z.record(z.string(), z.json()))
  .transform((value, context) => {
    const read = typeof value === 'string' ? parseSnbt(value) : ok(toNbt(value) as NbtTree)
    const compound = read.ok ? carriedCompound(read.value) : null
    if (compound !== null) return { type: 'compound', value: compound }
    context.addIssue({ code: 'custom', message: 'no compound that NBT can hold' })
    return z.NEVER
  })

/** Pieces of a version's own look of an item, from 1.21.4 on. */
const modelPieces = z.strictObject({
  floats: z.array(z.number()).default([]),
  flags: z.array(z.boolean()).default([]),
  strings: z.array(z.string()).default([]),
  colors: z.array(int32).default([]),
})

/** The number of an enchantment on the wire; null for one that the version hasn't. */
type NumberOf = (enchantment: string) => number | null

/** What is read of each component's JSON and what the wire carries of it; those of packets' structure are left out. */
function componentSchemas(numberOf: NumberOf, hasModelPieces: boolean): ReadonlyMap<string, z.ZodType> {
  const enchanted = (tooltip: 'showTooltip' | 'showInTooltip'): z.ZodType =>
    levels.transform(({ levels: byId, show_in_tooltip }, context) => {
      const enchantments = Object.entries(byId).map(([id, level]) => ({ id: numberOf(id), level }))
      if (enchantments.every(({ id }) => id !== null)) return { enchantments, [tooltip]: show_in_tooltip }
      context.addIssue({ code: 'custom', message: 'no such enchantment' })
      return z.NEVER
    })
  return new Map<string, z.ZodType>([
    ['custom_data', customData],
    ['custom_model_data', hasModelPieces ? modelPieces : int32],
    ['damage', count],
    [
      'dyed_color',
      color.transform(({ rgb, show_in_tooltip }) => ({ color: rgb, showTooltip: show_in_tooltip })),
    ],
    ['enchantment_glint_override', z.boolean()],
    ['enchantments', enchanted('showTooltip')],
    ['fire_resistant', mark],
    ['glider', mark],
    ['hide_additional_tooltip', mark],
    ['hide_tooltip', mark],
    ['item_model', identifierSchema],
    ['max_damage', count.min(1)],
    ['max_stack_size', z.int().min(1).max(99)],
    ['note_block_sound', identifierSchema],
    ['rarity', z.enum(['common', 'uncommon', 'rare', 'epic'])],
    ['repair_cost', count],
    ['stored_enchantments', enchanted('showInTooltip')],
    ['tooltip_style', identifierSchema],
    [
      'unbreakable',
      z.strictObject({ show_in_tooltip: shown }).transform(({ show_in_tooltip }) => show_in_tooltip),
    ],
  ])
}

/** One component as packets carry it. */
export interface WireComponent {
  readonly type: string
  readonly data?: unknown
}

/** Turns a component's JSON, by its id, into the wire's; null for one that this version or this list doesn't have. */
export type ComponentForm = (id: string, value: unknown) => WireComponent | null

export function componentForms(serv: Pick<SquidServer, 'registry'>, numberOf: NumberOf): ComponentForm {
  const { version, protocol } = serv.registry
  const [, { mappings }] = protocol.types.SlotComponentType
  const known = new Set(Object.values(mappings))
  const schemas = componentSchemas(numberOf, version['>=']('1.21.4'))
  return (id, value) => {
    const type = id.startsWith('minecraft:') ? id.slice('minecraft:'.length) : ''
    const read = known.has(type) ? schemas.get(type)?.safeParse(value) : undefined
    if (read?.success !== true) return null
    return read.data === undefined ? { type } : { type, data: read.data }
  }
}

/** From 1.21 on enchantments are counted as the server has listed them, before as the game does. */
export function enchantmentNumbers({ registry }: Pick<SquidServer, 'registry'>): NumberOf {
  const listed = registry.loginPacket?.dimensionCodec?.['minecraft:enchantment']?.entries
  const numbers = new Map<string, number>(
    listed?.map(({ key }, at) => [key, at]) ??
      registry.enchantmentsArray.map(({ id, name }) => [`minecraft:${name}`, id]),
  )
  return (enchantment) => numbers.get(enchantment) ?? null
}
