import { z } from 'zod'
import { isIdentifier } from '../core/ids.js'
import type { RegistryType, RegistryTypes } from '../registry/index.js'
import { asRegistration, RegistrationError } from './registration-error.js'

/** What others have below `data/<namespace>/`. */
const TAKEN: ReadonlySet<string> = new Set(['system', 'minecraft'])

/**
 * Adds a kind of entry in packs. Throws a RegistrationError for an id or folder that is taken or malformed, for what is no
 * schema, and, unless `isOurs`, for a place that isn't the extension's own.
 */
export function registerContent<T>(types: RegistryTypes, type: RegistryType<T>, isOurs: boolean): void {
  const id = String(type.id)
  const refuse = (problem: string): never => {
    throw new RegistrationError(`registry ${id}: ${problem}`)
  }
  // plain JavaScript may give anything
  const given: { readonly folder: unknown; readonly schema: unknown; readonly references?: unknown } = type
  if (!isIdentifier(id)) refuse('it has no id of the form namespace:path')
  if (typeof given.folder !== 'string') return refuse('it has no folder')
  if (!(given.schema instanceof z.ZodType)) refuse('it has no schema of zod 4')
  if (given.references !== undefined && typeof given.references !== 'function')
    refuse('references is no function')
  const namespace = id.slice(0, id.indexOf(':'))
  if (!isOurs && TAKEN.has(namespace)) refuse('the namespace is taken')
  if (!isOurs && !given.folder.startsWith(`${namespace}/`)) refuse(`its folder must begin with ${namespace}/`)
  asRegistration(() => types.add(type), `registry ${id}`)
}
