import type { NbtReader } from '../nbt/reader.js'
import { TagType } from '../nbt/tag.js'
import { NbtWriter } from '../nbt/writer.js'
import { Kind, onlyType, refuse, rethrowAt, tagBit, type Node } from './node.js'

interface Member {
  readonly key: string
  readonly node: Node
  /** As it stands in the compound: type (0 when values differ in it), length of the name, name. */
  readonly head: Uint8Array
  /** The key is a name that objects inherit, so a plain look-up would find something. */
  readonly isInherited: boolean
}

function headOf(key: string, node: Node): Uint8Array {
  const out = new NbtWriter()
  out.type(onlyType(node.tags) ?? TagType.End)
  out.name(key)
  const head = out.take()
  out.close()
  return head
}

/** Sets an own member, whatever its name. */
export function setMember(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : refuse('no object')

/** A `Compound` of known members, in the schema's order. Unknown ones are refused both ways. */
export class ObjectNode implements Node {
  readonly tags = tagBit(TagType.Compound)
  readonly kinds = Kind.Object
  readonly absent = null
  private members: readonly Member[] = []
  private byKey = new Map<string, number>()

  /** Called once, when the nodes of all members know their types. */
  fill(members: readonly (readonly [key: string, node: Node])[]): void {
    this.members = members.map(([key, node]) => ({
      key,
      node,
      head: headOf(key, node),
      isInherited: key in Object.prototype,
    }))
    this.byKey = new Map(members.map(([key], index) => [key, index]))
  }

  write(out: NbtWriter, value: unknown): TagType {
    const object = asObject(value)
    out.enter()
    let written = 0
    let key = ''
    try {
      for (const member of this.members) {
        key = member.key
        const inner = member.isInherited && !Object.hasOwn(object, key) ? undefined : object[key]
        if (inner === undefined) {
          if (member.node.absent === null) refuse('missing')
          // what stands for it is checked as it will be at reading
          else member.node.absent()
          continue
        }
        const at = out.at
        out.bytes(member.head)
        const type = member.node.write(out, inner)
        if (type !== member.head[0]) out.retype(at, type)
        written += 1
      }
    } catch (error) {
      rethrowAt(error, key)
    }
    this.refuseOthers(object, written)
    out.count(written)
    out.type(TagType.End)
    out.leave()
    return TagType.Compound
  }

  private refuseOthers(object: Record<string, unknown>, written: number): void {
    let present = 0
    for (const _ in object) present += 1
    if (present === written) return
    for (const key of Object.keys(object)) {
      if (object[key] !== undefined && !this.byKey.has(key)) refuse(`unknown member ${key}`)
    }
  }

  read(source: NbtReader, type: number): unknown {
    if (type !== TagType.Compound) refuse('no object')
    const result: Record<string, unknown> = {}
    let next = 0
    let found = 0
    let key = ''
    try {
      for (;;) {
        const start = source.at
        const type = source.type()
        if (type === TagType.End) break
        const index = this.memberAt(source, start, next)
        const member = this.members[index]
        if (member === undefined) return refuse('unknown member')
        key = member.key
        if (index < next && Object.hasOwn(result, key)) refuse('a name comes twice')
        setMember(result, key, member.node.read(source, type))
        next = Math.max(next, index + 1)
        found += 1
      }
    } catch (error) {
      rethrowAt(error, key)
    }
    if (found < this.members.length) this.readAbsent(result)
    return result
  }

  /** The index of the member whose head starts at `start`, -1 when there is none. Members mostly come in order. */
  private memberAt(source: NbtReader, start: number, next: number): number {
    const head = this.members[next]?.head
    if (head !== undefined && source.skipSame(head, start)) return next
    return this.byKey.get(source.name()) ?? -1
  }

  private readAbsent(result: Record<string, unknown>): void {
    for (const { key, node } of this.members) {
      if (Object.hasOwn(result, key)) continue
      if (node.absent === null) rethrowMissing(key)
      const value = node.absent()
      if (value !== undefined) setMember(result, key, value)
    }
  }
}

function rethrowMissing(key: string): never {
  try {
    return refuse('missing')
  } catch (error) {
    return rethrowAt(error, key)
  }
}

/** What a record asks of its keys. */
export interface RecordKeys {
  readonly accepts: (key: string) => boolean
  /** Keys that must be there. */
  readonly required: readonly string[]
}

/** A `Compound` of any names. What is read has no prototype, so that `constructor` and `__proto__` are keys like others. */
export class RecordNode implements Node {
  readonly tags = tagBit(TagType.Compound)
  readonly kinds = Kind.Object
  readonly absent = null
  private readonly keys: RecordKeys
  private readonly node: Node

  constructor(keys: RecordKeys, node: Node) {
    this.keys = keys
    this.node = node
  }

  write(out: NbtWriter, value: unknown): TagType {
    const record = asObject(value)
    out.enter()
    let at = ''
    let written = 0
    try {
      for (const key of Object.keys(record)) {
        at = key
        const inner = record[key]
        if (inner === undefined && this.node.absent !== null) continue
        if (!this.keys.accepts(key)) refuse('no key of this record')
        const start = out.at
        out.type(TagType.End)
        out.name(key)
        out.retype(start, this.node.write(out, inner))
        written += 1
      }
    } catch (error) {
      rethrowAt(error, at)
    }
    this.refuseMissing(record)
    out.count(written)
    out.type(TagType.End)
    out.leave()
    return TagType.Compound
  }

  private refuseMissing(record: Record<string, unknown>): void {
    if (this.node.absent !== null) return
    for (const key of this.keys.required) if (!Object.hasOwn(record, key)) rethrowMissing(key)
  }

  read(source: NbtReader, type: number): unknown {
    if (type !== TagType.Compound) refuse('no record')
    const result = Object.create(null) as Record<string, unknown>
    let key = ''
    try {
      for (let type = source.type(); type !== TagType.End; type = source.type()) {
        key = source.name()
        if (key in result) refuse('a name comes twice')
        if (!this.keys.accepts(key)) refuse('no key of this record')
        result[key] = this.node.read(source, type)
      }
    } catch (error) {
      rethrowAt(error, key)
    }
    this.refuseMissing(result)
    return result
  }
}
