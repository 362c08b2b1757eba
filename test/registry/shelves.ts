/** Types of entries for tests of registries. */
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import type { RegistryType } from '../../lib/registry/index.js'

export const at = { version: 'v1', yield: () => null }

export interface Shelf {
  readonly title: string
  readonly books: readonly string[]
}
export const BOOK: RegistryType<{ pages: number }> = {
  id: identifier('test:book'),
  folder: 'test/book',
  schema: z.strictObject({ pages: z.int().min(1) }),
}
export const SHELF: RegistryType<Shelf> = {
  id: identifier('test:shelf'),
  folder: 'test/shelf',
  schema: z.object({ title: z.string(), books: z.array(z.string()).default([]) }),
  *references({ books }) {
    for (const [place, ref] of books.entries()) yield { registry: BOOK.id, ref, pointer: ['books', place] }
  },
}

/** A problem of an entry, without its line. */
export const problem = (
  pointer: string,
  reason: string,
  place: readonly [string, string] = ['test/book', 'a'],
) => ({
  pack: 'pack',
  file: `data/test/${place[0]}/${place[1]}.json`,
  pointer,
  reason,
  line: null,
  column: null,
})
