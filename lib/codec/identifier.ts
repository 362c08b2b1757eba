import { z } from 'zod'
import { isIdentifier, type Identifier } from '../core/ids.js'

/** An identifier as a schema; JSON Schema shows it as a string. */
export const identifierSchema = z.custom<Identifier>(
  (value) => typeof value === 'string' && isIdentifier(value),
  'not an identifier',
)
