import type { AnyStorage, StorageTypes } from '../storage/index.js'
import { storageProblem } from './declared.js'
import { asRegistration, RegistrationError } from './registration-error.js'

/**
 * Adds what is kept of players. Throws a RegistrationError for an id that is taken, for migrations that don't add up, a
 * shape that can't be stored, and an empty value that isn't of the shape.
 */
export function registerStorage<T>(types: StorageTypes, type: AnyStorage<T>): void {
  const subject = `storage ${String(type.id)}`
  const problem = storageProblem(type)
  if (problem !== null) throw new RegistrationError(`${subject}: ${problem}`)
  asRegistration(() => {
    if (!('rows' in type)) type.schema.parse(type.empty)
    types.add(type)
  }, subject)
}
