import type { Identifier } from '../core/ids.js'
import type { Json } from '../core/json.js'
import type { TimeSlice } from '../core/time-slice.js'
import type { Gathered, OpenPack, Slot, Source } from './gather.js'
import { locate, readJson, type Place } from './lenient-json.js'
import { PACK_LIMITS } from './limits.js'
import type { PackEntry } from './pack-data.js'
import { mebibytes } from './pack-source.js'
import { count, quoted, type Fault, type Problems } from './problems.js'
import type { PromptRule } from '../text/index.js'
import { RawTexts } from './raw-texts.js'
import { addTagFile, type TagDraft } from './tags.js'
import { decodeText, type TextRead } from './text.js'
import { PackTexts } from './texts.js'

type Text = Extract<TextRead, { readonly ok: true }>

/** A file of a tag. */
export interface TagFile {
  readonly pack: OpenPack
  readonly file: string
}

interface ReadOptions {
  readonly problems: Problems
  readonly prompts: Readonly<Record<string, PromptRule>>
  readonly slice: TimeSlice
}

/** Reads the files that count, pack by pack, and puts each where it belongs. */
export class FileReading {
  readonly entries = new Map<string, Map<Identifier, PackEntry>>()
  readonly raw = new Map<string, RawTexts>()
  readonly tags = new Map<string, Map<Identifier, TagDraft<TagFile>>>()
  readonly texts: PackTexts
  readonly #problems: Problems
  readonly #slice: TimeSlice
  #bytesLeft: number = PACK_LIMITS.allBytes
  #valuesLeft: number = PACK_LIMITS.values

  constructor({ problems, slice, prompts }: ReadOptions) {
    this.texts = new PackTexts(prompts)
    this.#problems = problems
    this.#slice = slice
  }

  async run({ open, slots }: Gathered): Promise<void> {
    const byPack: [Slot, Source][][] = open.map(() => [])
    for (const slot of slots.values()) {
      for (const source of slot.sources) byPack[source.pack]?.push([slot, source])
      if (this.#slice.isOver()) await this.#slice.next()
    }
    for (const [at, pack] of open.entries()) await this.#readPack(pack, byPack[at] ?? [])
    this.texts.report(this.#problems)
  }

  async #readPack(pack: OpenPack, files: readonly [Slot, Source][]): Promise<void> {
    const { readsAhead } = pack.source
    const begin = (at: number) => {
      const file = files[at]?.[1].file
      return file === undefined ? null : pack.source.read(file, PACK_LIMITS.fileBytes)
    }
    const ahead = Array.from({ length: readsAhead }, (_, at) => begin(at))
    for (const [at, [slot, { file }]] of files.entries()) {
      const reading = ahead[at % readsAhead]
      if (reading === null || reading === undefined) break
      const read = decodeText(await reading)
      ahead[at % readsAhead] = begin(at + readsAhead)
      const isTooMuch = read.ok && read.bytes.length > this.#bytesLeft
      if (isTooMuch || (!read.ok && read.isLast === true)) {
        const why = read.ok
          ? `the packs hold more than ${mebibytes(PACK_LIMITS.allBytes)} of text`
          : read.reason
        const reason = `${why}; ${count(files.length - at)} files of this pack are left out`
        this.#problems.add({ pack: pack.name, file, reason })
        // none of them rejects
        for (const read of ahead) await read
        return
      }
      if (read.ok) {
        this.#bytesLeft -= read.bytes.length
        this.#take(pack, { slot, file, read })
      } else this.#problems.add({ pack: pack.name, file, reason: read.reason })
      if (this.#slice.isOver()) await this.#slice.next()
    }
  }

  #take(pack: OpenPack, { slot, file, read }: { slot: Slot; file: string; read: Text }): void {
    const { role } = slot
    const place = (fault: Omit<Fault, 'pack' | 'file'>, at: Place | null): void =>
      this.#problems.add({ pack: pack.name, file, ...fault, ...at })
    if (role.kind === 'prompt') {
      const fault = this.texts.addPrompt(role.name, { pack: pack.name, file }, read.text)
      if (fault !== null) place(fault, null)
      return
    }
    const json = readJson(read.text)
    if (!json.ok) return place({ reason: json.reason }, json.place)
    if (json.repeated !== null) {
      const reason = `has the key "${quoted(json.repeated.key)}" twice; the last one holds`
      place({ reason, warning: true }, json.repeated.place)
    }
    if (role.kind === 'raw') {
      const texts = this.raw.get(role.folder) ?? new RawTexts()
      this.raw.set(role.folder, texts)
      texts.add(role.id, json.isLenient ? JSON.stringify(json.value) : read.bytes)
      return
    }
    if (role.kind === 'entry' && json.values > PACK_LIMITS.entryValues) {
      const reason = `holds ${count(json.values)} values; an entry may hold ${count(PACK_LIMITS.entryValues)}`
      return place({ reason }, null)
    }
    this.#valuesLeft -= json.values
    if (this.#valuesLeft < 0) {
      this.#valuesLeft += json.values
      return place({ reason: `the packs' entries hold more than ${count(PACK_LIMITS.values)} values` }, null)
    }
    if (role.kind === 'entry') {
      const entries = inside(this.entries, role.folder, () => new Map<Identifier, PackEntry>())
      const text = json.isLenient ? JSON.stringify(json.value) : read.text
      entries.set(role.id, { json: text, pack: pack.name, file })
      return
    }
    const fault = this.#keep(role, { pack, file }, json.value)
    if (fault !== null) place(fault, locate(read.text, fault.pointer))
  }

  /** What is wrong in a file that is JSON; null: nothing. */
  #keep(
    role: Slot['role'],
    { pack, file }: TagFile,
    value: Json,
  ): { pointer: string; reason: string } | null {
    switch (role.kind) {
      case 'tag': {
        const tags = inside(this.tags, role.folder, () => new Map<Identifier, TagDraft<TagFile>>())
        return addTagFile(
          inside(tags, role.id, () => ({ files: [], members: [] })),
          { pack, file },
          value,
        )
      }
      case 'lang':
        return this.texts.addSentences(role.name, { pack: pack.name, file }, value)
      case 'synonyms':
        return this.texts.addSynonyms(role.name, { pack: pack.name, file }, value)
      case 'entry':
      case 'raw':
      case 'prompt':
        return null
    }
  }
}

function inside<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
