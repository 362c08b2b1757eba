import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { z } from 'zod'
import { CONFIG_SCHEMAS, type ConfigName } from './schemas.js'

/** Where the build puts the schemas: `schemas/` beside `lib/`. */
export const SCHEMA_FOLDER = new URL('../../schemas/', import.meta.url)

/** The JSON Schema of a file, for editors: draft 07, which all of them know. Unknown members are wrong there. */
export function configJsonSchema(name: ConfigName): object {
  const json = z.toJSONSchema(CONFIG_SCHEMAS[name], {
    io: 'input',
    target: 'draft-07',
    override({ jsonSchema }) {
      delete jsonSchema['isStartOnly']
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false
    },
  })
  return { ...json, title: `${name}.json`, properties: { $schema: { type: 'string' }, ...json.properties } }
}

/** What `$schema` of a file in that folder says: the way to the schema in the installed package. */
export function schemaReference(folder: string, name: ConfigName): string {
  const file = fileURLToPath(new URL(`${name}.json`, SCHEMA_FOLDER))
  const way = relative(folder, file)
  // on another drive there is no way
  return way === file ? pathToFileURL(file).href : way.replaceAll('\\', '/')
}
