import { z } from 'zod'
import { identifier } from '../core/ids.js'
import type { StorageType } from './storage-type.js'

/** Says in a record that its player was revoked and that not everything is deleted yet. */
export const TOMBSTONE: StorageType<{ readonly at: number }> = {
  id: identifier('system:tombstone'),
  version: 1,
  schema: z.strictObject({ at: z.int().min(0) }),
  empty: { at: 0 },
}
