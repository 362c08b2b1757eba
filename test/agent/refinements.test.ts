import t from 'tap'
import { z } from 'zod'
import { undescribedRefinement } from '../../lib/agent/refinements.js'

const odd = z.string().refine((text) => text.length % 2 === 1)
const said = z.string().refine(Boolean).describe('not empty')

void t.test('a refinement needs a describing text, wherever it stands', (t) => {
  const found: readonly [string, z.ZodType, string | null][] = [
    ['none', z.strictObject({ a: z.string().min(1).trim(), b: z.int(), c: z.email() }), null],
    ['plain', odd, 'x'],
    ['described', said, null],
    ['described before', z.string().describe('odd').refine(Boolean), null],
    ['described around', odd.optional().describe('odd'), null],
    ['described around twice', odd.nullable().optional().describe('odd'), null],
    ['superRefine', z.strictObject({ a: z.string() }).superRefine(() => {}), 'x'],
    ['in a member', z.strictObject({ a: z.strictObject({ b: odd }).describe('a thing') }), 'x.a.b'],
    ['in an element', z.array(odd).describe('many'), 'x.element'],
    ['in a tuple', z.tuple([z.string(), odd]), 'x.1'],
    ['in a union', z.union([z.int(), odd]), 'x'],
    ['in a described union', z.union([z.int(), odd]).describe('a number or an odd text'), null],
    ['in a record', z.record(z.string(), odd), 'x.valueType'],
    ['before a transform', odd.transform((text) => text.length), 'x'],
    ['behind a transform', z.string().transform(Number).refine(Number.isFinite), 'x'],
    ['behind a default', odd.default('a'), 'x'],
    ['in a lazy circle', z.lazy((): z.ZodType => z.array(z.lazy(() => odd))), 'x.element'],
  ]
  for (const [name, schema, at] of found) t.equal(undescribedRefinement(schema, 'x'), at, name)
  interface Tree {
    readonly inner: readonly Tree[]
  }
  const tree: z.ZodType<Tree> = z.strictObject({ inner: z.array(z.lazy(() => tree)) })
  t.equal(undescribedRefinement(tree, 'x'), null, 'a circle ends')
  t.end()
})
