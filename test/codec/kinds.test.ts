/** Kinds that packs name by `type`: who may add one, what files may write, and how what came later is taken out again. */
import t from 'tap'
import { z } from 'zod'
import { Kinds, kindSchema } from '../../lib/codec/index.js'
import { identifier } from '../../lib/core/ids.js'

interface Shape {
  readonly id: ReturnType<typeof identifier>
  members(): z.ZodRawShape
  area?: (() => number) | undefined
}

const shape = (id: string, members: z.ZodRawShape = {}): Shape => ({
  id: identifier(id),
  members: () => members,
  area: () => 1,
})

const shapes = () =>
  new Kinds<Shape, { readonly type: string }>(
    'shape',
    [shape('system:circle', { radius: z.int().min(1) }), shape('system:dot')],
    (kinds) => kindSchema(kinds),
  )

const reads = (kinds: ReturnType<typeof shapes>, value: unknown): boolean =>
  kinds.schema().safeParse(value).success

void t.test('a file writes ours with or without a namespace, and others in full', async (t) => {
  const kinds = shapes()
  kinds.add(shape('town:circle', { side: z.int() }), ['area'])
  for (const type of ['circle', 'system:circle']) {
    t.ok(reads(kinds, { type, radius: 1 }), type)
    t.equal(kinds.of(type)?.id, 'system:circle', type)
  }
  t.ok(reads(kinds, { type: 'town:circle', side: 1 }))
  t.equal(kinds.of('town:circle')?.id, 'town:circle')
  for (const type of ['square', 'town:square', 'minecraft:circle', '', ':', 'constructor', '__proto__']) {
    t.notOk(reads(kinds, { type }), type)
    t.equal(kinds.of(type), undefined, type)
  }
  t.notOk(reads(kinds, { type: 'circle', radius: 0 }), 'a member that is wrong')
  t.notOk(reads(kinds, { type: 'circle', side: 1 }), 'a member of another kind')
  t.notOk(reads(kinds, { type: 'dot', radius: 1 }), 'a member too many')
  t.throws(() => kindSchema([]), /no kinds/)
})

void t.test('what can’t be added is named, and leaves everything as it was', async (t) => {
  const kinds = shapes()
  const square = shape('town:square', { side: z.int() })
  kinds.add(square, ['area'])
  const before = kinds.schema()
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['twice', square, /^shape town:square is registered twice$/],
    ['ours', shape('system:dot'), /^shape system:dot is registered twice$/],
    ['no id', { ...square, id: 'square' }, /^shape square has no id of the form namespace:path$/],
    ['an id that is no text', { ...square, id: 7 }, /^shape 7 has no id/],
    ['no function', { ...shape('town:line'), area: undefined }, /^shape town:line has no area$/],
    ['a date', shape('town:date', { at: z.date() }), /^shape town:date has members that can't be described$/],
    [
      'members that throw',
      {
        ...shape('town:bad'),
        members: (): never => {
          throw new Error('x')
        },
      },
      /^shape town:bad has members that can't be described$/,
    ],
  ]
  for (const [what, kind, message] of refused)
    t.throws(() => kinds.add(kind as Shape, ['area']), { name: 'TypeError', message }, what)
  t.equal(kinds.of('town:date'), undefined)
  t.equal(kinds.of('town:bad'), undefined)
  t.ok(reads(kinds, { type: 'town:square', side: 1 }))
  t.notOk(reads(kinds, { type: 'town:date', at: '2026-12-01' }))
  t.ok(before.safeParse({ type: 'dot' }).success)
})

void t.test('what came after a mark is taken out, and may come again', async (t) => {
  const kinds = shapes()
  kinds.add(shape('town:square'), ['area'])
  const undo = kinds.mark()
  kinds.add(shape('town:line'), ['area'])
  kinds.add(shape('town:star'), ['area'])
  t.ok(reads(kinds, { type: 'town:line' }))
  undo()
  for (const type of ['town:line', 'town:star']) {
    t.equal(kinds.of(type), undefined, type)
    t.notOk(reads(kinds, { type }), type)
  }
  t.ok(reads(kinds, { type: 'town:square' }), 'what was there stays')
  kinds.add(shape('town:line'), ['area'])
  t.ok(reads(kinds, { type: 'town:line' }))
})
