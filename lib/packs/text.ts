import type { FileRead } from './pack-source.js'

/** A text of a pack, or why it is none. */
export type TextRead =
  | { readonly ok: true; readonly text: string; readonly bytes: Uint8Array }
  | Extract<FileRead, { readonly ok: false }>

// takes a byte order mark away
const UTF8 = new TextDecoder('utf-8', { fatal: true })
const MARK_BYTES = 3

/** Decodes UTF-8; `bytes` of the answer are those of `text`. */
export function decodeText(read: FileRead): TextRead {
  if (!read.ok) return read
  try {
    const text = UTF8.decode(read.bytes)
    const isMarked = read.bytes[0] === 0xef && read.bytes[1] === 0xbb && read.bytes[2] === 0xbf
    return { ok: true, text, bytes: isMarked ? read.bytes.subarray(MARK_BYTES) : read.bytes }
  } catch {
    return { ok: false, reason: 'is not UTF-8' }
  }
}
