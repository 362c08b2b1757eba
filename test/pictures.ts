/** `npm run pictures`: makes docs/pictures anew. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { makePictures, PICTURES } from './support/pictures.js'

const made = await makePictures()
await rm(PICTURES, { recursive: true, force: true })
await mkdir(PICTURES, { recursive: true })
for (const [name, svg] of made) await writeFile(new URL(name, PICTURES), svg)
console.log(`${made.size} pictures`)
