import { z } from 'zod'
import { cardOf, type CardData, type CardType } from '../cards/index.js'
import { identifier, isIdentifier } from '../core/ids.js'
import { canonicalJson, isJsonObject, utf8Bytes } from '../core/json.js'
import type { RegisteredModule } from './module.js'

/** All of it is shown before it is confirmed, so it must not be long: UTF-8 bytes of its JSON. */
const SHOWN_BYTES = 1_000
/** Nobody reads what is nested deeper. */
const SHOWN_LEVELS = 32

const isShallow = (value: unknown, levels = SHOWN_LEVELS): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1)))

const shownSchema = z
  .unknown()
  .refine((value) => isShallow(value))
  .pipe(z.json())
  .refine((value) => utf8Bytes(canonicalJson(value)) <= SHOWN_BYTES)

const confirmationSchema = z.strictObject({
  module: z.string().refine(isIdentifier),
  /** Language key of what the workflow does. */
  help: z.string().max(256),
  /** What the button asks for: it decodes to what is shown. */
  input: shownSchema,
  /** The decoded action, where it isn't the input itself. */
  shown: shownSchema.optional(),
})

/** Asks the player for what a model in a conversation would like to have done. */
export const confirmationCardType: CardType<z.infer<typeof confirmationSchema>> = {
  id: identifier('system:confirmation'),
  schema: confirmationSchema,
  build: ({ module, help, input, shown = input }) => ({
    title: { key: 'system.confirm.title' },
    lines: [
      { kind: 'row', label: { key: 'system.confirm.action' }, value: { key: help } },
      ...fieldsOf(shown).map(([name, value]) => ({
        kind: 'row' as const,
        label: { key: 'system.confirm.field', params: { name: visible(name) } },
        value: visible(typeof value === 'string' ? value : canonicalJson(value)),
      })),
      { kind: 'message', message: { key: 'system.confirm.nothing_done' }, tone: 'muted' },
    ],
    buttons: [
      {
        label: { key: 'system.confirm.button' },
        hover: { key: help },
        // the schema has looked at it
        action: { kind: 'server', module: identifier(module), params: {}, input },
      },
    ],
  }),
}

/** A decoded action, and the input that it was decoded from. */
export interface ChosenAction {
  readonly action: unknown
  readonly given: unknown
}

/**
 * The card for an action; null when it is no plain JSON, too long to be shown whole, or can't be had again. The press
 * decodes once more, so the button has the action itself only where that decodes to itself, else what was given.
 */
export function confirmationCard(module: RegisteredModule, { action, given }: ChosenAction): CardData | null {
  const shown = shownSchema.safeParse(action)
  if (!shown.success) return null
  const parts = { module: module.id, help: module.help.key }
  if (decodesTo(module, action, shown.data))
    return cardOf(confirmationCardType, { ...parts, input: shown.data })
  const input = shownSchema.safeParse(given)
  if (!input.success || !decodesTo(module, given, shown.data)) return null
  return cardOf(confirmationCardType, { ...parts, input: input.data, shown: shown.data })
}

function decodesTo(module: RegisteredModule, input: unknown, shown: unknown): boolean {
  try {
    const decoded = module.decode(input)
    return decoded.ok && canonicalJson(decoded.value) === canonicalJson(shown)
  } catch {
    // a schema of its author's, or no JSON
    return false
  }
}

const fieldsOf = (input: unknown): readonly [string, unknown][] =>
  isJsonObject(input) ? Object.entries(input) : [['', input]]

/** What a client doesn't draw, or draws as a space, escaped: nobody shall confirm more than is to be seen. */
const visible = (text: string): string =>
  text.replace(
    /[§\u2800\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/gu,
    (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
  )
