import { z } from 'zod'
import { AI_LEVELS, type AiLevel, type AiSwitch } from '../core/ai-level.js'
import { identifier } from '../core/ids.js'
import type { StorageType } from '../storage/index.js'

/** What a player has switched for itself. */
export type Switches = Readonly<Record<AiSwitch, boolean>>

/** A player's own switches. They outlive a revoke: what was switched off must not come on again by it. */
export const SWITCHES: StorageType<Switches> = {
  id: identifier('system:preferences'),
  version: 1,
  schema: z.strictObject({ externalAi: z.boolean(), freeChat: z.boolean(), history: z.boolean() }),
  empty: { externalAi: true, freeChat: true, history: true },
  survive: (switches) => (Object.values(switches).every(Boolean) ? null : switches),
}

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
