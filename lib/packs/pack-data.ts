import type { Identifier } from '../core/ids.js'

/** A pack that was found, in order of loading: a later one overrides. */
export interface ReadPack {
  /** The name of its folder or file; a second one of that name has ` (2)` behind it. */
  readonly name: string
  readonly kind: 'folder' | 'zip'
  /** Its `pack_format`, else the lowest that it declares; null: it was refused before that was known. */
  readonly format: number | null
  /** Why it isn't used, in one sentence; null: it is. */
  readonly refused: string | null
}

/** An entry of a registry folder, undecoded. */
export interface PackEntry {
  /** A text that `JSON.parse` takes: values of many entries at once would all be made in one turn of who gets them. */
  readonly json: string
  /** Name of the pack that has the last word. */
  readonly pack: string
  /** Inside the pack, with slashes. */
  readonly file: string
}

/** Entries kept as text, one behind the other; each is JSON that `JSON.parse` takes. */
export interface RawEntries {
  readonly ids: readonly Identifier[]
  /** Where each text ends in `bytes`. */
  readonly ends: Uint32Array
  /** UTF-8. */
  readonly bytes: Uint8Array
}

/** What is wrong at one place of a pack. */
export interface PackProblem {
  readonly pack: string
  readonly file: string
  /** JSON pointer; empty: the whole file. */
  readonly pointer: string
  /** Both count from 1, columns in UTF-16 units. */
  readonly line: number | null
  readonly column: number | null
  /** English, one line, without a path of the machine. */
  readonly reason: string
  /** Nothing was left out because of it. */
  readonly warning?: true
}

/** What all packs together hold. */
export interface PackData {
  readonly packs: readonly ReadPack[]
  /** By folder below `data/<namespace>/`, such as `system/system`. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<Identifier, PackEntry>>
  readonly raw: ReadonlyMap<string, RawEntries>
  /** By registry (`item`, `block`, `entity_type`, `system/system_module`): resolved, in order of files, no duplicates. */
  readonly tags: ReadonlyMap<string, ReadonlyMap<Identifier, readonly Identifier[]>>
  readonly texts: {
    /** By language such as `en_us`: JSON texts of objects of sentences by key, each of a few hundred at most. */
    readonly lang: ReadonlyMap<string, readonly string[]>
    /** The same of lists of variants by phrase. */
    readonly synonyms: ReadonlyMap<string, readonly string[]>
    /** `<name>` for namespace `system`, else `<namespace>:<name>`. */
    readonly prompts: ReadonlyMap<string, string>
    /** Names of prompts whose file can't be used. */
    readonly brokenPrompts: readonly string[]
  }
  readonly problems: readonly PackProblem[]
  /** Problems beyond those listed. */
  readonly moreProblems: number
}

/** No pack at all. */
export const EMPTY_PACK_DATA: PackData = {
  packs: [],
  entries: new Map(),
  raw: new Map(),
  tags: new Map(),
  texts: { lang: new Map(), synonyms: new Map(), prompts: new Map(), brokenPrompts: [] },
  problems: [],
  moreProblems: 0,
}
