import { z } from 'zod'
import { identifier, type Identifier } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { identifierSchema } from '../codec/index.js'
import type { ItemStorageType, ItemTransaction, ItemView } from '../inventory/index.js'

const MAX_RESOURCES = 256
const MAX_FEATURES = 4_096

const resourcesSchema = z
  .array(z.strictObject({ resource: identifierSchema, amount: z.int().min(1) }))
  .max(MAX_RESOURCES)

/** Named currencies of one player, none of nothing. */
export const RESOURCES: ItemStorageType<z.infer<typeof resourcesSchema>> = {
  id: identifier('system:resources'),
  version: 1,
  schema: resourcesSchema,
  empty: [],
}

/** Markers that a player has earned, each once. */
export const FEATURES: ItemStorageType<readonly Identifier[]> = {
  id: identifier('system:features'),
  version: 1,
  schema: z.array(identifierSchema).max(MAX_FEATURES),
  empty: [],
}

export const balanceOf = (view: ItemView, resource: string): number =>
  view.get(RESOURCES).find((line) => line.resource === resource)?.amount ?? 0

/** Adds to a balance: never beyond 2^53 - 1, nor more than 256 currencies. `system:resource_full`: nothing is added. */
export function credit(tx: ItemTransaction, resource: Identifier, amount: number): Result<void> {
  const after = balanceOf(tx, resource) + amount
  const others = tx.get(RESOURCES).filter((line) => line.resource !== resource)
  if (!Number.isSafeInteger(after) || others.length >= MAX_RESOURCES) return fail('system:resource_full')
  if (amount > 0) tx.set(RESOURCES, [...others, { resource, amount: after }])
  return ok(undefined)
}

/** Takes from a balance. `system:cost_missing`: there isn't as much, and nothing is taken. */
export function debit(tx: ItemTransaction, resource: Identifier, amount: number): Result<void> {
  const after = balanceOf(tx, resource) - amount
  if (after < 0) return fail('system:cost_missing')
  const others = tx.get(RESOURCES).filter((line) => line.resource !== resource)
  tx.set(RESOURCES, after === 0 ? others : [...others, { resource, amount: after }])
  return ok(undefined)
}

export const hasFeature = (view: ItemView, feature: string): boolean =>
  view.get(FEATURES).some((id) => id === feature)

/** Marks once and for all. `system:resource_full`: with 4,096 others. */
export function addFeature(tx: ItemTransaction, feature: Identifier): Result<void> {
  const features = tx.get(FEATURES)
  if (features.includes(feature)) return ok(undefined)
  if (features.length >= MAX_FEATURES) return fail('system:resource_full')
  tx.set(FEATURES, [...features, feature])
  return ok(undefined)
}
