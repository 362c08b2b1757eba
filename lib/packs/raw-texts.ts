import type { Identifier } from '../core/ids.js'
import type { RawEntries } from './pack-data.js'

const UTF8 = new TextEncoder()

/** Collects texts that are handed out as bytes: one clone for all of them, not one for each. */
export class RawTexts {
  readonly #ids: Identifier[] = []
  readonly #texts: Uint8Array[] = []
  #sizeBytes = 0

  add(id: Identifier, text: Uint8Array | string): void {
    const bytes = typeof text === 'string' ? UTF8.encode(text) : text
    this.#ids.push(id)
    this.#texts.push(bytes)
    this.#sizeBytes += bytes.length
  }

  entries(): RawEntries {
    const ends = new Uint32Array(this.#texts.length)
    const bytes = new Uint8Array(this.#sizeBytes)
    let end = 0
    this.#texts.forEach((text, at) => {
      bytes.set(text, end)
      end += text.length
      ends[at] = end
    })
    return { ids: this.#ids, ends, bytes }
  }
}
