import { z } from 'zod'
import { AI_LEVELS, AI_SWITCHES, type AiLevel } from '../core/ai-level.js'
import { identifier } from '../core/ids.js'
import { CARD_SURFACES, OWN_SWITCHES, type CardSurface, type OwnSwitch } from '../core/own-settings.js'
import type { StorageType } from '../storage/index.js'

/** What a player has set for itself. */
export interface Switches extends Readonly<Record<OwnSwitch, boolean>> {
  /** Where cards are shown; null: where the server shows them. */
  readonly surface: CardSurface | null
  /** The language of texts, such as `zh_cn`; null: that of the client. */
  readonly language: string | null
}

const switches = <N extends string>(names: readonly N[]): Record<N, z.ZodBoolean> =>
  Object.fromEntries(names.map((name) => [name, z.boolean()])) as Record<N, z.ZodBoolean>

const FIRST = z.strictObject(switches(AI_SWITCHES))
const UNSET: Switches = {
  externalAi: true,
  freeChat: true,
  history: true,
  notifications: true,
  sounds: true,
  surface: null,
  language: null,
}

/** A player's own settings. They outlive a revoke: what was switched off must not come on again by it. */
export const SWITCHES: StorageType<Switches> = {
  id: identifier('system:preferences'),
  version: 2,
  schema: z.strictObject({
    ...switches(OWN_SWITCHES),
    surface: z.enum(CARD_SURFACES).nullable(),
    language: z
      .string()
      .regex(/^[a-z0-9_]{1,32}$/)
      .nullable(),
  }),
  empty: UNSET,
  migrations: [{ schema: FIRST, migrate: (older) => ({ ...UNSET, ...FIRST.parse(older) }) }],
  survive: (kept) => (isSame(kept, UNSET) ? null : kept),
}

/** Whether all of that is set so. */
export const isSame = (kept: Switches, other: Partial<Switches>): boolean =>
  Object.entries(other).every(([name, value]) => kept[name as keyof Switches] === value)

/** What an administrator allows the player; null: what everybody has. It outlives a revoke. */
export const PERMISSION: StorageType<{ readonly level: AiLevel | null }> = {
  id: identifier('system:ai_permission'),
  version: 1,
  schema: z.strictObject({ level: z.enum(AI_LEVELS).nullable() }),
  empty: { level: null },
  survive: (permission) => (permission.level === null ? null : permission),
}

/** The provider that the player was told of; null: none yet. */
export const TOLD: StorageType<{ readonly host: string | null }> = {
  id: identifier('system:ai_notice'),
  version: 1,
  schema: z.strictObject({ host: z.string().max(256).nullable() }),
  empty: { host: null },
}
