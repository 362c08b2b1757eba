import { z } from 'zod'
import type { Feature } from '../agent/index.js'
import type { CardAction, CardLine, CardType } from '../cards/index.js'
import { AI_LEVELS } from '../core/ai-level.js'
import { identifier, isIdentifier, type Identifier } from '../core/ids.js'

const id = z.custom<Identifier>((value) => typeof value === 'string' && isIdentifier(value))

const entrySchema = z.strictObject({
  module: id,
  icon: id,
  /** Language keys. */
  title: z.string(),
  about: z.string().nullable(),
  /** What a press asks the module for, or what it puts into the chat box. */
  press: z.union([z.record(z.string(), z.string()), z.string()]),
})
export type WorkbenchEntry = z.infer<typeof entrySchema>

const workbenchSchema = z.strictObject({
  player: z.string(),
  /** What the player's System is called: a language key, or the words themselves. */
  system: z.union([z.strictObject({ key: z.string() }), z.string()]),
  level: z.enum(AI_LEVELS),
  /** The player has chosen nowhere to see cards. */
  isUnplaced: z.boolean(),
  entries: z.array(entrySchema),
})
export type WorkbenchData = z.infer<typeof workbenchSchema>

const named = (icon: Identifier) => ({ item: icon, name: icon.slice(icon.indexOf(':') + 1) })

const actionOf = ({ module, press }: WorkbenchEntry): CardAction =>
  typeof press === 'string' ? { kind: 'suggest', command: press } : { kind: 'server', module, params: press }

const entryLine = (entry: WorkbenchEntry): CardLine => ({
  kind: 'entry',
  icon: named(entry.icon),
  title: { key: entry.title },
  about: entry.about === null ? [] : [{ key: entry.about }],
  action: actionOf(entry),
})

/** Who the player is here, and what is open: each entry can be pressed. It is a window unless its reader has chosen. */
export const workbenchCardType: CardType<WorkbenchData> = {
  id: identifier('system:workbench'),
  schema: workbenchSchema,
  build: ({ player, system, level, isUnplaced, entries }) => ({
    ...(isUnplaced ? { surface: 'window' as const } : {}),
    title: { key: 'system.workbench.title' },
    lines: [
      {
        kind: 'entry',
        icon: named(identifier('minecraft:player_head')),
        title: player,
        about: [
          { key: 'system.workbench.system', params: { name: system } },
          {
            key: 'system.card.row',
            params: { label: { key: 'system.settings.level' }, value: { key: `system.ai.level.${level}` } },
          },
        ],
        tone: 'accent',
      },
      ...entries.map(entryLine),
    ],
    buttons: [],
  }),
}

/** What `/system` alone shows. */
export const workbenchFeature: Feature = (registration) => registration.cardType(workbenchCardType)
