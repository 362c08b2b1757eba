import { isJsonObject, type Json } from '../../../lib/core/json.js'
import { isIdentifier } from '../../../lib/core/ids.js'
import type { PackData, PackEntry } from '../../../lib/packs/index.js'
import type { Unlocated } from '../../../lib/registry/index.js'

type Entries = PackData['entries']
type Members = Readonly<Record<string, Json>>
/** Tells of a type that only an extension can have, by its pointer. */
type Note = (kind: string, type: string, pointer: string) => void

const OWN = 'system:'
/** What stands in the place of what only an extension knows. */
const KNOWN_MODULE = 'system:items'
const KNOWN_CONDITION: Json = { type: 'system:all_of', conditions: [] }
/** Members of a module configuration that don't belong to its type. */
const SHARED = new Set(['type', 'condition', 'client', 'server'])

/**
 * The entries with a type of ours in the place of each that belongs to an extension, which isn't here to say what its
 * members are: everything around it can be decoded then. Each is one warning.
 */
export function withoutExtensionTypes(entries: Entries): {
  readonly entries: Entries
  readonly warnings: readonly Unlocated[]
} {
  const warnings: Unlocated[] = []
  const replaced = new Map(entries)
  const replace = (folder: string, change: (value: Json, note: Note) => Json): void => {
    const changed = [...(entries.get(folder) ?? [])].map(([id, entry]) => {
      const { pack, file }: PackEntry = entry
      const note: Note = (kind, type, pointer) => {
        const reason = `${type} is a ${kind} of an extension, unknown here: its members were not looked at`
        warnings.push({ pack, file, pointer, reason, warning: true })
      }
      return [id, { ...entry, json: JSON.stringify(change(JSON.parse(entry.json) as Json, note)) }] as const
    })
    replaced.set(folder, new Map(changed))
  }
  replace('system/system_module', configuration)
  replace('system/system', definition)
  return { entries: replaced, warnings }
}

/** An id that isn't ours; one that is misspelled can't be told from an extension's. */
const isForeign = (type: Json | undefined): type is string =>
  typeof type === 'string' && isIdentifier(type) && !type.startsWith(OWN)

const isObject = (value: Json | undefined): value is Members => isJsonObject(value)

function configuration(value: Json, note: Note): Json {
  if (!isObject(value)) return value
  const { server } = value
  const rest = withCondition(value, '', note)
  if (isObject(server) && isForeign(server['type'])) {
    note('module type', server['type'], '/server/type')
    return { ...rest, server: { type: KNOWN_MODULE } }
  }
  if (!isForeign(value['type'])) return rest
  note('module type', value['type'], '/type')
  const shared = Object.entries(rest).filter(([member]) => SHARED.has(member))
  return { ...Object.fromEntries(shared), type: KNOWN_MODULE }
}

function definition(value: Json, note: Note): Json {
  if (!isObject(value) || !Array.isArray(value['modules'])) return value
  const modules = (value['modules'] as readonly Json[]).map((reference, at) =>
    isObject(reference) ? withCondition(reference, `/modules/${at}`, note) : reference,
  )
  return { ...value, modules }
}

function withCondition(value: Members, pointer: string, note: Note): Members {
  const { condition: given } = value
  return given === undefined ? value : { ...value, condition: condition(given, `${pointer}/condition`, note) }
}

function condition(value: Json, pointer: string, note: Note): Json {
  if (!isObject(value)) return value
  const { type, conditions } = value
  if (isForeign(type)) {
    note('condition', type, `${pointer}/type`)
    return KNOWN_CONDITION
  }
  const inner = withCondition(value, pointer, note)
  if (!Array.isArray(conditions)) return inner
  const all = (conditions as readonly Json[]).map((one, at) =>
    condition(one, `${pointer}/conditions/${at}`, note),
  )
  return { ...inner, conditions: all }
}
