/** A step of the build: writes the JSON Schemas of the configuration files, which the package ships. */
import { mkdir, writeFile } from 'node:fs/promises'
import { CONFIG_NAMES, configJsonSchema, SCHEMA_FOLDER } from '../../lib/config/index.js'

async function writeSchemas(): Promise<void> {
  await mkdir(SCHEMA_FOLDER, { recursive: true })
  for (const name of CONFIG_NAMES) {
    const text = `${JSON.stringify(configJsonSchema(name), null, 2)}\n`
    await writeFile(new URL(`${name}.json`, SCHEMA_FOLDER), text)
  }
}

void writeSchemas()
