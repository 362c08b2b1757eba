import { z } from 'zod'
import { identifier, type Identifier } from '../core/ids.js'
import { identifierSchema } from '../codec/index.js'
import type { StorageType } from '../storage/index.js'

/** What an administrator has said of one module configuration for one player. */
export type Override = 'allow' | 'deny'

/** So many configurations can be overridden for one player. */
export const MAX_OVERRIDES = 256

const overridesSchema = z.strictObject({
  allowed: z.array(identifierSchema).max(MAX_OVERRIDES),
  denied: z.array(identifierSchema).max(MAX_OVERRIDES),
})
export type Overrides = z.infer<typeof overridesSchema>

/** The overrides of a player; deleted with everything else at a revoke. */
export const OVERRIDES: StorageType<Overrides> = {
  id: identifier('system:module_overrides'),
  version: 1,
  schema: overridesSchema,
  empty: { allowed: [], denied: [] },
}

/** The overrides with this one changed; null takes it back. */
export function withOverride({ allowed, denied }: Overrides, id: Identifier, to: Override | null): Overrides {
  const others = (ids: readonly Identifier[]): Identifier[] => ids.filter((other) => other !== id)
  return {
    allowed: to === 'allow' ? [...others(allowed), id] : others(allowed),
    denied: to === 'deny' ? [...others(denied), id] : others(denied),
  }
}
