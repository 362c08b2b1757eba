import type { IdSource } from '../../lib/core/ids.js'
import {
  INBOX,
  INVENTORY_LOG,
  marksSchema,
  ORDERS,
  type InventoryContent,
  type ItemStorageType,
} from '../../lib/inventory/index.js'

export type Business = ReadonlyMap<string, unknown>

/** What survives the death of a process. */
export class Disk {
  file: InventoryContent | null
  business: Business = new Map()
  readonly files: (InventoryContent | null)[] = []
  readonly businesses: Business[] = []
  /** The economy: what it has charged, and whom it refuses. */
  readonly charged = new Set<string>()
  readonly refuses = new Set<string>()
  #ids = 0

  constructor(file: InventoryContent | null) {
    this.file = file
    this.files.push(file)
    this.businesses.push(this.business)
  }

  readonly ids: IdSource = {
    requestId: () => {
      throw new Error('not here')
    },
    token: () => `t${++this.#ids}`,
  }

  /** What is kept has the shape that is declared. */
  parse(): void {
    marksSchema.parse(this.file?.marks)
    for (const type of [INBOX, ORDERS, INVENTORY_LOG])
      type.schema.parse(this.business.get(type.id) ?? type.empty)
  }

  setFile(file: InventoryContent): void {
    this.file = frozen(file)
    this.files.push(this.file)
  }

  setBusiness(business: Business): void {
    this.business = frozen(business)
    this.businesses.push(this.business)
  }
}

/** Nobody changes what was written: frozen to its depth, parts that are frozen already are not looked at again. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const parts: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value)
  for (const part of parts) frozen(part)
  return Object.freeze(value)
}

export const valueOf = <T>(business: Business, type: ItemStorageType<T>): T =>
  (business.get(type.id) as T | undefined) ?? type.empty
