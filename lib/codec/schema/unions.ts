import { NbtReader } from '../nbt/reader.js'
import { scanPayload } from '../nbt/scan.js'
import { DEFAULT_NBT_LIMITS, NbtError, TagType } from '../nbt/tag.js'
import type { NbtWriter } from '../nbt/writer.js'
import { asObject } from './members.js'
import { Kind, kindOf, refuse, tagBit, type Node } from './node.js'

/** An option of a union. */
export interface Option {
  readonly node: Node
  /** For an object: what its members of literal type may be. */
  readonly values: Readonly<Record<string, ReadonlySet<unknown>>> | null
}

const COMPOUND = tagBit(TagType.Compound)
const SCALARS = Kind.String | Kind.Number | Kind.Boolean | Kind.BigInt | Kind.Bytes
/** Tags that a discriminator may have, and how it is read: a value is the same whatever its schema. */
const DISCRIMINATORS = new Map<number, (source: NbtReader) => unknown>([
  [TagType.String, (source) => source.string()],
  [TagType.Byte, (source) => source.byte() === 1],
  [TagType.Int, (source) => source.int()],
  [TagType.Double, (source) => source.double()],
  [TagType.Long, (source) => source.long()],
])

/** Objects that one member tells apart. */
class ObjectsNode implements Node {
  readonly tags = COMPOUND
  readonly kinds = Kind.Object
  readonly absent = null
  private readonly key: string
  private readonly byValue: ReadonlyMap<unknown, Node>

  constructor(key: string, byValue: ReadonlyMap<unknown, Node>) {
    this.key = key
    this.byValue = byValue
  }

  private nodeFor(value: unknown): Node {
    return this.byValue.get(value) ?? refuse(`no option for this ${this.key}`)
  }

  write(out: NbtWriter, value: unknown): TagType {
    return this.nodeFor(asObject(value)[this.key]).write(out, value)
  }

  read(source: NbtReader, type: number): unknown {
    if (type !== TagType.Compound) refuse('no object')
    return this.nodeFor(this.discriminator(source)).read(source, type)
  }

  /** Looks ahead; it mostly stands first. */
  private discriminator(source: NbtReader): unknown {
    const ahead = new NbtReader(source.buffer, source.at)
    for (let type = ahead.type(); type !== TagType.End; type = ahead.type()) {
      if (ahead.name() === this.key) return DISCRIMINATORS.get(type)?.(ahead)
      ahead.at = scanPayload(ahead.buffer, { at: ahead.at, type }, DEFAULT_NBT_LIMITS)
    }
    return undefined
  }
}

/** The member that has another value in each option; the preferred one first. */
function objectsNode(options: readonly Option[], preferred: string | null): Node {
  const common = Object.keys(options[0]?.values ?? {})
  for (const key of preferred === null ? common : [preferred]) {
    const byValue = new Map<unknown, Node>()
    let size = 0
    for (const { node, values } of options) {
      const set = values !== null && Object.hasOwn(values, key) ? values[key] : undefined
      for (const value of set ?? [undefined]) byValue.set(value, node)
      size += set?.size ?? 1
    }
    if (byValue.size === size && !byValue.has(undefined)) return new ObjectsNode(key, byValue)
  }
  throw new TypeError('objects of a union that no member of literal type tells apart')
}

function refuseOverlap(options: readonly Node[]): void {
  for (const [index, a] of options.entries()) {
    for (const b of options.slice(index + 1)) {
      const isSameScalar = a.kinds === b.kinds && (a.kinds & ~SCALARS) === 0
      if ((a.tags & b.tags) !== 0 && !isSameScalar)
        throw new TypeError('options of a union that look alike in NBT')
    }
  }
}

/** One of several schemas, told apart by the types of their tags; objects by a member of literal type. */
export class UnionNode implements Node {
  private options: readonly Node[] = []
  private isAsked = false

  /** Called once with all options, before any is asked for its types. */
  announce(options: readonly Node[]): void {
    this.options = options
  }

  /** Called once, when the nodes of all options know their types. */
  fill(options: readonly Option[], discriminator: string | null): void {
    const objects = options.filter(({ values }) => values !== null)
    const others = options.filter(({ values }) => values === null).map(({ node }) => node)
    const [first] = objects
    if (first !== undefined)
      others.push(objects.length === 1 ? first.node : objectsNode(objects, discriminator))
    refuseOverlap(others)
    this.options = others
  }

  /** Of an option that leads back here without a list or object between, nothing is known: it adds nothing. */
  private ask<T>(empty: T, question: () => T): T {
    if (this.isAsked) return empty
    this.isAsked = true
    try {
      return question()
    } finally {
      this.isAsked = false
    }
  }

  get tags(): number {
    return this.ask(0, () => this.options.reduce((tags, node) => tags | node.tags, 0))
  }

  get kinds(): number {
    return this.ask(0, () => this.options.reduce((kinds, node) => kinds | node.kinds, 0))
  }

  get absent(): Node['absent'] {
    return this.ask(null, () => this.options.find((node) => node.absent !== null)?.absent ?? null)
  }

  write(out: NbtWriter, value: unknown): TagType {
    const kind = kindOf(value)
    const candidates = this.options.filter((node) => (node.kinds & kind) !== 0)
    const last = candidates.at(-1) ?? refuse('no option of this kind')
    const mark = out.mark()
    for (const node of candidates.slice(0, -1)) {
      try {
        return node.write(out, value)
      } catch (error) {
        if (!(error instanceof NbtError)) throw error
        out.rewind(mark)
      }
    }
    return last.write(out, value)
  }

  read(source: NbtReader, type: number): unknown {
    const candidates = this.options.filter((node) => (node.tags & (1 << type)) !== 0)
    const last = candidates.at(-1) ?? refuse('no option of this type')
    const start = source.at
    for (const node of candidates.slice(0, -1)) {
      try {
        return node.read(source, type)
      } catch (error) {
        if (!(error instanceof NbtError)) throw error
        source.at = start
      }
    }
    return last.read(source, type)
  }
}
