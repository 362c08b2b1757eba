import type { NbtReader } from '../nbt/reader.js'
import { scanPayload } from '../nbt/scan.js'
import { DEFAULT_NBT_LIMITS, TagType } from '../nbt/tag.js'
import type { NbtWriter } from '../nbt/writer.js'
import { Kind, onlyType, refuse, rethrowAt, tagBit, type Node } from './node.js'

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : refuse('no list'))

/**
 * Elements whose types differ: each is a compound with one member of an empty name, as vanilla wraps lists of mixed type.
 * Whether a list is wrapped depends on its schema alone, never on what is in it.
 */
function wrapped(node: Node): Node {
  return {
    tags: tagBit(TagType.Compound),
    kinds: node.kinds,
    absent: null,
    write: (out, value) => {
      const at = out.at
      out.enter()
      out.type(TagType.End)
      out.short(0)
      out.retype(at, node.write(out, value))
      out.type(TagType.End)
      out.count(1)
      out.leave()
      return TagType.Compound
    },
    read: (source) => {
      const type = source.type()
      if (type === TagType.End || source.short() !== 0) refuse('no wrapped element')
      const value = node.read(source, type)
      return source.type() === TagType.End ? value : refuse('no wrapped element')
    },
  }
}

/** The elements' nodes, in a form that all have one type. */
function unified(nodes: readonly Node[]): { readonly type: TagType; readonly nodes: readonly Node[] } {
  const type = onlyType(nodes.reduce((tags, node) => tags | node.tags, 0))
  return type === null ? { type: TagType.Compound, nodes: nodes.map(wrapped) } : { type, nodes }
}

/** What a list that is read says of itself; refused when its elements are of another type. */
function readHeader(source: NbtReader, type: number, element: TagType): number {
  if (type !== TagType.List) refuse('no list')
  const found = source.type()
  const length = source.int()
  if (length > 0 && found !== element) refuse('a list of other elements')
  return length
}

/** What the entries of a list gave, those that couldn't be read left out. */
export interface Entries {
  readonly values: unknown[]
  readonly dropped: number
}

/** A `List` of equal elements. */
export class ArrayNode implements Node {
  readonly tags = tagBit(TagType.List)
  readonly kinds = Kind.List
  readonly absent = null
  private type: TagType = TagType.End
  private node: Node | null = null

  /** Called once, when the node of the elements knows its types. */
  fill(element: Node): void {
    const { type, nodes } = unified([element])
    this.type = type
    this.node = nodes[0] ?? null
  }

  write(out: NbtWriter, value: unknown): TagType {
    const list = asList(value)
    const { node } = this
    if (node === null) return refuse('an unfinished schema')
    out.enter()
    out.type(list.length === 0 ? TagType.End : this.type)
    out.int(list.length)
    out.count(list.length)
    let i = 0
    try {
      for (; i < list.length; i++) node.write(out, list[i])
    } catch (error) {
      rethrowAt(error, i)
    }
    out.leave()
    return TagType.List
  }

  read(source: NbtReader, type: number): unknown {
    const { node } = this
    const length = readHeader(source, type, this.type)
    if (node === null) return refuse('an unfinished schema')
    const values: unknown[] = []
    try {
      while (values.length < length) values.push(node.read(source, this.type))
    } catch (error) {
      rethrowAt(error, values.length)
    }
    return values
  }

  /** Reads what can be read: an entry that is refused is left out alone. */
  readEntries(source: NbtReader, type: number): Entries {
    if (type !== TagType.List) refuse('no list')
    const element = source.type()
    const length = source.int()
    const { node } = this
    if (node === null) return refuse('an unfinished schema')
    if (element !== this.type) return { values: [], dropped: length }
    const values: unknown[] = []
    for (let i = 0; i < length; i++) {
      const start = source.at
      try {
        values.push(node.read(source, element))
      } catch {
        source.at = scanPayload(source.buffer, { at: start, type: element }, DEFAULT_NBT_LIMITS)
      }
    }
    return { values, dropped: length - values.length }
  }
}

/** A `List` whose elements have a schema each, and one schema for all that follow. */
export class TupleNode implements Node {
  readonly tags = tagBit(TagType.List)
  readonly kinds = Kind.List
  readonly absent = null
  private type: TagType = TagType.End
  private items: readonly Node[] = []
  private rest: Node | undefined

  /** Called once, when the nodes of the elements know their types. */
  fill(items: readonly Node[], rest: Node | null): void {
    const { type, nodes } = unified(rest === null ? items : [...items, rest])
    this.type = type
    this.items = nodes.slice(0, items.length)
    this.rest = nodes[items.length]
  }

  private refuseLength(length: number): void {
    const isFitting = this.rest === undefined ? length === this.items.length : length >= this.items.length
    if (!isFitting) refuse('a tuple of another length')
  }

  private at(index: number): Node {
    return this.items[index] ?? this.rest ?? refuse('a tuple of another length')
  }

  write(out: NbtWriter, value: unknown): TagType {
    const list = asList(value)
    this.refuseLength(list.length)
    out.enter()
    out.type(list.length === 0 ? TagType.End : this.type)
    out.int(list.length)
    out.count(list.length)
    let i = 0
    try {
      for (; i < list.length; i++) this.at(i).write(out, list[i])
    } catch (error) {
      rethrowAt(error, i)
    }
    out.leave()
    return TagType.List
  }

  read(source: NbtReader, type: number): unknown {
    const length = readHeader(source, type, this.type)
    this.refuseLength(length)
    const values: unknown[] = []
    try {
      while (values.length < length) values.push(this.at(values.length).read(source, this.type))
    } catch (error) {
      rethrowAt(error, values.length)
    }
    return values
  }
}

/** Null or a value, apart from a missing one: a `List` of none or one. */
export class NullableNode implements Node {
  readonly tags = tagBit(TagType.List)
  private readonly node: Node

  constructor(node: Node) {
    this.node = node
  }

  get kinds(): number {
    return this.node.kinds | Kind.Null
  }

  get absent(): Node['absent'] {
    return this.node.absent
  }

  write(out: NbtWriter, value: unknown): TagType {
    const at = out.at
    out.type(TagType.End)
    out.int(value === null ? 0 : 1)
    if (value !== null) {
      out.enter()
      out.count(1)
      out.retype(at, this.node.write(out, value))
      out.leave()
    }
    return TagType.List
  }

  read(source: NbtReader, type: number): unknown {
    if (type !== TagType.List) refuse('no list of none or one')
    const element = source.type()
    const length = source.int()
    if (length > 1) refuse('no list of none or one')
    return length === 0 ? null : this.node.read(source, element)
  }
}
