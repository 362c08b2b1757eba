import { z } from 'zod'
import { cardOf, type CardData, type CardType } from '../cards/index.js'
import { identifier, isIdentifier } from '../core/ids.js'
import { canonicalJson, isJsonObject, utf8Bytes } from '../core/json.js'
import type { RegisteredModule } from './module.js'

/** All of it is shown before it is confirmed, so it must not be long: UTF-8 bytes of its JSON. */
const SHOWN_BYTES = 1_000

const confirmationSchema = z.strictObject({
  module: z.string().refine(isIdentifier),
  /** Language key of what the workflow does. */
  help: z.string().max(256),
  /** The decoded action: what is shown is what the button asks for. */
  input: z.json(),
})

/** Asks the player for what a model in a conversation would like to have done. */
export const confirmationCardType: CardType<z.infer<typeof confirmationSchema>> = {
  id: identifier('system:confirmation'),
  schema: confirmationSchema,
  build: ({ module, help, input }) => ({
    title: { key: 'system.confirm.title' },
    lines: [
      { kind: 'row', label: { key: 'system.confirm.action' }, value: { key: help } },
      ...fieldsOf(input).map(([name, value]) => ({
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

/** The card for a decoded action, or null when it is no plain JSON or too long to be shown whole. */
export function confirmationCard(module: RegisteredModule, action: unknown): CardData | null {
  const input = z.json().safeParse(action)
  if (!input.success || utf8Bytes(canonicalJson(input.data)) > SHOWN_BYTES) return null
  return cardOf(confirmationCardType, { module: module.id, help: module.help.key, input: input.data })
}

const fieldsOf = (input: unknown): readonly [string, unknown][] =>
  isJsonObject(input) ? Object.entries(input) : [['', input]]

/** What a client wouldn't draw, escaped: nobody shall confirm more than is to be seen. */
const visible = (text: string): string =>
  text.replace(/[§\p{C}\p{Zl}\p{Zp}]/gu, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`)
