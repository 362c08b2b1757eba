import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { hasUniqueKeys } from '../codec/index.js'
import { isJsonObject, parseJson } from '../core/json.js'
import { VERSION } from './fields.js'

/** Larger files are not configuration. */
const MAX_BYTES = 262_144

/** What a file is: its content, nothing, or a reason why it isn't used. */
export type FileRead =
  | { readonly kind: 'read'; readonly json: Record<string, unknown> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly reason: string }

const broken = (reason: string): FileRead => ({ kind: 'broken', reason })

/** Reads one configuration file, at most MAX_BYTES of it; never rejects. */
export async function readConfigFile(path: string): Promise<FileRead> {
  let bytes: Buffer
  try {
    const found = await stat(path)
    // a pipe or a device may never come to an end
    if (!found.isFile()) return broken('not a file')
    if (found.size > MAX_BYTES) return broken(TOO_LARGE)
    bytes = await readStart(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    return code === 'ENOENT' ? { kind: 'missing' } : broken(code)
  }
  return bytes.length > MAX_BYTES ? broken(TOO_LARGE) : decode(bytes)
}

const TOO_LARGE = `larger than ${MAX_BYTES} bytes`

/** One byte more than may be there: a file can grow while it is read. */
async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: MAX_BYTES })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): FileRead {
  let text: string
  try {
    // takes a byte order mark away
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return broken('not UTF-8 text')
  }
  const json = parseJson(text)
  if (json === undefined) return broken('not valid JSON')
  if (!isJsonObject(json)) return broken('not a JSON object')
  if (!hasUniqueKeys(text)) return broken('a key stands twice in one object, or objects are nested too deep')
  const version = json['version']
  const isNewer = typeof version === 'number' && version > VERSION
  return isNewer ? broken(`of version ${version}, this program reads ${VERSION}`) : { kind: 'read', json }
}
