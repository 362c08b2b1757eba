import type { NbtReader } from '../nbt/reader.js'
import type { TagType } from '../nbt/tag.js'
import type { NbtWriter } from '../nbt/writer.js'
import { runChecks, type Absent, type Checks, type Node } from './node.js'

/** A node whose schema contains itself, or is made later. */
export class LaterNode implements Node {
  private readonly find: () => Node

  constructor(find: () => Node) {
    this.find = find
  }

  get tags(): number {
    return this.find().tags
  }

  get kinds(): number {
    return this.find().kinds
  }

  get absent(): Node['absent'] {
    return this.find().absent
  }

  write(out: NbtWriter, value: unknown): TagType {
    return this.find().write(out, value)
  }

  read(source: NbtReader, type: number): unknown {
    return this.find().read(source, type)
  }
}

/** The node with another answer to a missing value. */
export class MemberNode extends LaterNode {
  private readonly answer: Absent | null

  constructor(node: Node, answer: Absent | null) {
    super(() => node)
    this.answer = answer
  }

  override get absent(): Node['absent'] {
    return this.answer
  }
}

/** The node with checks on top: before writing, after reading, and on what stands for a missing value. */
class CheckedNode extends LaterNode {
  private readonly checks: Checks

  constructor(node: Node, checks: Checks) {
    super(() => node)
    this.checks = checks
  }

  private verified(value: unknown): unknown {
    runChecks(this.checks, value)
    return value
  }

  override get absent(): Node['absent'] {
    const absent = super.absent
    return absent === null ? null : () => this.verified(absent())
  }

  override write(out: NbtWriter, value: unknown): TagType {
    // its shape first: a check may rely on it
    const type = super.write(out, value)
    runChecks(this.checks, value)
    return type
  }

  override read(source: NbtReader, type: number): unknown {
    return this.verified(super.read(source, type))
  }
}

export const checkedNode = (node: Node, checks: Checks): Node =>
  checks.length === 0 ? node : new CheckedNode(node, checks)
