/** Registries decoded from what packs hold. */
import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import { decodeContent, persistHolderSchema, type RegistryType } from '../../lib/registry/index.js'
import { packData, PACK } from '../support/pack-data.js'

const at = { version: 'v1', yield: () => null }

interface Shelf {
  readonly title: string
  readonly books: readonly string[]
}
const BOOK: RegistryType<{ pages: number }> = {
  id: identifier('test:book'),
  folder: 'test/book',
  schema: z.strictObject({ pages: z.int().min(1) }),
}
const SHELF: RegistryType<Shelf> = {
  id: identifier('test:shelf'),
  folder: 'test/shelf',
  schema: z.object({ title: z.string(), books: z.array(z.string()).default([]) }),
  *references({ books }) {
    for (const [place, ref] of books.entries()) yield { registry: BOOK.id, ref, pointer: ['books', place] }
  },
}

void t.test('what decodes is there, frozen, in order of packs and then of ids', async (t) => {
  const data = packData({
    packs: ['first', 'second'],
    entries: {
      'test/book': {
        'test:b': { pages: 2 },
        'test:z': { value: { pages: 26 }, [PACK]: 'first' },
        'test:a': { value: { pages: 1 }, [PACK]: 'second' },
      },
    },
  })
  const content = await decodeContent([BOOK, SHELF], data, at)
  const books = content.registry(BOOK)
  t.same(books.ids(), ['test:b', 'test:z', 'test:a'])
  t.same(books.values()[2], { id: 'test:a', value: { pages: 1 } })
  t.ok(Object.isFrozen(books.get('test:b')?.value))
  t.equal(books.get('test:c'), undefined)
  t.equal(content.version, 'v1')
  t.same(content.problems, [])
  t.throws(() => content.registry({ ...BOOK }), TypeError)
})
