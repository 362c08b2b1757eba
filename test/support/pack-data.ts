/** What packs hold, made by hand. */
import { identifier, type Identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import type { Synonyms } from '../../lib/lexical/index.js'
import { EMPTY_PACK_DATA, type PackData, type PackEntry } from '../../lib/packs/index.js'

/** Marks an entry that is given as `{ value, [PACK]: name }`. */
export const PACK = Symbol('pack')

type Given = Json | { readonly value: Json; readonly [PACK]: string }

/** Parts of a PackData in plain objects. */
export interface PackParts {
  /** Names; the first one is that of entries that name none. */
  readonly packs?: readonly string[]
  /** By folder and id. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, Given>>>>
  readonly tags?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly texts?: {
    readonly lang?: Readonly<Record<string, Readonly<Record<string, string>>>>
    readonly synonyms?: Readonly<Record<string, Synonyms>>
    readonly prompts?: Readonly<Record<string, string>>
  }
}

export function packData({ packs = ['pack'], entries = {}, tags = {}, texts = {} }: PackParts): PackData {
  const [first = 'pack'] = packs
  return {
    ...EMPTY_PACK_DATA,
    packs: packs.map((name) => ({ name, kind: 'folder', format: 61, refused: null })),
    entries: mapped(entries, (of, folder) =>
      byId(of, (given, id): PackEntry => {
        const [namespace, path] = id.split(':')
        const file = `data/${namespace}/${folder}/${path}.json`
        return isOfPack(given)
          ? { json: JSON.stringify(given.value), pack: given[PACK], file }
          : { json: JSON.stringify(given), pack: first, file }
      }),
    ),
    tags: mapped(tags, (of) => byId(of, (ids) => ids.map(identifier))),
    texts: {
      lang: mapped(texts.lang ?? {}, (of) => [JSON.stringify(of)]),
      synonyms: mapped(texts.synonyms ?? {}, (of) => [JSON.stringify(of)]),
      prompts: mapped(texts.prompts ?? {}, (of) => of),
      brokenPrompts: [],
    },
  }
}

function mapped<A, B>(of: Readonly<Record<string, A>>, make: (value: A, key: string) => B): Map<string, B> {
  return new Map(Object.entries(of).map(([key, value]) => [key, make(value, key)]))
}

const byId = <A, B>(of: Readonly<Record<string, A>>, make: (value: A, id: string) => B): Map<Identifier, B> =>
  new Map([...mapped(of, make)].map(([id, value]) => [identifier(id), value]))

const isOfPack = (given: Given): given is { readonly value: Json; readonly [PACK]: string } =>
  typeof given === 'object' && given !== null && PACK in given
