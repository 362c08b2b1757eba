import { createRequire } from 'node:module'
import { z } from 'zod'

interface Ajv {
  validate(schema: object, value: unknown): boolean
  errorsText(): string
}

/** Other packages bring it along; it is nobody's duty to. */
function findAjv(): Ajv | null {
  const name: string = 'ajv'
  try {
    const Found = createRequire(import.meta.url)(name) as new (options: object) => Ajv
    return new Found({ allErrors: true, meta: true })
  } catch {
    return null
  }
}

const ajv = findAjv()

/** What validators say against a value by a JSON Schema of draft 07; null: nothing. zod's own is asked, and ajv if it is there. */
export function schemaErrors(schema: object, value: unknown): string | null {
  const own = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value)
  if (!own.success) return own.error.message
  return ajv === null || ajv.validate(schema, value) ? null : ajv.errorsText()
}
