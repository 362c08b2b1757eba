import type { AnyStorage, StorageTypes } from '../storage/index.js'
import { storageProblem } from './declared.js'
import { RegistrationError } from './registration-error.js'

const OWN_NAMESPACE = 'system:'

/**
 * Adds what is kept of players. Throws a RegistrationError for an id that is taken or, unless `isOurs`, in our namespace;
 * for migrations that don't add up, a shape that can't be stored, and an empty value that isn't of the shape.
 */
export function registerStorage<T>(types: StorageTypes, type: AnyStorage<T>, isOurs: boolean): void {
  const id = String(type.id)
  const problem = storageProblem(type)
  if (problem !== null) throw new RegistrationError(`storage ${id}: ${problem}`)
  if (!isOurs && id.startsWith(OWN_NAMESPACE))
    throw new RegistrationError(`storage ${id}: the namespace is ours`)
  try {
    if (!('rows' in type)) type.schema.parse(type.empty)
    types.add(type)
  } catch (thrown) {
    throw new RegistrationError(`storage ${id}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}
