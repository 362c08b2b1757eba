import { z } from 'zod'
import { isResult, type Replayed } from '../agent/index.js'
import { parseJson, isJsonObject, utf8Bytes } from '../core/json.js'
import { replayTable } from '../storage/index.js'

/** A larger result isn't kept: NBT has no longer text, and no card of ours comes near. */
const RESULT_BYTES = 49_152

/** Whole results, as JSON: cards are data of types that may be gone when they are read. */
export const REPLAYS = replayTable(z.string().max(RESULT_BYTES))

/** The text of what is replayed; null when it is too large or JSON can't hold it. */
export function encodeReplay({ source, module, result }: Replayed): string | null {
  const { failure, ...rest } = result
  // a cause is for the log alone
  const kept =
    failure === undefined ? rest : { ...rest, failure: { code: failure.code, params: failure.params } }
  const text = JSON.stringify({ source, module, result: kept })
  return utf8Bytes(text) > RESULT_BYTES ? null : text
}

const SOURCES: ReadonlySet<unknown> = new Set([
  'structured',
  'command',
  'local',
  'cache',
  'model',
  'event',
  null,
])

/** What is replayed; null when the text is none of ours, or its failure is one of another version. */
export function decodeReplay(text: string): Replayed | null {
  const value = parseJson(text)
  if (!isJsonObject(value)) return null
  const { source, module, result } = value
  if (!isSource(source) || !(module === null || typeof module === 'string') || !isResult(result)) return null
  return { source, module, result }
}

const isSource = (value: unknown): value is Replayed['source'] => SOURCES.has(value)
