import type { SquidClient } from '../types.js'
import { internalsOf, type NbtReaders } from './internals.js'

/** NBT tag ids whose payload has at least one byte; 0 is the end tag, which as an element costs nothing to send. */
const FIRST_TAG = 1
const LAST_TAG = 12

/** The readers are shared by all connections of a version in the process; counted, so that the last server restores them. */
const guarded = new WeakMap<NbtReaders, { users: number; stock: NonNullable<NbtReaders['list']> }>()

/**
 * Refuses NBT lists of nothing: a few bytes announce sixteen million end tags, and the reader builds them all. What it throws
 * ends the connection like any malformed packet. Vanilla refuses such lists too.
 */
export function guardNbt(client: SquidClient): () => void {
  const used = new Set<NbtReaders>()
  const use = (): void => {
    const readers = internalsOf(client).deserializer.proto?.readCtx
    if (readers?.list === undefined || used.has(readers)) return
    used.add(readers)
    acquire(readers)
  }
  use()
  client.on('state', use)
  const release = (): void => {
    client.removeListener('state', use)
    for (const readers of used) giveBack(readers)
    used.clear()
  }
  client.once('end', release)
  return release
}

function acquire(readers: NbtReaders): void {
  const known = guarded.get(readers)
  if (known !== undefined) {
    known.users += 1
    return
  }
  const { list: stock } = readers
  if (stock === undefined) return
  guarded.set(readers, { users: 1, stock })
  readers.list = (buffer, offset) => {
    const tag = buffer[offset] ?? 0
    const isEmpty = buffer.length < offset + 5 || buffer.readInt32BE(offset + 1) <= 0
    if (!isEmpty && (tag < FIRST_TAG || tag > LAST_TAG)) throw new Error('a list of nothing')
    return stock(buffer, offset)
  }
}

function giveBack(readers: NbtReaders): void {
  const known = guarded.get(readers)
  if (known === undefined) return
  known.users -= 1
  if (known.users > 0) return
  readers.list = known.stock
  guarded.delete(readers)
}
