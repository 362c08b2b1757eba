import { z } from 'zod'
import { ArrayNode, NullableNode, TupleNode } from './lists.js'
import { ObjectNode, RecordNode, type RecordKeys } from './members.js'
import { checksOf, unfit, type Absent, type Node } from './node.js'
import { leafNode } from './leaves.js'
import { UnionNode, type Option } from './unions.js'
import { checkedNode, LaterNode, MemberNode } from './wrappers.js'

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']
type Kinds = Def['type']
type DefOf<K extends Kinds> = Extract<Def, { type: K }>

const defOf = (schema: Schema): Def => schema._zod.def as Def

/** What a schema says of a missing value. */
function absentOf(schema: Schema): Absent {
  return () => {
    const parsed = z.core.safeParse(schema, undefined)
    if (!parsed.success) throw parsed.error
    return parsed.data
  }
}

function recordKeys(def: DefOf<'record'>): RecordKeys {
  const { keyType } = def
  if (def.mode === 'loose') unfit('a loose record')
  const isFree = defOf(keyType).type === 'string' && checksOf(keyType).length === 0
  const takes = (key: unknown): boolean => {
    const parsed = z.core.safeParse(keyType, key)
    return parsed.success && parsed.data === key
  }
  const isNumber = (key: string): boolean => String(Number(key)) === key
  return {
    accepts: isFree ? () => true : (key) => takes(key) || (isNumber(key) && takes(Number(key))),
    required: def.partial === true ? [] : [...(keyType._zod.values ?? [])].map(String),
  }
}

/** What a lazy schema gives; it is asked once, so that a schema which contains itself is met again. */
const innerOf = (schema: Schema): Schema => (schema as z.core.$ZodLazy)._zod.innerType

/** The schema that wrappers lead to. */
function underlying(schema: Schema): Schema {
  const def = defOf(schema)
  if (def.type === 'lazy') return underlying(innerOf(schema))
  return 'innerType' in def && def.type !== 'nullable' ? underlying(def.innerType) : schema
}

type Maker<K extends Kinds> = (def: DefOf<K>, schema: Schema) => Node

/** Nodes of one schema and of all that it contains. */
class Builder {
  private readonly nodes = new Map<Schema, Node>()
  private readonly open = new Set<Schema>()
  /** Schemas that are made when all before them are. */
  private readonly lazy: Schema[] = []
  /** What needs to know the types of nodes that may not be there yet. */
  private readonly fills: (() => void)[] = []

  build(schema: Schema): Node {
    const root = this.node(schema)
    for (let next = this.lazy.pop(); next !== undefined; next = this.lazy.pop()) this.node(next)
    for (const fill of this.fills) fill()
    return root
  }

  private node(schema: Schema): Node {
    const known = this.nodes.get(schema)
    if (known !== undefined) return known
    if (this.open.has(schema)) return this.laterNode(schema)
    this.open.add(schema)
    const node = this.make(schema)
    this.nodes.set(schema, node)
    return node
  }

  private laterNode(schema: Schema): Node {
    return new LaterNode(() => this.nodes.get(schema) ?? unfit('an unfinished schema'))
  }

  private make(schema: Schema): Node {
    const def = defOf(schema)
    const leaf = leafNode(schema)
    if (leaf !== null) return leaf
    const make = this.makers[def.type] as Maker<Kinds> | undefined
    if (make === undefined) return unfit(`a schema of type ${def.type}`)
    const node = make(def, schema)
    return checkedNode(node, checksOf(schema))
  }

  /** Elements can’t be missing. */
  private element(schema: Schema): Node {
    const { type } = defOf(schema)
    if (schema._zod.optout === 'optional' && type !== 'unknown' && type !== 'any')
      unfit('a list with missing elements')
    return this.node(schema)
  }

  private object(def: DefOf<'object'>): Node {
    if (def.catchall !== undefined && defOf(def.catchall).type !== 'never') unfit('a loose object')
    const node = new ObjectNode()
    const members = Object.entries(def.shape).map(([key, member]) => [key, this.node(member)] as const)
    this.fills.push(() => node.fill(members))
    return node
  }

  /** The options of a union, those of unions inside it among them. */
  private options(def: DefOf<'union'>): readonly Schema[] {
    if (def.inclusive === false && !('discriminator' in def)) unfit('an exclusive union')
    return def.options.flatMap((option) => {
      const inner = defOf(option)
      return inner.type === 'union' && checksOf(option).length === 0 ? this.options(inner) : [option]
    })
  }

  private union(def: DefOf<'union'>): Node {
    const options = this.options(def)
    const others = options.filter((option) => defOf(option).type !== 'null')
    const union = new UnionNode()
    const nodes = others.map((option) => this.node(option))
    union.announce(nodes)
    this.fills.push(() => {
      const filled = others.map((option, index): Option => {
        const isObject = defOf(underlying(option)).type === 'object'
        return {
          node: nodes[index] ?? unfit('a union'),
          values: isObject ? (option._zod.propValues ?? {}) : null,
        }
      })
      union.fill(filled, 'discriminator' in def ? String(def.discriminator) : null)
    })
    return others.length === options.length ? union : new NullableNode(union)
  }

  private tuple(def: DefOf<'tuple'>): Node {
    const node = new TupleNode()
    const items = def.items.map((item) => this.element(item))
    const rest = def.rest === null ? null : this.element(def.rest)
    this.fills.push(() => node.fill(items, rest))
    return node
  }

  private array(def: DefOf<'array'>): Node {
    const node = new ArrayNode()
    const element = this.element(def.element)
    this.fills.push(() => node.fill(element))
    return node
  }

  private readonly makers: { readonly [K in Kinds]?: Maker<K> } = {
    object: (def) => this.object(def),
    record: (def) => new RecordNode(recordKeys(def), this.node(def.valueType)),
    array: (def) => this.array(def),
    tuple: (def) => this.tuple(def),
    union: (def) => this.union(def),
    nullable: (def) => new NullableNode(this.node(def.innerType)),
    optional: (def) => new MemberNode(this.node(def.innerType), () => undefined),
    nonoptional: (def) => new MemberNode(this.node(def.innerType), null),
    default: (def, schema) => new MemberNode(this.node(def.innerType), absentOf(schema)),
    prefault: (def, schema) => new MemberNode(this.node(def.innerType), absentOf(schema)),
    readonly: (def) => this.node(def.innerType),
    lazy: (_def, schema) => {
      const inner = innerOf(schema)
      this.lazy.push(inner)
      return this.laterNode(inner)
    },
  }
}

/** The node of a schema. A TypeError for schemas whose values can't be told from their NBT, or that change them. */
export const buildNode = (schema: Schema): Node => new Builder().build(schema)

/** The node of a list of such elements. */
export function buildListNode(element: Schema): ArrayNode {
  const node = new ArrayNode()
  node.fill(buildNode(element))
  return node
}
