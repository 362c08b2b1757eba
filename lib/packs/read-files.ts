import type { Identifier } from '../core/ids.js'
import { isJsonObject, type Json } from '../core/json.js'
import type { TimeSlice } from '../core/time-slice.js'
import { synonymsSchema } from '../lexical/index.js'
import { catalogueProblem } from '../text/index.js'
import type { Gathered, OpenPack, Slot, Source } from './gather.js'
import { locate, readJson, type Place } from './lenient-json.js'
import { PACK_LIMITS } from './limits.js'
import type { PackEntry } from './pack-data.js'
import { mebibytes } from './pack-source.js'
import { count, listed, quoted, type Fault, type Problems } from './problems.js'
import { RawTexts } from './raw-texts.js'
import { addTagFile, type TagDraft } from './tags.js'
import { decodeText, type TextRead } from './text.js'

type Text = Extract<TextRead, { readonly ok: true }>

/** A file of a tag. */
export interface TagFile {
  readonly pack: OpenPack
  readonly file: string
}

interface ReadOptions {
  readonly problems: Problems
  readonly slice: TimeSlice
}

/** Reads the files that count, pack by pack, and puts each where it belongs. */
export class FileReading {
  readonly entries = new Map<string, Map<Identifier, PackEntry>>()
  readonly raw = new Map<string, RawTexts>()
  readonly tags = new Map<string, Map<Identifier, TagDraft<TagFile>>>()
  readonly lang = new Map<string, Record<string, string>>()
  readonly synonyms = new Map<string, Record<string, readonly string[]>>()
  readonly prompts = new Map<string, string>()
  readonly #problems: Problems
  readonly #slice: TimeSlice
  #bytesLeft: number = PACK_LIMITS.allBytes
  #valuesLeft: number = PACK_LIMITS.values

  constructor({ problems, slice }: ReadOptions) {
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
    if (role.kind === 'prompt') return this.#takePrompt(role.name, { pack: pack.name, file, read })
    const place = (fault: Omit<Fault, 'pack' | 'file'>, at: Place | null): void =>
      this.#problems.add({ pack: pack.name, file, ...fault, ...at })
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
    this.#valuesLeft -= json.values
    if (this.#valuesLeft < 0) {
      this.#valuesLeft += json.values
      return place({ reason: `the packs' entries hold more than ${count(PACK_LIMITS.values)} values` }, null)
    }
    const fault = this.#keep(slot, { pack, file }, json.value)
    if (fault !== null) place(fault, locate(read.text, fault.pointer))
  }

  #takePrompt(name: string, { pack, file, read }: { pack: string; file: string; read: Text }): void {
    const isFit = read.text.trim() !== '' && read.bytes.length <= PACK_LIMITS.promptBytes
    if (isFit) this.prompts.set(name, read.text)
    else
      this.#problems.add({ pack, file, reason: `is empty or longer than ${PACK_LIMITS.promptBytes} bytes` })
  }

  /** What is wrong in a file that is JSON; null: nothing. */
  #keep({ role }: Slot, { pack, file }: TagFile, value: Json): { pointer: string; reason: string } | null {
    switch (role.kind) {
      case 'entry': {
        const entries = inside(this.entries, role.folder, () => new Map<Identifier, PackEntry>())
        entries.set(role.id, { value, pack: pack.name, file })
        return null
      }
      case 'tag': {
        const tags = inside(this.tags, role.folder, () => new Map<Identifier, TagDraft<TagFile>>())
        return addTagFile(
          inside(tags, role.id, () => ({ files: [], members: [] })),
          { pack, file },
          value,
        )
      }
      case 'lang':
        return addSentences(
          inside(this.lang, role.name, () => Object.create(null) as Record<string, string>),
          value,
        )
      case 'synonyms':
        return addSynonyms(
          inside(this.synonyms, role.name, () => Object.create(null) as Record<string, readonly string[]>),
          value,
        )
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

function addSentences(into: Record<string, string>, value: Json): { pointer: string; reason: string } | null {
  if (!isJsonObject(value)) return { pointer: '', reason: 'is not an object' }
  const bad: string[] = []
  for (const [key, sentence] of Object.entries(value)) {
    if (typeof sentence === 'string' && catalogueProblem(key, sentence) === null) into[key] = sentence
    else bad.push(key)
  }
  const [first] = bad
  if (first === undefined) return null
  const problem = typeof value[first] === 'string' ? catalogueProblem(first, value[first]) : 'no text'
  return { pointer: `/${escaped(first)}`, reason: `${problem}, left out: ${listed(bad)}` }
}

/** Lists of one phrase in several files are one list: a pack that adds words doesn't take others away. */
function addSynonyms(
  into: Record<string, readonly string[]>,
  value: Json,
): { pointer: string; reason: string } | null {
  if (!isJsonObject(value)) return { pointer: '', reason: 'is not an object' }
  const bad: string[] = []
  for (const [phrase, variants] of Object.entries(value)) {
    const known = into[phrase]
    const read = synonymsSchema.safeParse({ [phrase]: variants })
    if (!read.success) bad.push(phrase)
    else into[phrase] = [...new Set([...(known ?? []), ...(read.data[phrase] ?? [])])]
  }
  const [first] = bad
  const reason = `is no list of 1 to 64 phrases of at most 64 characters, left out: ${listed(bad)}`
  return first === undefined ? null : { pointer: `/${escaped(first)}`, reason }
}

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')
