/** A step of the build: writes the JSON Schemas of configuration and pack files, which the package ships. */
import { mkdir, writeFile } from 'node:fs/promises'
import { CONFIG_NAMES, configJsonSchema, SCHEMA_FOLDER } from '../../lib/config/index.js'
import { PACK_SCHEMA_FOLDER, packJsonSchemas } from './pack-schemas.js'

async function writeSchemas(): Promise<void> {
  const packs = new URL(PACK_SCHEMA_FOLDER, SCHEMA_FOLDER)
  await mkdir(packs, { recursive: true })
  for (const name of CONFIG_NAMES) await write(new URL(`${name}.json`, SCHEMA_FOLDER), configJsonSchema(name))
  for (const [name, schema] of packJsonSchemas()) await write(new URL(`${name}.json`, packs), schema)
}

const write = (url: URL, schema: object): Promise<void> =>
  writeFile(url, `${JSON.stringify(schema, null, 2)}\n`)

void writeSchemas()
