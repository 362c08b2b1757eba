import { z } from 'zod'

/** Ways in which the server under test may be made wrong on purpose: the program must notice each. */
export const VARIANTS = ['overwrite', 'receipt-apart', 'credit-first'] as const
export type Variant = (typeof VARIANTS)[number]

/** Where the process under test ends itself: at the `hit`-th time that it passes the point. */
export const faultSchema = z.strictObject({ point: z.string(), hit: z.int().min(1) })
export type Fault = z.infer<typeof faultSchema>

/** What the server under test is started with. */
export const serverArgumentSchema = z.strictObject({
  folder: z.string(),
  version: z.string(),
  seed: z.int(),
  fault: faultSchema.nullable(),
  variant: z.enum(VARIANTS).nullable(),
})
export type ServerArgument = z.infer<typeof serverArgumentSchema>

const count = z.int().min(0)

/** One line on standard output: written before anything else happens, so that a killed process has said it. */
export const lineSchema = z.discriminatedUnion('said', [
  z.strictObject({ said: z.literal('ready'), port: z.int() }),
  z.strictObject({ said: z.literal('settled'), problems: z.array(z.string()), items: z.string() }),
  z.strictObject({
    said: z.enum(['asked', 'promised']),
    player: count,
    what: z.enum(['counter', 'transfers', 'effects', 'round']),
    value: count,
  }),
  z.strictObject({
    said: z.literal('item-asked'),
    name: z.string(),
    kind: z.enum(['give', 'take']),
    count,
  }),
  z.strictObject({
    said: z.literal('item-done'),
    name: z.string(),
    kind: z.enum(['give', 'take']),
    count,
    code: z.string().nullable(),
    moved: count,
    rest: count,
  }),
])
export type Line = z.infer<typeof lineSchema>

/** The item that is given and taken. */
export const ITEM = 'minecraft:diamond'
/** Names of the players who are really there. */
export const CLIENTS = ['load0', 'load1'] as const
